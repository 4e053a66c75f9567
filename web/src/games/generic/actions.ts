// Which legal actions belong to which cells of a board, and which have no place on it.
import type { BoardPicture } from "../../wire";

/** Legal actions by the cell `"row,col"` that stands for them. */
export function actionsByCell(board: BoardPicture, legal: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const action of legal) {
    for (const [row, col] of board.actions[action] ?? []) {
      const key = `${row},${col}`;
      found.set(key, [...(found.get(key) ?? []), action]);
    }
  }
  return found;
}

/** Legal actions that no cell of the board stands for. */
export function actionsBesideBoard(board: BoardPicture | null, legal: readonly string[]): string[] {
  return board ? legal.filter((action) => (board.actions[action] ?? []).length === 0) : [...legal];
}

/** Actions that contain the text, those that begin with it first. */
export function matching(actions: readonly string[], text: string): string[] {
  const wanted = text.trim().toLowerCase();
  const found = actions.filter((action) => action.toLowerCase().includes(wanted));
  const begins = (action: string) => Number(!action.toLowerCase().startsWith(wanted));
  return found.sort((a, b) => begins(a) - begins(b));
}

/** `connect_four` as a title: Connect Four. */
export function titleOfName(name: string): string {
  return name
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}

/** What a cell is called: `d4` where rows and columns have short names. */
export function cellName(board: BoardPicture, row: number, col: number): string {
  const rowName = board.row_labels[row];
  const colName = board.col_labels[col];
  if (rowName === undefined || colName === undefined) return `row ${row + 1}, column ${col + 1}`;
  return `${colName}${rowName}`;
}
