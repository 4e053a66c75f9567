// What the tabs of one browser share, and what they make of nonsense in its storage.
import { beforeEach, describe, expect, it, vi } from "vitest";

const kept = new Map<string, string>();
let listeners: ((event: { key: string }) => void)[] = [];

vi.stubGlobal("localStorage", {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
});
vi.stubGlobal("addEventListener", (kind: string, listener: (event: { key: string }) => void) => {
  if (kind === "storage") listeners.push(listener);
});
vi.stubGlobal("document", { documentElement: { dataset: {} } });

/** The module as a tab of its own loads it. */
async function tab() {
  vi.resetModules();
  return await import("../src/prefs");
}

beforeEach(() => {
  kept.clear();
  listeners = [];
});

describe("two tabs", () => {
  it("keep each other's games", async () => {
    const [one, two] = [await tab(), await tab()];
    one.rememberGame({ room: "a", game: "gomoku" });
    two.rememberGame({ room: "b", game: "gomoku" });
    expect((await tab()).ownGames.get().map((g) => g.room)).toEqual(["b", "a"]);
    for (const heard of listeners) heard({ key: "trireme.games" });
    expect(one.ownGames.get().map((g) => g.room)).toEqual(["b", "a"]);
  });

  it("count the result of a game once", async () => {
    const [one, two] = [await tab(), await tab()];
    for (const { keepResult } of [one, two]) keepResult("a", "gomoku", "search", "won");
    two.keepResult("b", "gomoku", "search", "won");
    expect((await tab()).scores.get()).toEqual({ gomoku: { search: { won: 2, drawn: 0, lost: 0 } } });
  });

  it("keep each other's lessons and maps", async () => {
    const [one, two] = [await tab(), await tab()];
    const map = (name: string) => ({ name }) as Parameters<typeof one.saveMap>[0];
    one.keepLesson("gomoku", "five");
    two.keepLesson("gomoku", "block");
    one.saveMap(map("Reef"));
    two.saveMap(map("Bay"));
    two.forgetMap("Bay");
    const later = await tab();
    expect(later.doneLessons.get()).toEqual({ gomoku: ["five", "block"] });
    expect(Object.keys(later.maps.get())).toEqual(["Reef"]);
  });
});

describe("storage", () => {
  it("of another shape is not read", async () => {
    kept.set("trireme.games", '{"room": 1}');
    kept.set("trireme.maps", "[1]");
    kept.set("trireme.prefs", '{"name": "Ada"}');
    kept.set("trireme.scores", "nonsense");
    const { ownGames, maps, prefs, scores } = await tab();
    expect([ownGames.get(), maps.get(), scores.get()]).toEqual([[], {}, {}]);
    expect(prefs.get()).toMatchObject({ name: "Ada", theme: "auto" });
  });

  it("that is refused leaves a page that remembers until it is closed", async () => {
    const refuse = () => {
      throw new Error("refused");
    };
    vi.stubGlobal("localStorage", { getItem: refuse, setItem: refuse });
    const { ownGames, rememberGame } = await tab();
    rememberGame({ room: "a", game: "gomoku" });
    rememberGame({ room: "b", game: "gomoku" });
    expect(ownGames.get().map((g) => g.room)).toEqual(["b", "a"]);
  });
});

describe("the plan that is drawn up", () => {
  it("is kept for one decision of one room", async () => {
    vi.stubGlobal("localStorage", { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, text: string) => void kept.set(key, text) });
    const { unsentPlan } = await tab();
    unsentPlan.keep("a", "0 3", "F-------");
    expect(unsentPlan.read("a", "0 3")).toBe("F-------");
    for (const [room, decision] of [["b", "0 3"], ["a", "1 3"], ["a", "0 4"]] as const) expect(unsentPlan.read(room, decision)).toBeNull();
    unsentPlan.keep("a", "0 3", null);
    expect(unsentPlan.read("a", "0 3")).toBeNull();
  });
});
