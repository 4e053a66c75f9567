// A small curve over moves, such as entropy or evaluation, with the present marked.
export interface CurveProps {
  label: string;
  /** [move, value], in order. */
  points: [number, number][];
  low?: number;
  high?: number;
  unit?: string;
  now?: number | null;
  onPick?: (move: number) => void;
}

const WIDTH = 300;
const HEIGHT = 90;
const PAD = 6;

export function Curve({ label, points, low = 0, high, unit = "", now, onPick }: CurveProps) {
  const last = points.at(-1);
  const top = high ?? Math.max(1, ...points.map(([, v]) => v));
  const most = Math.max(1, ...points.map(([m]) => m));
  const x = (move: number) => PAD + ((WIDTH - 2 * PAD) * move) / most;
  const y = (value: number) => PAD + (HEIGHT - 2 * PAD) * (1 - (value - low) / (top - low || 1));
  const line = points.map(([m, v], i) => `${i ? "L" : "M"}${x(m).toFixed(1)} ${y(v).toFixed(1)}`).join("");
  const shown = now == null ? last : (points.findLast(([m]) => m <= now) ?? last);
  return (
    <figure class="curve">
      <figcaption class="small soft row spread">
        <span>{label}</span>
        <span>{shown ? `${shown[1].toFixed(1)} ${unit}` : "\u00a0"}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${label}: ${shown ? `${shown[1].toFixed(1)} ${unit}` : "not known yet"}`}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          onPick?.(Math.round(((event.clientX - box.left) / box.width) * most));
        }}
      >
        <path class="axis" d={`M${PAD} ${y(low)}H${WIDTH - PAD}M${PAD} ${y((low + top) / 2)}H${WIDTH - PAD}`} />
        {points.length > 1 && <path class="area" d={`${line}L${x(last![0])} ${y(low)}L${x(points[0]![0])} ${y(low)}Z`} />}
        <path class="line" d={line} />
        {shown && <circle class="now" cx={x(shown[0])} cy={y(shown[1])} r={4} />}
      </svg>
    </figure>
  );
}
