// Any game's board: discs and symbols in cells; where a game has no board, its drawing as text.
import { useState } from "preact/hooks";
import { Cells, Chart, Lattice } from "../../ui/chart";
import type { BoardPicture, ViewPicture } from "../../wire";
import { actionsByCell, cellName } from "./actions";

export interface GenericBoardProps {
  picture: ViewPicture | null;
  /** Only decoration: out of the keyboard's way. */
  still?: boolean;
  /** Actions that the player may choose now. */
  legal?: readonly string[];
  /** Called with the actions of the chosen cell: one, or several to choose from. */
  onPick?: (actions: string[]) => void;
  /** An action to point to. */
  hint?: string | null;
}

export function GenericBoard(props: GenericBoardProps) {
  const { picture } = props;
  if (!picture) return <p class="soft loading">Waiting for the position…</p>;
  if (!picture.board) {
    return (
      <pre class="drawing panel" role="region" tabIndex={props.still ? undefined : 0} aria-label="Position">
        {picture.text}
      </pre>
    );
  }
  return <Grid {...props} board={picture.board} />;
}

function Grid({ board, legal = [], onPick, hint }: GenericBoardProps & { board: BoardPicture }) {
  const [aim, setAim] = useState<[number, number] | null>(null);
  const rows = board.cells.length;
  const cols = board.cells[0]?.length ?? 0;
  const byCell = actionsByCell(board, legal);
  const at = (row: number, col: number) => byCell.get(`${row},${col}`) ?? [];
  const aimed = new Set(aim ? at(...aim).flatMap((action) => board.actions[action]!.map(String)) : []);
  const hinted = new Set((hint ? (board.actions[hint] ?? []) : []).map(String));
  const over = onPick && (
    <Cells
      cols={cols}
      rows={rows}
      label="Board"
      name={(row, col) => `${cellName(board, row, col)} ${board.cells[row]![col]!.label || "empty"}`}
      open={(row, col) => at(row, col).length > 0}
      onPick={(row, col) => onPick(at(row, col))}
      onAim={setAim}
    />
  );
  return (
    <Chart
      class="generic"
      cols={cols}
      rows={rows}
      colName={(col) => board.col_labels[col] ?? ""}
      rowName={(row) => board.row_labels[row] ?? ""}
      label={describe(board)}
      over={over}
    >
      <Lattice cols={cols} rows={rows} />
      {board.cells.map((cells, row) =>
        cells.map((cell, col) => {
          const key = `${row},${col}`;
          return (
            <g key={key} transform={`translate(${col + 0.5} ${row + 0.5})`}>
              {(aimed.has(key) || hinted.has(key)) && (
                <rect class={hinted.has(key) ? "cell-hint" : "cell-aim"} x={-0.5} y={-0.5} width={1} height={1} />
              )}
              {cell.piece !== null && <circle class={`piece seat-${cell.piece % 4}`} r={0.4} />}
              {cell.marked && <circle class="cell-mark" r={cell.piece === null ? 0.44 : 0.2} />}
              {cell.symbol && <text class={cell.piece === null ? "symbol" : "symbol on-piece"}>{cell.symbol}</text>}
            </g>
          );
        }),
      )}
    </Chart>
  );
}

/** The pieces of the board in words, for those who can't see it. */
function describe(board: BoardPicture): string {
  const pieces = board.cells.flatMap((cells, row) =>
    cells.flatMap((cell, col) => (cell.label ? [`${cellName(board, row, col)} ${cell.label}`] : [])),
  );
  return pieces.length > 0 ? `Board: ${pieces.join(", ")}` : "Empty board";
}
