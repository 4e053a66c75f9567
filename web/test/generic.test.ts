// Any game: which action a cell stands for, and the form of its settings.
import { describe, expect, it } from "vitest";
import { MODULES, moduleOf, scoreOf, titleOf } from "../src/games";
import { actionsBesideBoard, actionsByCell, cellName, matching } from "../src/games/generic/actions";
import { read } from "../src/games/generic/setup";
import { chairs } from "../src/home/lobby";
import type { BoardPicture, GameInfo } from "../src/wire";

const cell = { piece: null, symbol: "", marked: false, label: "" };
const board: BoardPicture = {
  cells: [
    [cell, cell],
    [cell, cell],
  ],
  actions: { a: [[0, 0], [1, 0]], b: [[0, 1], [1, 1]], "b+": [[0, 1]] },
  row_labels: ["2", "1"],
  col_labels: ["a", "b"],
};

describe("a board", () => {
  it("has the legal actions in their cells, and no others", () => {
    const found = actionsByCell(board, ["b", "b+", "pass"]);
    expect(found.get("0,1")).toEqual(["b", "b+"]);
    expect(found.get("1,1")).toEqual(["b"]);
    expect(found.has("0,0")).toBe(false);
  });

  it("leaves buttons for actions that have no cell", () => {
    expect(actionsBesideBoard(board, ["a", "pass"])).toEqual(["pass"]);
    expect(actionsBesideBoard(null, ["a", "pass"])).toEqual(["a", "pass"]);
  });

  it("names cells by its labels, else by numbers", () => {
    expect(cellName(board, 0, 1)).toBe("b2");
    expect(cellName({ ...board, row_labels: [] }, 0, 1)).toBe("row 1, column 2");
  });
});

it("finds actions by any part of them, beginnings first", () => {
  expect(matching(["xe2", "e2e4", "d4"], " E2")).toEqual(["e2e4", "xe2"]);
  expect(matching(["b", "a"], "")).toEqual(["b", "a"]);
});

it("reads settings as JSON where they are that", () => {
  expect([read("7"), read("true"), read("swap2"), read("[1,2]")]).toEqual([7, true, "swap2", [1, 2]]);
});

describe("a game that this client has no module for", () => {
  const info = { name: "connect_four", summary: "four in a row", versus: null, opponent: "alphabeta" } as GameInfo;

  it("is drawn by the generic module, in its own words", () => {
    const module = moduleOf("connect_four", info);
    expect([module.title, module.pitch]).toEqual(["Connect Four", "Four in a row."]);
    expect(titleOf("connect_four")).toBe("Connect Four");
    expect(module.Play).toBe(moduleOf("other", undefined).Play);
    expect(MODULES).not.toHaveProperty("connect_four");
  });

  it("counts points where it is played alone", () => {
    expect(scoreOf("solitaire", 12)).toBe("12 points");
    expect(scoreOf("battleship", -41)).toBe("41 shots");
  });
});

describe("the seats of a new room", () => {
  const agent = { kind: "agent", agent: "x" };
  it("fit the mode and the number of players", () => {
    expect(chairs("agent", 2, 1, "x", "y")).toEqual([agent, { kind: "me" }]);
    expect(chairs("agent", 3, 0, "x", "y")).toEqual([{ kind: "me" }, agent, agent]);
    expect(chairs("friend", 2, 0, "x", "y")).toEqual([{ kind: "me" }, { kind: "open" }]);
    expect(chairs("hotseat", 2, 0, "x", "y")).toEqual([{ kind: "me" }, { kind: "me" }]);
    expect(chairs("watch", 2, 0, "x", "y")).toEqual([agent, { kind: "agent", agent: "y" }]);
    const other = { kind: "agent", agent: "y" };
    expect(chairs("watch", 4, 0, "x", "y")).toEqual([agent, other, other, other]);
    expect(chairs("watch", 4, 0, "x", "y", true)).toEqual([agent, other, agent, other]);
    expect(chairs("watch", 1, 0, "x", "y")).toEqual([agent]);
    expect(chairs("alone", 2, 0, "x", "y")).toEqual([{ kind: "me" }]);
  });
});
