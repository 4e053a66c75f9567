// Fleets as text, marks on the chart, and ships that are moved and turned.
import { describe, expect, it } from "vitest";
import { describePiece, isNamed, piecesOf, placed, textOf, turned } from "../src/games/battleship/placing";
import { type Board, marksOf, readFleet, sunkCells, writeFleet } from "../src/games/battleship/sea";

const board: Board = { rows: 6, cols: 6, sizes: [3, 2], names: ["cruiser", "destroyer"] };

describe("battleship", () => {
  it("reads a fleet and writes it back", () => {
    const text = "A1-A3 C5-D5 *F6";
    const { ships, mines } = readFleet(text);
    expect(writeFleet(ships, mines)).toBe(text);
  });

  it("marks the cells of a sunk ship that are certain", () => {
    const shots = [
      { cell: [0, 0], result: "hit", ship: "" },
      { cell: [0, 1], result: "sunk", ship: "destroyer" },
      { cell: [3, 3], result: "miss", ship: "" },
    ] as const;
    const sea = { fleet: null, shots: shots.map((s) => ({ ...s, cell: [...s.cell] as [number, number] })), afloat: ["cruiser"] };
    expect([...marksOf(board, sea)]).toEqual([["A1", "sunk"], ["A2", "sunk"], ["D4", "miss"]]);
  });

  it("leaves open what could be either way", () => {
    const hits = [[0, 1], [1, 0], [1, 1]] as const;
    const shots = hits.map((cell, i) => ({ cell: [...cell] as [number, number], result: i === 2 ? ("sunk" as const) : ("hit" as const), ship: i === 2 ? "destroyer" : "" }));
    expect(sunkCells(board, { fleet: null, shots, afloat: ["cruiser"] })).toEqual([[1, 1]]);
  });

  it("keeps a dragged ship inside the board", () => {
    const [cruiser] = piecesOf(board, "A1-A3 C5-D5");
    expect(placed(board, cruiser!, 9, 9)).toMatchObject({ row: 5, col: 3 });
    expect(placed(board, cruiser!, -2, -2)).toMatchObject({ row: 0, col: 0 });
  });

  it("turns a ship about the cell that is held, and back again", () => {
    const [cruiser] = piecesOf(board, "C2-C4");
    const down = turned(board, cruiser!, 1);
    expect(textOf([down])).toBe("B3-D3");
    expect(textOf([turned(board, down, 1)])).toBe("C2-C4");
  });

  it("points at the ships that the server complains of", () => {
    const pieces = piecesOf(board, "A1-A3 B1-B2");
    const problem = "the ships A1-A3 and B1-B2 touch; leave a cell of water between them";
    expect(pieces.map((p) => isNamed(p, problem))).toEqual([true, true]);
    expect(pieces.some((p) => isNamed(p, "the ships A1-A5 and C1-C2 touch"))).toBe(false);
    expect(describePiece(pieces[0]!)).toContain("A1 to A3");
  });
});
