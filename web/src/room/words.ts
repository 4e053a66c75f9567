// The room in words: whose turn it is, how it ended, what events.
import { scoreOf } from "../games";
import { callPlayer } from "../games/opponents";
import type { GameResult, RoomInfo, RoomPosition } from "../wire";
import type { RoomEvent, Room } from "./state";

/** What to call a seat: its player, or the seat's own name. */
export function playerName(info: RoomInfo | null, position: RoomPosition | null, seat: number): string {
  const player = info?.seats.find((s) => s.seat === seat);
  const name = player?.kind === "agent" ? callPlayer(info!.game, player.name) : player?.name;
  return name || seatName(position, seat);
}

/** What the game calls a seat, such as black or first player. */
export function seatName(position: RoomPosition | null, seat: number): string {
  return position?.seat_names[seat] || (["first player", "second player"][seat] ?? "");
}

/** Whether the game has no name for a seat, such as black, but only counts it. */
export function isCounted(name: string): boolean {
  return name === "" || /^(first |second )?player$|^seat \d+$/.test(name);
}

/** The seat that a sentence begins with, if it is one that is only counted; else -1. */
export function countedSeat(text: string, names: readonly string[]): number {
  return names.findIndex((name) => name !== "" && isCounted(name) && text.startsWith(name));
}

/** A sentence of the story with players in the place of seats that are only counted. */
function personal(text: string, room: Room): string {
  const names = room.position?.seat_names ?? [];
  const seat = countedSeat(text, names);
  if (seat < 0) return capital(text);
  const rest = text.slice(names[seat]!.length);
  const own = room.seats.length === 1 && room.seats[0] === seat;
  const [one, two] = names.map((_, s) => playerName(room.info, room.position, s));
  if (!own && one === two) return capital(text);
  if (own) return `You${rest.replace(" has ", " have ").replace(" its ", " your ")}`;
  return capital(playerName(room.info, room.position, seat)) + rest;
}

export function isHotseat(room: Room): boolean {
  return room.seats.length > 1;
}

/** One line that says what is going on now. */
export function statusLine(room: Room): string {
  const { info, position } = room;
  if (!info || !position) return "Joining the room…";
  if (position.status === "waiting") return "Waiting for a player to join";
  if (position.result) return outcome(room);
  const asked = position.to_move.filter((seat) => !position.ready.includes(seat));
  const mine = asked.filter((seat) => room.seats.includes(seat));
  if (mine.length > 0 && isHotseat(room)) {
    return `${capital(seatName(position, mine[0]!))} to move`;
  }
  if (mine.length > 0) return "Your turn";
  if (asked.length === 0) return "…";
  const names = asked.map((seat) => playerName(info, position, seat));
  const thinks = asked.every((seat) => info.seats[seat]?.kind === "agent");
  return thinks ? `${capital(names.join(" and "))} ${names.length > 1 ? "are" : "is"} thinking` : `Waiting for ${names.join(" and ")}`;
}

/** Whether nobody won, or all did alike; a side of several seats wins together. */
export function isDrawn({ winners, returns }: GameResult): boolean {
  return winners.length === 0 || winners.length === returns.length;
}

/** How the game ended, from this client's side. */
export function outcome(room: Room): string {
  const { info, position } = room;
  const result = position?.result;
  if (!result || !position) return "";
  const why = forfeitWords(room);
  if (position.seat_names.length === 1) {
    return why ?? `Finished with ${scoreOf(info?.game ?? "", result.returns[0] ?? 0)}`;
  }
  if (isDrawn(result)) return why ? `Drawn: ${why}` : "Drawn";
  const suffix = why ? `: ${why}` : "";
  if (room.seats.length === 1) return (result.winners.includes(room.seats[0]!) ? "You won" : "You lost") + suffix;
  const names = result.winners.map((winner) => (isHotseat(room) ? seatName(position, winner) : playerName(info, position, winner)));
  return `${capital(names.join(" and "))} won${suffix}`;
}

function forfeitWords(room: Room): string | null {
  const forfeit = room.position?.result?.forfeits[0];
  if (!forfeit) return null;
  const own = room.seats.length === 1 && room.seats[0] === forfeit.seat;
  const name = own ? "you" : playerName(room.info, room.position, forfeit.seat);
  const words: Record<string, string> = {
    resigned: `${name} resigned`,
    time: `${name} ran out of time`,
    absent: `${name} left the game`,
  };
  return words[forfeit.reason] ?? `${name} forfeited (${forfeit.detail})`;
}

/** Sentences for the log. */
export function storyOf(event: RoomEvent, room: Room): string[] {
  const name = (seat: number) => playerName(room.info, room.position, seat);
  switch (event.kind) {
    case "moved":
      return event.story.map((line) => personal(line, room));
    case "sat":
      return [`${event.name || capital(seatName(room.position, event.seat))} joined.`];
    case "started":
      return ["The game starts."];
    case "ready":
      // A program is always ready at once; only people are worth a line.
      if (room.info?.seats[event.seat]?.kind === "agent") return [];
      if (room.seats.length === 1 && room.seats[0] === event.seat) return ["You are ready."];
      return [`${capital(name(event.seat))} is ready.`];
    case "taken_back":
      return [`${room.seats.length === 1 && room.seats[0] === event.seat ? "You" : capital(name(event.seat))} undid ${event.count === 1 ? "a move" : `${event.count} moves`}.`];
    case "offered":
      return [`${capital(name(event.offer.seat))} ${offerWords(event.offer.kind)}.`];
    case "withdrawn":
      return [`${OFFERS[event.offer.kind].noun} is declined.`];
    case "ended":
      return [`${outcome(room)}.`];
    case "rematched":
      return ["The rematch starts."];
    case "hints_allowed":
      return ["Everybody agrees: engine help is on."];
  }
}

type OfferKind = "undo" | "rematch" | "hints";

const OFFERS: Record<OfferKind, { verb: string; noun: string }> = {
  undo: { verb: "asks to undo a move", noun: "The undo" },
  rematch: { verb: "offers a rematch", noun: "The rematch" },
  hints: { verb: "would like both of you to have engine help", noun: "Engine help" },
};

/** What a player does who makes an offer. */
export function offerWords(kind: OfferKind): string {
  return OFFERS[kind].verb;
}

/** A room's clock in words. */
export function clockWords({ clock, increment }: Pick<RoomInfo, "clock" | "increment">): string {
  if (clock === null) return "none";
  if (increment === null) return `${clock} seconds for each move`;
  const minutes = clock % 60 === 0 ? `${clock / 60} minutes` : `${clock} seconds`;
  return `${minutes} each for the game${increment > 0 ? `, and ${increment} seconds for each move` : ""}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
