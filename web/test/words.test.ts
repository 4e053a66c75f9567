// The room in words.
import { describe, expect, it } from "vitest";
import { gamesStore } from "../src/games/catalogue";
import { emptyRoom, type Room } from "../src/room/state";
import { outcome, statusLine, storyOf } from "../src/room/words";
import type { RoomPosition, GameResult, RoomInfo } from "../src/wire";

function room(part: Partial<RoomPosition>, seats: number[], names = ["Ada", "search"]): Room {
  const info = { game: "battleship", seats: names.map((name, seat) => ({ seat, name, kind: name === "search" ? "agent" : "person", online: true })) };
  const position = { version: 1, status: "playing", moves: 1, to_move: [0], ready: [], seat_names: ["black", "white"], seats: {}, spectator: null, picture: null, clock: null, offers: [], result: null, ...part };
  return { ...emptyRoom("r"), info: info as unknown as RoomInfo, position: position as RoomPosition, seats };
}
const result = (winners: number[], part: Partial<GameResult> = {}): GameResult => ({ returns: [1, -1], winners, forfeits: [], ...part });

describe("the status", () => {
  it("says whose turn it is, from where one sits", () => {
    expect(statusLine(room({}, [0]))).toBe("Your turn");
    expect(statusLine(room({ to_move: [1] }, [0]))).toBe("Search is thinking");
    expect(statusLine(room({}, [1]))).toBe("Waiting for Ada");
    expect(statusLine(room({}, [0, 1]))).toBe("Black to move");
  });

  it("gives no person the name of an opponent", () => {
    gamesStore.set([{ name: "battleship", opponents: [{ spec: "search", name: "The Pythia" }] }] as never);
    expect(statusLine(room({ to_move: [1] }, [0]))).toBe("The Pythia is thinking");
    const posing = room({ to_move: [1] }, [0]);
    posing.info!.seats[1]!.kind = "person";
    expect(statusLine(posing)).toBe("Waiting for search");
    gamesStore.set([]);
  });

  it("says who won, and how", () => {
    expect(outcome(room({ result: result([0]) }, [0]))).toBe("You won");
    expect(outcome(room({ result: result([0]) }, [1]))).toBe("You lost");
    expect(outcome(room({ result: result([1]) }, [0, 1]))).toBe("White won");
    expect(outcome(room({ result: result([0, 1]) }, []))).toBe("Drawn");
    const forfeits = [{ seat: 0, reason: "resigned", detail: "" }];
    expect(outcome(room({ result: result([1], { forfeits }) }, [0]))).toBe("You lost: you resigned");
    const four = { seat_names: ["a", "b", "c", "d"], result: result([1, 3], { returns: [-1, 1, -1, 1] }) };
    expect([0, 1, 2, 3].map((seat) => outcome(room(four, [seat])))).toEqual(["You lost", "You won", "You lost", "You won"]);
    expect(outcome(room(four, [0, 1, 2, 3]))).toBe("B and d won");
    expect(outcome(room({ ...four, result: result([0, 1, 2, 3], { returns: [0, 0, 0, 0] }) }, [0]))).toBe("Drawn");
    const alone = room({ seat_names: ["player"], result: { returns: [-41], winners: [], forfeits: [] } }, [0], ["Ada"]);
    expect(outcome(alone)).toBe("Finished with 41 shots");
  });
});

describe("the story", () => {
  const moved = (text: string) => ({ kind: "moved" as const, move: 1, actions: [], story: [text], ts: "" });

  it("names players where the game has no names for seats", () => {
    const part = { seat_names: ["first player", "second player"] };
    expect(storyOf(moved("second player: B7: miss"), room(part, [0]))).toEqual(["Search: B7: miss"]);
    expect(storyOf(moved("first player has placed its fleet"), room(part, [0]))).toEqual(["You have placed your fleet"]);
    const twins = room(part, [], ["search", "search"]);
    expect(storyOf(moved("second player: B7: miss"), twins)).toEqual(["Second player: B7: miss"]);
    const four = { seat_names: ["a", "b", "c", "d"], result: result([1, 3], { returns: [-1, 1, -1, 1] }) };
    expect([0, 1, 2, 3].map((seat) => outcome(room(four, [seat])))).toEqual(["You lost", "You won", "You lost", "You won"]);
    expect(outcome(room(four, [0, 1, 2, 3]))).toBe("B and d won");
    expect(outcome(room({ ...four, result: result([0, 1, 2, 3], { returns: [0, 0, 0, 0] }) }, [0]))).toBe("Drawn");
    const alone = room({ seat_names: ["player"] }, [0], ["Ada"]);
    expect(storyOf(moved("player: B7: miss"), alone)).toEqual(["You: B7: miss"]);
    expect(storyOf(moved("black: h8"), room({}, [0]))).toEqual(["Black: h8"]);
  });

  it("calls people without a name by their seat", () => {
    const nameless = room({}, [0], ["", ""]);
    expect(storyOf({ kind: "sat", seat: 1, name: "" }, nameless)).toEqual(["White joined."]);
    expect(storyOf({ kind: "offered", offer: { kind: "undo", seat: 1 } }, nameless)).toEqual(["White asks to undo a move."]);
  });

  it("says who undid moves", () => {
    const nameless = room({}, [0], ["", "search"]);
    expect(storyOf({ kind: "taken_back", seat: 0, count: 2 } as never, nameless)).toEqual(["You undid 2 moves."]);
    expect(storyOf({ kind: "taken_back", seat: 1, count: 1 } as never, room({}, [0], ["", "Bo"]))).toEqual(["Bo undid a move."]);
  });

  it("does not tell that a program is ready", () => {
    expect(storyOf({ kind: "ready", seat: 1 }, room({}, [0]))).toEqual([]);
    expect(storyOf({ kind: "ready", seat: 0 }, room({}, [1]))).toEqual(["Ada is ready."]);
  });
});
