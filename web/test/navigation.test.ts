// Plans that clicks make, and a turn's log as motion.
import { describe, expect, it } from "vitest";
import { cycleMove, cycleSide, readPlan, REST, type ShipRow, writePlan } from "../src/games/navigation/plan";
import { nearestEnemy } from "../src/games/navigation/play";
import { inSight, momentAt, shortest, stillMoment, trackOf } from "../src/games/navigation/playback";
import { shipsFor } from "../src/games/navigation/setup";
import type { NavigationPhaseEntry } from "../src/wire";

const brig: ShipRow = { name: "war_brig", label: "War brig", hp: 20, range: 3, cannonball: "medium", shots: 2, grapple_range: 1 };
const sloop: ShipRow = { ...brig, name: "sloop", shots: 1 };

describe("a plan", () => {
  it("is read and written alike", () => {
    for (const text of ["FpL-Rs1-h", "--------", "FgFhLpRs"]) expect(writePlan(readPlan(text, brig), brig)).toBe(text);
  });

  it("cycles the move: none, forward, left, right, none", () => {
    const moves = [1, 2, 3, 4].map((n) => Array.from({ length: n }).reduce<typeof REST>((o) => cycleMove(o), REST).move);
    expect(moves).toEqual(["forward", "turn_left", "turn_right", "none"]);
  });

  it("cycles a side: one shot, two where the ship has them, grapple, none", () => {
    const cycle = (ship: ShipRow, n: number) => Array.from({ length: n }).reduce<typeof REST>((o) => cycleSide(o, "port", ship), REST);
    expect([1, 2, 3, 4].map((n) => writePlan([cycle(brig, n)], brig))).toEqual(["-p1", "-p", "-g", "--"]);
    expect([1, 2, 3].map((n) => writePlan([cycle(sloop, n)], sloop))).toEqual(["-p", "-g", "--"]);
  });

  it("clears one side when the other is chosen", () => {
    const port = cycleSide(REST, "port", brig);
    expect(writePlan([cycleSide(port, "starboard", brig)], brig)).toBe("-s1");
  });
});

function phase(part: Partial<NavigationPhaseEntry>): NavigationPhaseEntry {
  const here = { x: 5, y: 5, facing: "N" };
  const there = { x: 9, y: 5, facing: "N" };
  const rest = { move: "none", action: "none", shots: null };
  return {
    turn: 1, phase: 1, orders: [rest, rest], start: [here, there], moved: [here, there], blocked: [null, null],
    hazards: [null, null], drifted: [here, there], events: [], hp: [16, 20], verdict: null, ...part,
  };
}

describe("playback", () => {
  const there = { x: 9, y: 5, facing: "N" };

  it("follows the curve of a turn and ends with the bow the new way", () => {
    const end = { x: 6, y: 4, facing: "E" };
    const log = [phase({ moved: [end, there], drifted: [end, there] })];
    const half = momentAt(log, 0.21, [16, 20]).ships[0]!;
    expect(half.heading).toBeCloseTo(45);
    expect(half.bank).toBeCloseTo(1);
    expect(half.y).toBeCloseTo(4.25);
    expect(momentAt(log, 0.99, [16, 20]).ships[0]).toMatchObject({ x: 6, y: 4, heading: 90, bank: 0 });
    expect(trackOf(log, 0)).toBe("M5.5 5.5Q5.5 4.5 6.5 4.5");
  });

  it("bumps a ship that is stopped, and brings it back", () => {
    const log = [phase({ blocked: ["rock", null], orders: [{ move: "forward", action: "none", shots: null }, { move: "none", action: "none", shots: null }] })];
    expect(momentAt(log, 0.21, [16, 20]).ships[0]!.y).toBeLessThan(4.8);
    expect(momentAt(log, 0.5, [16, 20]).ships[0]!.y).toBe(5);
  });

  it("carries a ship half round a whirlpool", () => {
    const end = { x: 6, y: 6, facing: "E" };
    const log = [phase({ hazards: ["whirlpool", null], drifted: [end, there] })];
    const half = momentAt(log, 0.49, [16, 20]).ships[0]!;
    expect(Math.hypot(half.x - 5.5, half.y - 5.5)).toBeCloseTo(Math.SQRT1_2);
  });

  it("shows damage when the ball arrives, not before", () => {
    const shot = { kind: "shot", seat: 0, side: "starboard", shots: 2, target: 1, damage: 4, x: 9, y: 5 };
    const log = [phase({ events: [shot], hp: [16, 16] })];
    const early = momentAt(log, 0.6, [16, 20]);
    expect(early.ships[1]!.hp).toBe(20);
    expect(early.flights[0]).toMatchObject({ kind: "ball", seat: 0, hits: true });
    expect(momentAt(log, 0.9, [16, 20]).ships[1]!.hp).toBe(16);
  });

  it("turns the short way", () => {
    expect(shortest(270, 0)).toBe(90);
    expect(shortest(0, 270)).toBe(-90);
  });

  it("leaves ships where they lie when nothing moves", () => {
    const ship = { id: 0, type: "cutter", label: "Cutter", x: 2, y: 3, facing: "S", hp: 16, max_hp: 16, alive: true };
    expect(stillMoment([ship, { ...ship, id: 1, alive: false }]).ships.map((s) => s.sunk)).toEqual([0, 1]);
  });
});

describe("several ships a side", () => {
  const ship = (id: number, x: number, alive = true) => ({ id, type: "cutter", label: "Cutter", x, y: 3, facing: "S", hp: alive ? 9 : 0, max_hp: 16, alive });

  it("keeps the ships that are chosen, and gives both sides the same beyond", () => {
    expect(shipsFor(4, ["sloop", "dhow"])).toEqual(["sloop", "dhow", "cutter", "cutter"]);
    expect(shipsFor(6, ["sloop", "dhow", "sloop", "dhow"])).toEqual(["sloop", "dhow", "sloop", "dhow", "dhow", "dhow"]);
    expect(shipsFor(2, ["sloop", "dhow", "sloop", "dhow"])).toEqual(["sloop", "dhow"]);
  });

  it("finds the nearest enemy that is afloat", () => {
    const ships = [ship(0, 5), ship(1, 6, false), ship(2, 4), ship(3, 9)];
    expect(nearestEnemy(ships, 0)).toBe(3);
    expect(nearestEnemy(ships, 3)).toBe(0);
    expect(nearestEnemy([ship(0, 5), ship(1, 6, false), ship(2, 4), ship(3, 9, false)], 0)).toBe(1);
  });

  it("looks at ships that are afloat, and at all once none is", () => {
    const { ships } = stillMoment([ship(0, 1), ship(1, 2, false), ship(2, 3), ship(3, 4)]);
    expect(inSight(ships).map((s) => s.x)).toEqual([1, 3, 4]);
    expect(inSight(stillMoment([ship(0, 1, false), ship(1, 2, false)]).ships)).toHaveLength(2);
  });
});
