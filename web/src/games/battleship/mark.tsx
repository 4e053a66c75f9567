// One cell of a figure in the rules: water, a part of a ship, a shot.
export function BattleshipMark({ mark, x, y }: { mark: string; x: number; y: number }) {
  return (
    <g>
      <rect class="lattice-cell" x={x} y={y} width={1} height={1} />
      {mark === "#" && <rect class="hull" x={x + 0.1} y={y + 0.1} width={0.8} height={0.8} rx={0.2} />}
      {mark === "o" && (
        <g class="shot miss">
          <circle cx={x + 0.5} cy={y + 0.5} r={0.16} />
        </g>
      )}
      {mark === "x" && (
        <g class="shot hit">
          <rect x={x + 0.08} y={y + 0.08} width={0.84} height={0.84} rx={0.12} />
          <path d={`M${x + 0.3} ${y + 0.3}l.4 .4M${x + 0.7} ${y + 0.3}l-.4 .4`} />
        </g>
      )}
    </g>
  );
}
