// Drawing maps, and replay's stops.
import { describe, expect, it } from "vitest";
import { emptyMap, idOf, resized, sideOf, use, useFairly, whatIsAt } from "../src/editor/draw";
import { nextAction, seatToJudge, stopAt, stopsOf } from "../src/replay/timeline";
import { readSpec, writeSpec } from "../src/home/agents";
import type { GameReplay } from "../src/wire";

describe("the editor", () => {
  const sea = emptyMap(8, 8);

  it("puts one thing on a tile, the newest", () => {
    const drawn = use(use(sea, "rock large", 4, 4), "wind E", 4, 4);
    expect(drawn.rocks).toEqual([]);
    expect(whatIsAt(drawn, 4, 4)).toBe("wind E");
  });

  it("keeps a whirlpool inside and clears what it covers", () => {
    const drawn = use(use(sea, "rock small", 6, 6), "whirlpool clockwise", 7, 7);
    expect(drawn.hazards).toEqual([{ kind: "whirlpool", x: 6, y: 6, way: "clockwise" }]);
    expect(drawn.rocks).toEqual([]);
    expect(use(drawn, "erase", 7, 7).hazards).toEqual([]);
  });

  it("draws fairly: each thing and its image under a half turn", () => {
    const drawn = useFairly(sea, "wind N", 1, 2);
    expect(drawn.hazards).toEqual([
      { kind: "wind", x: 1, y: 2, way: "N" },
      { kind: "wind", x: 6, y: 5, way: "S" },
    ]);
    const pools = useFairly(sea, "whirlpool clockwise", 0, 0).hazards!;
    expect(pools.map((h) => [h.x, h.y])).toEqual([[0, 0], [6, 6]]);
  });

  it("turns a spawn that is put on its place again", () => {
    const placed = use(sea, "spawn 0", 3, 3);
    expect(use(placed, "spawn 0", 3, 3).spawns[0]).toEqual({ x: 3, y: 3, facing: "S" });
  });

  it("has sides that can be drawn, whatever is typed", () => {
    expect(["3", "26", "10.4", "1e9", "-5", "2", "", "x"].map(sideOf)).toEqual([3, 26, 10, 26, 3, 3, 24, 24]);
  });

  it("keeps what fits when its sides change", () => {
    const drawn = use(use(use(emptyMap(24, 24), "rock small", 20, 2), "rock small", 4, 2), "whirlpool clockwise", 9, 9);
    const small = resized(drawn, 10, 24);
    expect([small.width, small.height]).toEqual([10, 24]);
    expect(small.rocks).toEqual([{ x: 4, y: 2, size: "small" }]);
    expect(small.hazards).toEqual([]);
    expect(small.spawns.map((s) => s.x)).toEqual([2, 9]);
    expect(resized(drawn, 24, 24)).toEqual(drawn);
    expect(resized(drawn, 24, 3).spawns.map((s) => s.y)).toEqual([2, 2]);
  });

  it("makes an id of any name", () => {
    expect(idOf("My  Sea, 2!")).toBe("my-sea-2");
    expect(idOf("海")).toBe("custom");
  });
});

describe("a replay", () => {
  const frame = (move: number, phases: number, to_move = [0, 1]) => ({
    move, moved: move ? { kind: "moved", move, actions: [{ seat: 0, name: "", action: `m${move}` }], story: [], ts: "" } : null,
    to_move, seat_names: ["a", "b"], views: { 0: { log: Array.from({ length: phases }) } },
  });
  const replay = { frames: [frame(0, 0), frame(1, 4), frame(2, 2, [])] } as unknown as GameReplay;

  it("stops at every phase", () => {
    const stops = stopsOf(replay);
    expect(stops).toHaveLength(7);
    expect(stops[stopAt(stops, 1, 3)]).toEqual({ turn: 1, phase: 3 });
    expect(stops[stopAt(stops, null, null)]).toEqual({ turn: 2, phase: 2 });
    expect(stops[stopAt(stops, 99, null)]).toEqual({ turn: 2, phase: 2 });
  });

  it("asks a seat that is to move, and compares with what it did", () => {
    expect(seatToJudge(replay.frames[0]!, 1)).toBe(1);
    expect(seatToJudge(replay.frames[2]!, 1)).toBeNull();
    expect(nextAction(replay, 0, 0)).toBe("m1");
  });
});

describe("an agent's spec", () => {
  it("is taken apart and put together", () => {
    const { name, options } = readSpec("search:depth=8,seconds=0.5");
    expect([name, options]).toEqual(["search", { depth: "8", seconds: "0.5" }]);
    expect(writeSpec(name, options)).toBe("search:depth=8,seconds=0.5");
    expect(writeSpec("random", {})).toBe("random");
  });
});
