// A room as this client knows it: what messages make of it, without any socket.
import type {
  Ack,
  ClientMessage,
  Error as Refusal,
  HintResponse,
  InsightResponse,
  RoomPosition,
  PreviewResponse,
  RoomInfo,
  ServerMessage,
  Update,
  Welcome,
} from "../wire";

export type RoomEvent = Update["events"][number];
export type Outgoing = Exclude<ClientMessage, { type: "hello" }>;

export interface Room {
  id: string;
  link: "connecting" | "online" | "offline" | "gone";
  info: RoomInfo | null;
  scene: Record<string, unknown>;
  /** The seats that this client holds. */
  seats: number[];
  position: RoomPosition | null;
  /** When the position came, in milliseconds of this page's clock: the clock counts from there. */
  since: number;
  /** All events so far, oldest first. */
  events: RoomEvent[];
  /** Sent and not yet granted or refused: sent again after reconnecting. */
  pending: Outgoing[];
  /** The last refusal; it goes when something is granted. */
  refusal: { code: string; message: string; id: string | null } | null;
  hint: HintResponse | null;
  insight: InsightResponse | null;
  preview: PreviewResponse | null;
  /** The question whose answer is being computed. */
  asking: string | null;
  /** Kernels compiled so far for a program's first move; 0: nothing is being compiled. */
  compiled: number;
  /** A program's place in the queue for the server's processors; 0: it does not wait. */
  place: number;
  /** Whether the server can't store moves at the moment. */
  readOnly: boolean;
}

export function emptyRoom(id: string): Room {
  return {
    id,
    link: "connecting",
    info: null,
    scene: {},
    seats: [],
    position: null,
    since: 0,
    events: [],
    pending: [],
    refusal: null,
    hint: null,
    insight: null,
    preview: null,
    asking: null,
    compiled: 0,
    place: 0,
    readOnly: false,
  };
}

export interface Received {
  room: Room;
  /** What is new, for sounds, animation and the live log. */
  fresh: RoomEvent[];
  /** Whether something was missed, so that the client must ask for it. */
  gap: boolean;
}

const nothing = (room: Room): Received => ({ room, fresh: [], gap: false });

/** The room after a message; `now` is the page's clock in milliseconds. */
export function receive(room: Room, message: ServerMessage, now: number): Received {
  switch (message.type) {
    case "welcome":
      return welcome(room, message, now);
    case "update":
      return update(room, message, now);
    case "room":
      return nothing({ ...room, info: message.room });
    case "clock":
      return nothing(room.position ? { ...room, position: { ...room.position, clock: message.clock }, since: now } : room);
    case "preparing":
      return nothing({ ...room, compiled: message.compiled });
    case "queued":
      return nothing({ ...room, place: message.place });
    case "status":
      return nothing({ ...room, readOnly: message.read_only, refusal: null });
    case "ack":
      return nothing({ ...settled(room, message), refusal: null });
    case "error":
      return nothing(refused(room, message));
    case "hint":
      return nothing(dropStaleAnswers({ ...settled(room, message), hint: message }));
    case "insight":
      return nothing(dropStaleAnswers({ ...settled(room, message), insight: message }));
    case "preview":
      return nothing(dropStaleAnswers({ ...settled(room, message), preview: message }));
    case "pong":
      return nothing(settled(room, message));
  }
}

function welcome(room: Room, message: Welcome, now: number): Received {
  const first = room.position === null;
  const known = room.position?.version ?? -1;
  const { info: _, ...rest } = room;
  const next: Room = {
    ...rest,
    link: "online",
    place: 0,
    readOnly: false,
    info: message.room,
    scene: message.scene,
    seats: message.seats,
    position: message.position,
    since: now,
    events: [...room.events, ...message.events],
  };
  if (!first && message.position.version < known) return nothing(room);
  return { room: dropStaleAnswers(next), fresh: first ? [] : message.events, gap: false };
}

function update(room: Room, message: Update, now: number): Received {
  const known = room.position?.version ?? -1;
  if (message.position.version <= known) return nothing(room);
  if (message.since !== known) return { room, fresh: [], gap: true };
  const next: Room = {
    ...room,
    position: message.position,
    since: now,
    compiled: 0,
    place: 0,
    events: [...room.events, ...message.events],
  };
  return { room: dropStaleAnswers(next), fresh: message.events, gap: false };
}

/** Hints and insights are for one position; in another they would mislead. */
function dropStaleAnswers(room: Room): Room {
  const moves = room.position?.moves;
  const hint = room.hint?.moves === moves ? room.hint : null;
  const insight = room.insight?.moves === moves ? room.insight : null;
  const preview = room.preview?.moves === moves ? room.preview : null;
  return { ...room, hint, insight, preview };
}

function settled(room: Room, message: Ack | HintResponse | InsightResponse | { id: string }): Room {
  return {
    ...room,
    pending: room.pending.filter((sent) => sent.id !== message.id),
    asking: room.asking === message.id ? null : room.asking,
  };
}

function refused(room: Room, message: Refusal): Room {
  const { code, message: text, id } = message;
  const next = id === null ? room : settled(room, { id });
  const gone = code === "no_such_room" || code === "unsupported_protocol";
  return { ...next, link: gone ? "gone" : next.link, refusal: { code, message: text, id } };
}

/** The room with one more message on its way. */
export function sending(room: Room, message: Outgoing): Room {
  const asks = message.type === "hint" || message.type === "insight";
  return {
    ...room,
    pending: [...room.pending, message],
    asking: asks ? message.id : room.asking,
    refusal: null,
  };
}

/** What to send again after reconnecting: questions about old positions are not worth it. */
export function resends(room: Room): Outgoing[] {
  return room.pending.filter((m) => !["hint", "insight", "ping", "sync", "preview", "shown"].includes(m.type));
}

/** The seat to draw the board for: the one that is to move, else the first one held. */
export function seatShown(room: Room): number | null {
  const acting = room.seats.find((seat) => room.position?.seats[seat]?.to_move);
  return acting ?? room.seats[0] ?? null;
}

/** Seconds left on the clock, or null without one; it stands still while a move is shown. */
export function secondsLeft(room: Room, now: number): number | null {
  const clock = room.position?.clock;
  if (!clock) return null;
  return Math.max(0, clock.left - (clock.running ? (now - room.since) / 1000 : 0));
}

/** Seconds left on one seat's clock for the whole game, or null without one. */
export function secondsOf(room: Room, seat: number, now: number): number | null {
  const clock = room.position?.clock;
  const left = clock?.increment == null ? undefined : clock.seats[seat];
  if (!clock || left === undefined) return null;
  const ticking = clock.running && !!room.position?.to_move.includes(seat) && !room.position.ready.includes(seat);
  return Math.max(0, left - (ticking ? (now - room.since) / 1000 : 0));
}
