// One cell of a figure in the rules: crossing lines, and a stone.
export function GomokuMark({ mark, x, y }: { mark: string; x: number; y: number }) {
  return (
    <g>
      <path class="grid-line" d={`M${x} ${y + 0.5}h1M${x + 0.5} ${y}v1`} />
      {mark === "X" && <circle class="stone black" cx={x + 0.5} cy={y + 0.5} r={0.42} />}
      {mark === "O" && <circle class="stone white" cx={x + 0.5} cy={y + 0.5} r={0.42} />}
    </g>
  );
}
