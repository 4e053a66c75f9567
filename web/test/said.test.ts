import { expect, test } from "vitest";
import { costsOf, isTranscript, readSaid, saidAt } from "../src/replay/said";

const line = (move: number, seat = 0) => `${JSON.stringify({ model: "m", prompt: "p", answer: `at ${move}`, move, seat })}\n`;

test("a transcript is told from a record", () => {
  expect(isTranscript(line(1))).toBe(true);
  expect(isTranscript('{"trireme":1,"game":"gomoku"}\n')).toBe(false);
  expect(isTranscript("")).toBe(false);
  expect(isTranscript("null\n")).toBe(false);
});

test("lines that are no exchanges are left out", () => {
  expect(readSaid(`${line(1)}nonsense\n{"model":1}\n${line(2)}{"mod`)).toHaveLength(2);
});

test("each move shows what was said about it, the last one also what led to a forfeit", () => {
  const said = readSaid(line(1) + line(2, 1) + line(3));
  expect(saidAt(said, 1, 2, null).map((e) => e.answer)).toEqual(["at 1"]);
  expect(saidAt(said, 2, 2, null).map((e) => e.answer)).toEqual(["at 2", "at 3"]);
  expect(saidAt(said, 2, 2, 1).map((e) => e.answer)).toEqual(["at 2"]);
  expect(saidAt(said, 0, 2, null)).toEqual([]);
});

test("costs are shown where there are any", () => {
  expect(costsOf({ model: "m", prompt: "", tokens_in: 8, tokens_out: 2, seconds: 1.25 })).toBe("8 + 2 tokens, 1.3 s");
  expect(costsOf({ model: "m", prompt: "", cost: 0.5, cached: true })).toBe("0 + 0 tokens, from the cache, $0.5000");
});
