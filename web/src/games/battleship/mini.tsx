// The home page's picture of Battleship: a hunt half done.
import { hull } from "./sea";

const MISSES = [[0, 3], [1, 7], [2, 4], [3, 9], [4, 1], [5, 7], [0, 8], [3, 12], [6, 10], [6, 3], [1, 10]];
const HEAT = [[4, 5, 0.5], [3, 4, 0.35], [2, 5, 0.25], [5, 5, 0.3], [4, 6, 0.4], [4, 3, 0.35], [4, 8, 0.2], [3, 6, 0.3], [5, 3, 0.2], [2, 10, 0.2], [5, 11, 0.18], [4, 11, 0.2]];

export function BattleshipMini() {
  let d = "";
  for (let i = 1; i < 14; i++) d += `M${i} 0V9`;
  for (let i = 1; i < 9; i++) d += `M0 ${i}H14`;
  return (
    <svg viewBox="0 0 14 8.75" preserveAspectRatio="xMidYMid slice" class="mini battleship" aria-hidden="true">
      <rect class="sea" width="14" height="9" />
      {HEAT.map(([row, col, p]) => (
        <rect class="warmth" x={col!} y={row!} width={1} height={1} fill-opacity={p!} />
      ))}
      <path class="lattice" d={d} />
      <path class="hull" d={hull([[1, 3], [1, 5]])} />
      <path class="hull" d={hull([[7, 5], [7, 9]])} />
      {MISSES.map(([row, col]) => (
        <g class="shot miss">
          <circle cx={col! + 0.5} cy={row! + 0.5} r={0.14} />
        </g>
      ))}
      {[[3, 5], [4, 4]].slice(0, 1).concat([[4, 5]]).map(([row, col]) => (
        <g class="shot hit">
          <rect x={col! + 0.06} y={row! + 0.06} width={0.88} height={0.88} rx={0.12} />
          <path d={`M${col! + 0.3} ${row! + 0.3}l.4 .4M${col! + 0.7} ${row! + 0.3}l-.4 .4`} />
        </g>
      ))}
      <g class="aim steady">
        <circle cx={5.5} cy={5.5} r={0.28} />
        <path d="M5.500 5.040v.3M5.500 5.660v.3M5.040 5.500h.3M5.660 5.500h.3" />
      </g>
    </svg>
  );
}
