// Placing a fleet: drag ships, tap or press R to turn them, or let chance place them.
import { useRef, useState } from "preact/hooks";
import { say } from "../../announce";
import { hull } from "./sea";
import type { Board } from "./sea";
import { SeaFrame } from "./board";
import { describePiece, endsOf, isNamed, type Piece, placed, turned } from "./placing";

export interface PlaceProps {
  board: Board;
  pieces: Piece[];
  problem: string | null;
  change: (pieces: Piece[]) => void;
}

interface Drag {
  index: number;
  /** Which cell of the ship the pointer holds. */
  held: number;
  moved: boolean;
}

export function PlaceFleet({ board, pieces, problem, change }: PlaceProps) {
  const area = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);

  const replace = (index: number, piece: Piece) => change(pieces.map((p, i) => (i === index ? piece : p)));

  function cellAt(event: PointerEvent): [number, number] {
    const box = area.current!.getBoundingClientRect();
    return [
      Math.floor(((event.clientY - box.top) / box.height) * board.rows),
      Math.floor(((event.clientX - box.left) / box.width) * board.cols),
    ];
  }
  function grab(event: PointerEvent, index: number) {
    const piece = pieces[index]!;
    const [row, col] = cellAt(event);
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    setDrag({ index, held: piece.down ? row - piece.row : col - piece.col, moved: false });
  }
  function pull(event: PointerEvent) {
    if (!drag) return;
    const piece = pieces[drag.index]!;
    const [row, col] = cellAt(event);
    const next = placed(board, piece, row - (piece.down ? drag.held : 0), col - (piece.down ? 0 : drag.held));
    if (next.row === piece.row && next.col === piece.col) return;
    setDrag({ ...drag, moved: true });
    replace(drag.index, next);
  }
  function drop() {
    if (drag && !drag.moved && !pieces[drag.index]!.mine) {
      replace(drag.index, turned(board, pieces[drag.index]!, drag.held));
    }
    setDrag(null);
  }
  function onKeyDown(event: KeyboardEvent, index: number) {
    const piece = pieces[index]!;
    const steps: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const step = steps[event.key];
    const turns = !piece.mine && /^[rR ]$|^Enter$/.test(event.key);
    if (!step && !turns) return;
    event.preventDefault();
    const next = step ? placed(board, piece, piece.row + step[0], piece.col + step[1]) : turned(board, piece);
    replace(index, next);
    say(describePiece(next));
  }
  const handles = (
    <div class="pieces" ref={area}>
      {pieces.map((piece, index) => (
        <button
          key={piece.name}
          type="button"
          class={`piece ${drag?.index === index ? "held" : ""}`}
          aria-label={describePiece(piece)}
          style={boxOf(board, piece)}
          onPointerDown={(event) => grab(event, index)}
          onPointerMove={pull}
          onPointerUp={drop}
          onPointerCancel={() => setDrag(null)}
          onKeyDown={(event) => onKeyDown(event, index)}
        />
      ))}
    </div>
  );
  return (
    <SeaFrame board={board} label="Your board: place your fleet" class="placing" over={handles}>
      {pieces.map((piece, index) => {
        const wrong = isNamed(piece, problem) ? "wrong" : "";
        const held = drag?.index === index ? "held" : "";
        if (!piece.mine) return <path class={`hull ${wrong} ${held}`} d={hull(endsOf(piece))} />;
        return <circle class={`mine-piece ${wrong}`} cx={piece.col + 0.5} cy={piece.row + 0.5} r={0.24} />;
      })}
    </SeaFrame>
  );
}

function boxOf(board: Board, piece: Piece) {
  const [, [lastRow, lastCol]] = endsOf(piece);
  return {
    left: `${(100 * piece.col) / board.cols}%`,
    top: `${(100 * piece.row) / board.rows}%`,
    width: `${(100 * (lastCol - piece.col + 1)) / board.cols}%`,
    height: `${(100 * (lastRow - piece.row + 1)) / board.rows}%`,
  };
}
