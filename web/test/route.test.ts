// Addresses.
import { describe, expect, it } from "vitest";
import { parseRoute, positionLink } from "../src/route";

describe("addresses", () => {
  it("name pages", () => {
    expect(parseRoute("/")).toEqual({ page: "home" });
    expect(parseRoute("/new/gomoku")).toEqual({ page: "new", game: "gomoku" });
    expect(parseRoute("/room/abc")).toEqual({ page: "room", room: "abc" });
    expect(parseRoute("/maps")).toEqual({ page: "maps", name: null });
    expect(parseRoute("/nowhere")).toEqual({ page: "lost" });
    expect(parseRoute("/maps/a%20b")).toEqual({ page: "maps", name: "a b" });
  });

  it("that are no text lead to the page for what is not there", () => {
    for (const path of ["/%E0%A4%A", "/room/%", "/new/%ff"]) expect(parseRoute(path)).toEqual({ page: "lost" });
  });

  it("link to a position", () => {
    expect(positionLink("abc", 7, 2)).toBe("/replay/abc?turn=7&phase=2");
    expect(parseRoute("/replay/abc", "?turn=7&phase=2")).toEqual({ page: "replay", room: "abc", turn: 7, phase: 2 });
    expect(parseRoute("/replay/abc", "?turn=-1&phase=x")).toEqual({ page: "replay", room: "abc", turn: null, phase: null });
  });
});
