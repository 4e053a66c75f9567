import { expect, test } from "vitest";
import { accuracyText, amountText, costText } from "../src/replay/review";
import type { ReviewedMoveInfo } from "../src/wire";

const move = (change: Partial<ReviewedMoveInfo>): ReviewedMoveInfo => ({
  move: 3,
  seat: 0,
  played: "h8",
  best: "i9",
  cost: 0.25,
  random_cost: 0.5,
  accuracy: 50,
  value: 0.6,
  luck: null,
  note: "",
  exact: false,
  missed: [],
  allowed: [],
  verified: false,
  ...change,
});
const same = (action: string) => action;

test("amounts are written in the unit of the review", () => {
  expect(amountText({ unit: "winning chance" }, 0.125)).toBe("12.5 %");
  expect(amountText({ unit: "shots" }, 0.125)).toBe("0.13 shots");
});

test("an accuracy is a percentage, or a dash where nothing was at stake", () => {
  expect(accuracyText({ accuracy: 97.25 })).toBe("97.3 %");
  expect(accuracyText({ accuracy: null })).toBe("–");
});

test("a decision says what was better, what it cost and why", () => {
  const chance = { unit: "winning chance" };
  expect(costText(chance, move({}), same)).toBe("h8 costs 25.0 %; better: i9");
  expect(costText(chance, move({ cost: 0 }), same)).toBe("h8 costs nothing");
  const missed = move({ note: "misses a forced win", missed: ["i9", "j9"], allowed: ["a1"] });
  expect(costText(chance, missed, (a) => a.toUpperCase())).toBe(
    "H8 costs 25.0 %; better: I9 (misses a forced win; the win: I9 J9; the answer: A1; found by search, not verified)",
  );
  expect(costText(chance, move({ allowed: ["a1"], verified: true }), same)).toContain("(the answer: a1; verified)");
});
