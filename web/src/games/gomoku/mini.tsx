// The home page's picture of Gomoku: a five in the making.
const BLACK = [[3, 3], [4, 4], [5, 5], [6, 6], [3, 5], [5, 3], [6, 2], [2, 6]];
const WHITE = [[4, 3], [4, 5], [2, 2], [3, 4], [5, 6], [6, 4], [5, 4]];

export function GomokuMini() {
  let d = "";
  for (let i = -4; i < 13; i++) d += `M-4 ${i + 0.5}H14M${i + 0.5} -1V10`;
  return (
    <svg viewBox="-2.5 0.200 14 8.75" preserveAspectRatio="xMidYMid slice" class="mini gomoku" aria-hidden="true">
      <rect class="sea" x="-4" y="-3" width="18" height="16" />
      <path class="grid-line" d={d} fill="none" />
      {BLACK.map(([x, y]) => (
        <circle class="stone black" cx={x! + 0.5} cy={y! + 0.5} r={0.43} />
      ))}
      {WHITE.map(([x, y]) => (
        <circle class="stone white" cx={x! + 0.5} cy={y! + 0.5} r={0.43} />
      ))}
      <circle class="stone black ghost" cx={7.5} cy={7.5} r={0.43} />
      <line class="five" x1={3.5} y1={3.5} x2={7.5} y2={7.5} />
    </svg>
  );
}
