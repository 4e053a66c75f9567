// The pure parts of what newcomers see: windows of a zoomed chart, clocks, plans in words.
import { describe, expect, it, vi } from "vitest";
import { callPlayers } from "../src/games/opponents";
import { planWords } from "../src/games/navigation/plan";
import { lookAt, windowOf, zoomed } from "../src/games/navigation/zoom";
import { clockOf } from "../src/home/clock";
import { summaryOf } from "../src/learn/page";
import { clockWords } from "../src/room/words";
import { parseRoute } from "../src/route";

describe("a zoomed chart", () => {
  it("shows everything at first", () => {
    const window = windowOf({ x: 12, y: 12, zoom: 1 }, 24, 24);
    expect(window.x).toBeCloseTo(-1.05);
    expect(window.width).toBeCloseTo(26.1);
  });

  it("stays inside the chart", () => {
    const window = windowOf({ x: 0, y: 30, zoom: 2 }, 24, 24);
    expect(window.x).toBeCloseTo(-1.05);
    expect(window.y + window.height).toBeCloseTo(25.05);
  });

  it("keeps the point under the pointer where it is", () => {
    const look = { x: 12, y: 12, zoom: 2 };
    const at = { x: 15, y: 9 };
    const next = zoomed(look, 1.5, at);
    const share = (l: typeof look) => {
      const w = windowOf(l, 24, 24);
      return [(at.x - w.x) / w.width, (at.y - w.y) / w.height];
    };
    expect(next.zoom).toBe(3);
    expect(share(next)[0]).toBeCloseTo(share(look)[0]!);
    expect(share(next)[1]).toBeCloseTo(share(look)[1]!);
  });

  it("never zooms out beyond the whole", () => {
    expect(zoomed({ x: 3, y: 3, zoom: 1.2 }, 0.1, { x: 3, y: 3 }).zoom).toBe(1);
  });

  it("has both ships in sight when it follows them", () => {
    const ships = [
      { x: 4, y: 4 },
      { x: 8, y: 6 },
    ];
    const window = windowOf(lookAt(ships, 24, 24), 24, 24);
    for (const ship of ships) {
      expect(ship.x).toBeGreaterThan(window.x);
      expect(ship.x + 1).toBeLessThan(window.x + window.width);
      expect(ship.y).toBeGreaterThan(window.y);
    }
    expect(window.width).toBeLessThan(13);
  });
});

describe("words", () => {
  it("tells of a lesson in as few sentences as say something", () => {
    expect(summaryOf("You are black. Four of your stones lie in a row: close it. Then go on.")).toBe("You are black. Four of your stones lie in a row.");
    expect(summaryOf("White threatens to make five. Block it.")).toBe("White threatens to make five.");
    expect(summaryOf("Sail.")).toBe("Sail.");
  });

  it("says a plan as people do", () => {
    expect(planWords("FpL--hRs1")).toBe("forward and fire to port, turn left, grapple to starboard, turn right and fire to starboard");
  });

  it("says a clock as people do", () => {
    expect(clockWords({ clock: null, increment: null })).toBe("none");
    expect(clockWords({ clock: 30, increment: null })).toBe("30 seconds for each move");
    expect(clockWords({ clock: 180, increment: 2 })).toBe("3 minutes each for the game, and 2 seconds for each move");
  });

  it("turns a choice of clock into what the server takes", () => {
    expect(clockOf("none")).toEqual({ clock: "none" });
    expect(clockOf("move")).toEqual({ clock: 30 });
    expect(clockOf("3+2")).toEqual({ clock: 180, increment: 2 });
  });
});

it("knows the page of lessons", () => {
  expect(parseRoute("/learn/gomoku")).toEqual({ page: "learn", game: "gomoku" });
  expect(parseRoute("/learn")).toEqual({ page: "learn", game: null });
});

describe("players without a name", () => {
  const keep = (tokens: Record<string, string>) =>
    vi.stubGlobal("localStorage", { getItem: (key: string) => (key === "trireme.tokens" ? JSON.stringify(tokens) : null) });

  it("are you where you played, and numbered elsewhere", () => {
    keep({ mine: "secret" });
    expect(callPlayers("gomoku", ["player 1", "search"], "mine")).toEqual(["you", "search"]);
    expect(callPlayers("gomoku", ["player 1", "search"], "theirs")).toEqual(["Player 1", "search"]);
    expect(callPlayers("gomoku", ["player 1", "player 2"], "mine")).toEqual(["Player 1", "Player 2"]);
    expect(callPlayers("gomoku", ["Ada", ""], null)).toEqual(["Ada", "Guest"]);
  });
});
