// One sea of Battleship as a chart: ships where they may be seen, shots and their answers.
import { useState } from "preact/hooks";
import { Cells, Chart, Lattice } from "../../ui/chart";
import { useTwoTaps } from "../../ui/two-taps";
import type { BattleshipSea } from "../../wire";
import { type Board, type Cell, cellName, type Ends, hull, type Mark, marksOf, readCell } from "./sea";

export interface SeaChartProps {
  board: Board;
  sea: BattleshipSea;
  label: string;
  open?: (cell: string) => boolean;
  onPick?: (cell: string) => void;
  /** Cells chosen for a salvo that is not fired yet. */
  chosen?: string[];
  /** The cell that the agent would fire at. */
  best?: string | null;
  twoTaps?: boolean;
}

const WORDS: Record<Mark, string> = { miss: "miss", hit: "hit", sunk: "hit, sunk", mine: "mine struck" };

export function SeaChart(props: SeaChartProps) {
  const { board, sea } = props;
  const [aim, setAim] = useState<Cell | null>(null);
  const { marked, tap } = useTwoTaps(!!props.twoTaps, "Tap the same cell again to fire there.", (cell) => props.onPick?.(cell));
  const marks = marksOf(board, sea);
  const last = sea.shots.at(-1)?.cell as Cell | undefined;
  const crosshair = marked && props.open?.(marked) ? readCell(marked) : aim;
  const over = props.onPick && (
    <Cells
      cols={board.cols}
      rows={board.rows}
      label={props.label}
      name={(row, col) => {
        const name = cellName([row, col]);
        const mark = marks.get(name);
        return mark ? `${name} ${WORDS[mark]}` : name;
      }}
      open={(row, col) => props.open?.(cellName([row, col])) ?? false}
      onPick={(row, col) => tap(cellName([row, col]))}
      onAim={setAim}
    />
  );
  return (
    <SeaFrame board={board} label={props.label} over={over}>
      {(sea.fleet?.ships ?? []).map((ends) => (
        <path class="hull" d={hull(ends as Ends)} />
      ))}
      {(sea.fleet?.mines ?? []).map((cell) => (
        <Mine cell={cell as Cell} />
      ))}
      {[...marks].map(([name, mark]) => (
        <MarkAt key={name} cell={readCell(name)!} mark={mark} fresh={!!last && cellName(last) === name} />
      ))}
      {(props.chosen ?? []).map((name) => (
        <Crosshair cell={readCell(name)!} steady />
      ))}
      {props.best && <BestMark cell={readCell(props.best)} />}
      {crosshair && <Crosshair cell={crosshair} />}
    </SeaFrame>
  );
}

export function SeaFrame(props: {
  board: { rows: number; cols: number };
  label: string;
  class?: string;
  over?: preact.ComponentChildren;
  children: preact.ComponentChildren;
}) {
  const { rows, cols } = props.board;
  return (
    <Chart
      class={`battleship ${props.class ?? ""}`}
      cols={cols}
      rows={rows}
      colName={(col) => String(col + 1)}
      rowName={(row) => String.fromCharCode(65 + row)}
      label={props.label}
      over={props.over}
    >
      <Lattice cols={cols} rows={rows} />
      {props.children}
    </Chart>
  );
}

function MarkAt({ cell: [row, col], mark, fresh }: { cell: Cell; mark: Mark; fresh: boolean }) {
  const x = col + 0.5;
  const y = row + 0.5;
  return (
    <g class={`shot ${mark} ${fresh ? "fresh" : ""}`}>
      {mark === "miss" && <circle cx={x} cy={y} r={0.14} />}
      {mark === "miss" && fresh && <circle class="ripple" cx={x} cy={y} r={0.3} />}
      {mark === "mine" && <Mine cell={[row, col]} />}
      {(mark === "hit" || mark === "sunk") && (
        <>
          <rect x={col + 0.06} y={row + 0.06} width={0.88} height={0.88} rx={0.12} />
          <path d={`M${x - 0.2} ${y - 0.2}l.4 .4M${x + 0.2} ${y - 0.2}l-.4 .4`} />
        </>
      )}
      {fresh && <rect class="last-cell" x={col + 0.03} y={row + 0.03} width={0.94} height={0.94} rx={0.1} />}
    </g>
  );
}

function Mine({ cell: [row, col] }: { cell: Cell }) {
  const x = col + 0.5;
  const y = row + 0.5;
  return (
    <g class="mine">
      <path d={`M${x} ${y - 0.32}v.64M${x - 0.32} ${y}h.64M${x - 0.23} ${y - 0.23}l.46 .46M${x + 0.23} ${y - 0.23}l-.46 .46`} />
      <circle cx={x} cy={y} r={0.18} />
    </g>
  );
}

function Crosshair({ cell: [row, col], steady }: { cell: Cell; steady?: boolean }) {
  const x = col + 0.5;
  const y = row + 0.5;
  return (
    <g class={steady ? "aim steady" : "aim"}>
      <circle cx={x} cy={y} r={0.28} />
      <path d={`M${x} ${y - 0.46}v.3M${x} ${y + 0.16}v.3M${x - 0.46} ${y}h.3M${x + 0.16} ${y}h.3`} />
    </g>
  );
}

function BestMark({ cell }: { cell: Cell | null }) {
  if (!cell) return null;
  return <rect class="best-cell" x={cell[1] + 0.07} y={cell[0] + 0.07} width={0.86} height={0.86} rx={0.12} />;
}

/** The probability of a ship in every cell, the likeliest outlined. */
export function HeatChart({ board, heat, best, sea }: {
  board: Board;
  heat: number[][] | null;
  best: string | null;
  sea: BattleshipSea;
}) {
  const shot = marksOf(board, sea);
  const known = (row: number, col: number) => shot.has(cellName([row, col]));
  const most = Math.max(0.0001, ...(heat ?? []).flatMap((line, r) => line.filter((_, c) => !known(r, c))));
  return (
    <SeaFrame board={board} label={`Probability of a ship in each cell${best ? `, most likely ${best}` : ""}`} class="heat">
      {(heat ?? []).map((line, row) =>
        line.map((p, col) => (
          <g>
            <rect
              class={known(row, col) ? "warmth known" : "warmth"}
              x={col}
              y={row}
              width={1}
              height={1}
              fill-opacity={known(row, col) ? 0 : (0.92 * p) / most}
            />
            {!known(row, col) && p >= 0.005 && (
              <text class={`chance ${p / most > 0.8 ? "strong" : p / most > 0.62 ? "middling" : ""}`} x={col + 0.5} y={row + 0.53}>
                {Math.round(100 * p)}
              </text>
            )}
          </g>
        )),
      )}
      {[...shot].map(([name, mark]) => (
        <MarkAt key={name} cell={readCell(name)!} mark={mark} fresh={false} />
      ))}
      {best && <BestMark cell={readCell(best)} />}
    </SeaFrame>
  );
}
