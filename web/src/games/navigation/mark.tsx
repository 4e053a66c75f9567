// One tile of a figure in the rules: a ship, a shot, a rock, wind, a whirlpool.
import { hullPath } from "./arena";
import { HazardMark, RockMark } from "./map";

const BOWS: Record<string, number> = { "^": 0, ">": 90, v: 180, "<": 270 };
const WINDS: Record<string, string> = { "↑": "N", "→": "E", "↓": "S", "←": "W" };

export function NavigationMark({ mark, x, y }: { mark: string; x: number; y: number }) {
  return (
    <g>
      <rect class="lattice-cell" x={x} y={y} width={1} height={1} />
      {mark in BOWS && (
        <g class={`ship side-${mark === "<" ? 1 : 0}`} transform={`translate(${x + 0.5} ${y + 0.5}) rotate(${BOWS[mark]})`}>
          <path class="hull" d={hullPath("cutter")} />
        </g>
      )}
      {mark === "+" && <circle class="turning-point" cx={x + 0.5} cy={y + 0.5} r={0.12} />}
      {mark === "*" && (
        <g class="ball">
          <circle cx={x + 0.5} cy={y + 0.5} r={0.14} />
        </g>
      )}
      {(mark === "o" || mark === "O") && <RockMark rock={{ x, y, size: mark === "O" ? "large" : "small" }} />}
      {mark in WINDS && <HazardMark hazard={{ kind: "wind", x, y, way: WINDS[mark]! } as never} />}
      {mark === "↻" && (
        <g class="whirlpool" transform={`translate(${x + 0.5} ${y + 0.5})`}>
          <circle r={0.46} />
          <path d="M-0.250 0.050A0.250 0.250 0 1 1 0 0.250M0 0.250L0.140 0.120M0 0.250L0.140 0.360" />
        </g>
      )}
    </g>
  );
}
