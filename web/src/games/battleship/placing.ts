// A fleet in the making: pieces that are moved and turned, always inside the board.
import { type Board, type Cell, cellName, type Ends, readFleet, writeFleet } from "./sea";

export interface Piece {
  name: string;
  size: number;
  row: number;
  col: number;
  down: boolean;
  mine: boolean;
}

export function endsOf({ row, col, size, down }: Piece): Ends {
  return [
    [row, col],
    down ? [row + size - 1, col] : [row, col + size - 1],
  ];
}

/** The pieces of a fleet's text, named in the order of the board. */
export function piecesOf(board: Board, text: string): Piece[] {
  const { ships, mines } = readFleet(text);
  const size = ([a, b]: Ends) => Math.max(b[0] - a[0], b[1] - a[1]) + 1;
  const sorted = [...ships].sort((a, b) => size(b) - size(a));
  return [
    ...sorted.map((ends, i) => ({
      name: board.names[i] ?? "ship",
      size: size(ends),
      row: ends[0][0],
      col: ends[0][1],
      down: ends[1][0] > ends[0][0],
      mine: false,
    })),
    ...mines.map(([row, col], i) => ({ name: `mine ${i + 1}`, size: 1, row, col, down: false, mine: true })),
  ];
}

export function textOf(pieces: Piece[]): string {
  const mines = pieces.filter((p) => p.mine).map((p): Cell => [p.row, p.col]);
  return writeFleet(pieces.filter((p) => !p.mine).map(endsOf), mines);
}

/** The piece at a place, pushed inside the board where it would stick out. */
export function placed(board: Board, piece: Piece, row: number, col: number, down = piece.down): Piece {
  const lastRow = board.rows - (down ? piece.size : 1);
  const lastCol = board.cols - (down ? 1 : piece.size);
  const clamp = (value: number, most: number) => Math.max(0, Math.min(most, value));
  return { ...piece, down, row: clamp(row, lastRow), col: clamp(col, lastCol) };
}

/** The piece turned about the cell by which it is held. */
export function turned(board: Board, piece: Piece, held = 0): Piece {
  const row = piece.down ? piece.row + held : piece.row - held;
  const col = piece.down ? piece.col - held : piece.col + held;
  return placed(board, piece, row, col, !piece.down);
}

/** Whether the server's complaint names this ship. */
export function isNamed(piece: Piece, problem: string | null): boolean {
  if (!problem) return false;
  const [a, b] = endsOf(piece);
  const own = piece.mine ? cellName(a) : `${cellName(a)}-${cellName(b)}`;
  const named: string[] = problem.match(/[A-L]\d+(-[A-L]\d+)?/g) ?? [];
  return named.includes(own);
}

export function describePiece(piece: Piece): string {
  const [a, b] = endsOf(piece);
  if (piece.mine) return `${piece.name} at ${cellName(a)}. Arrow keys move it.`;
  return `${piece.name}, ${cellName(a)} to ${cellName(b)}. Arrow keys move it, R turns it.`;
}
