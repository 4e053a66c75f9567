// What messages make of a room: gaps, reconnecting, resending, questions that went stale.
import { describe, expect, it } from "vitest";
import { emptyRoom, receive, resends, type Room, secondsLeft, secondsOf, seatShown, sending } from "../src/room/state";
import { clockText } from "../src/room/players";
import type { RoomPosition, RoomInfo, ServerMessage } from "../src/wire";

const info = { room: "r", game: "gomoku", seats: [], settings: {} } as unknown as RoomInfo;

function position(version: number, moves = version): RoomPosition {
  return { version, moves, status: "playing", to_move: [0], ready: [], seat_names: ["black", "white"], seats: {}, spectator: null, picture: null, clock: null, offers: [], result: null, lesson: null, puzzle: null };
}
function welcome(version: number, events: unknown[] = []): ServerMessage {
  return { type: "welcome", protocol: 1, room: info, scene: {}, seats: [0], position: position(version), events } as ServerMessage;
}
function update(since: number, version: number): ServerMessage {
  return { type: "update", since, events: [{ kind: "started" }], position: position(version) } as ServerMessage;
}
const heard = (room: Room, ...messages: ServerMessage[]) => messages.reduce((r, m) => receive(r, m, 0).room, room);

const clock = { seconds: 30, increment: null, left: 30, running: false, seats: { 0: 30 } };

describe("a room", () => {
  it("shows a program's place in the queue until its move comes", () => {
    const waiting = heard(emptyRoom("r"), welcome(3), { type: "queued", seat: 1, place: 4 });
    expect(waiting.place).toBe(4);
    expect(heard(waiting, { type: "queued", seat: 1, place: 0 }).place).toBe(0);
    expect(heard(waiting, update(3, 4)).place).toBe(0);
  });

  it("knows when the server can't store moves", () => {
    const stuck = heard(emptyRoom("r"), welcome(3), { type: "status", read_only: true });
    expect(stuck.readOnly).toBe(true);
    expect(heard(stuck, { type: "status", read_only: false }).readOnly).toBe(false);
    expect(heard(stuck, welcome(3)).readOnly).toBe(false);
  });

  it("is drawn from the welcome, which is no news", () => {
    const { room, fresh } = receive(emptyRoom("r"), welcome(3, [{ kind: "started" }]), 0);
    expect(room.link).toBe("online");
    expect(room.position?.version).toBe(3);
    expect(room.events).toHaveLength(1);
    expect(fresh).toEqual([]);
  });

  it("takes the next update, and finds a gap before a later one", () => {
    const room = heard(emptyRoom("r"), welcome(3));
    expect(receive(room, update(3, 4), 0).room.position?.version).toBe(4);
    const missed = receive(room, update(5, 6), 0);
    expect(missed.gap).toBe(true);
    expect(missed.room).toBe(room);
  });

  it("drops what it has seen already", () => {
    const room = heard(emptyRoom("r"), welcome(3), update(3, 4));
    expect(receive(room, update(3, 4), 0).room).toBe(room);
  });

  it("learns after reconnecting what it missed, as news", () => {
    const room = heard(emptyRoom("r"), welcome(3));
    const { room: back, fresh } = receive({ ...room, link: "offline" }, welcome(5, [{ kind: "ready", seat: 1 }]), 0);
    expect(back.link).toBe("online");
    expect(fresh).toHaveLength(1);
  });

  it("keeps a message until it is granted or refused", () => {
    const sent = sending(heard(emptyRoom("r"), welcome(1)), { type: "act", id: "a", seat: 0, action: "h8" });
    expect(resends(sent).map((m) => m.id)).toEqual(["a"]);
    expect(resends(heard(sent, { type: "ack", id: "a", version: 2 }))).toEqual([]);
    const refused = heard(sent, { type: "error", id: "a", code: "illegal_action", message: "h8 has a stone" });
    expect(resends(refused)).toEqual([]);
    expect(refused.refusal?.message).toBe("h8 has a stone");
  });

  it("does not ask old questions again", () => {
    const asked = sending(heard(emptyRoom("r"), welcome(1)), { type: "insight", id: "q", seat: 0 });
    expect(asked.asking).toBe("q");
    expect(resends(asked)).toEqual([]);
  });

  it("forgets an insight when the game moves on", () => {
    const room = heard(emptyRoom("r"), welcome(3), { type: "insight", id: "q", seat: 0, moves: 3, insight: { value: 1 } });
    expect(room.insight).not.toBeNull();
    expect(heard(room, update(3, 4)).insight).toBeNull();
  });

  it("takes no insight into a position that is past", () => {
    const late = { type: "insight", id: "q", seat: 0, moves: 2, insight: {} } as ServerMessage;
    expect(heard(emptyRoom("r"), welcome(3), late).insight).toBeNull();
  });

  it("shows the seat that is to move, on one screen for two", () => {
    const room = heard(emptyRoom("r"), welcome(1));
    const state = { view: null, picture: null, legal: null, draft: null, locked: null, can_undo: false };
    const seats = { 0: { ...state, to_move: false }, 1: { ...state, to_move: true } };
    expect(seatShown({ ...room, seats: [0, 1], position: { ...position(1), seats } })).toBe(1);
    expect(seatShown({ ...room, seats: [] })).toBeNull();
  });

  it("counts the server's clock down from when the message came", () => {
    const room = receive(emptyRoom("r"), { ...welcome(1), position: { ...position(1), clock: { ...clock, left: 12, running: true } } } as ServerMessage, 1000).room;
    expect(secondsLeft(room, 3000)).toBe(10);
    expect(secondsLeft(room, 99_000)).toBe(0);
  });

  it("stops the clock while a move is shown, and starts it on the server's word", () => {
    const shown = receive(emptyRoom("r"), { ...welcome(1), position: { ...position(1), clock } } as ServerMessage, 1000).room;
    expect(secondsLeft(shown, 9000)).toBe(30);
    const started = receive(shown, { type: "clock", clock: { ...clock, running: true } }, 9000).room;
    expect(secondsLeft(started, 10_000)).toBe(29);
  });

  it("runs the whole game's clock of the seat to move only", () => {
    const whole = { ...clock, increment: 2, running: true, seats: { 0: 50, 1: 40 } };
    const room = receive(emptyRoom("r"), { ...welcome(1), position: { ...position(1), clock: whole, to_move: [1] } } as ServerMessage, 0).room;
    expect([secondsOf(room, 0, 5000), secondsOf(room, 1, 5000)]).toEqual([50, 35]);
  });

  it("writes a clock as people read it", () => {
    expect([247, 60, 9.96, 0].map(clockText)).toEqual(["4:07", "1:00", "0:09.9", "0:00.0"]);
  });

  it("counts compiled parts until the move comes", () => {
    const room = heard(emptyRoom("r"), welcome(3), { type: "preparing", seat: 1, compiled: 7 });
    expect(room.compiled).toBe(7);
    expect(heard(room, update(3, 4)).compiled).toBe(0);
  });
});
