// Who sits where, whose turn it is, and how much time is left.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { callPlayer, opponentOf } from "../games/opponents";
import { Emblem } from "../ui/emblems";
import { Machine, Person } from "../ui/icons";
import type { RoomInfo } from "../wire";
import { type Room, secondsLeft, secondsOf } from "./state";
import { capital, isDrawn, seatName } from "./words";

export interface PlayersProps {
  room: Room;
  /** A mark for each seat, such as a stone. */
  mark?: (seat: number) => ComponentChildren;
  /** Something under each name, such as hit points. */
  below?: (seat: number) => ComponentChildren;
}

export function Players({ room, mark, below }: PlayersProps) {
  const { info, position } = room;
  if (!info || !position) return null;
  return (
    <ul class="players">
      {info.seats.map((player) => {
        const seat = player.seat;
        const acting = position.to_move.includes(seat) && !position.ready.includes(seat);
        const mine = room.seats.includes(seat) && room.seats.length === 1;
        const ready = position.ready.includes(seat);
        const named = player.kind === "agent" ? opponentOf(info.game, player.name) : undefined;
        const called = nameOf(room, player);
        const place = capital(seatName(position, seat));
        const won = !!position.result && !isDrawn(position.result) && position.result.winners.includes(seat);
        return (
          <li key={seat} class={`${acting ? "acting" : ""} ${room.seats.includes(seat) ? "own" : ""}`}>
            <span class="mark">{mark?.(seat) ?? (named ? <Emblem name={named.emblem} /> : player.kind === "agent" ? <Machine /> : <Person />)}</span>
            <span class="who">
              <strong>{called}</strong>
              <span class="soft small">
                {place !== called && place}
                {mine && player.name && " · you"}
                {player.kind === "agent" && !named && !info.lesson && " · computer"}
                {named?.elo != null && ` · ${named.elo} Elo`}
                {player.kind === "person" && !player.online && !room.seats.includes(seat) && " · away"}
              </span>
              {below?.(seat)}
            </span>
            <span class="state small">
              <SeatClock room={room} seat={seat} />
              <span>{won ? "winner" : ready ? "ready" : acting ? "to move" : ""}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** What the card of a player says; the program of a lesson is nobody in particular. */
function nameOf(room: Room, player: RoomInfo["seats"][number]): string {
  if (player.kind === "open") return "Open seat";
  if (player.kind === "agent" && room.info?.lesson) return "Computer";
  if (player.kind === "agent") return callPlayer(room.info!.game, player.name);
  return player.name || unnamed(room, player.seat);
}

function unnamed(room: Room, seat: number): string {
  if (!room.seats.includes(seat)) return "Guest";
  return room.seats.length > 1 ? capital(seatName(room.position, seat)) : "You";
}

/** The page's clock, ticking while the room's does. */
function useNow(room: Room): number {
  const [now, setNow] = useState(performance.now());
  const running = !!room.position?.clock?.running;
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(performance.now()), 200);
    return () => clearInterval(timer);
  }, [running]);
  return Math.max(now, room.since);
}

/** One seat's clock for the whole game, in minutes and seconds. */
function SeatClock({ room, seat }: { room: Room; seat: number }) {
  const now = useNow(room);
  const left = secondsOf(room, seat, now);
  if (left === null) return null;
  return (
    <span class={`seat-clock ${left < 20 ? "urgent" : ""}`} role="timer" aria-label={`${Math.ceil(left)} seconds left`}>
      {clockText(left)}
    </span>
  );
}

/** Seconds as `4:07`; tenths when few are left. */
export function clockText(seconds: number): string {
  if (seconds < 10) return `0:0${(Math.floor(seconds * 10) / 10).toFixed(1)}`;
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** The running clock of a decision; it shows whole seconds and never jumps the layout. */
export function ClockFace({ room }: { room: Room }) {
  const now = useNow(room);
  const left = secondsLeft(room, now);
  if (left === null || room.position?.clock?.increment != null) return null;
  const share = left / (room.position?.clock?.seconds ?? 1);
  return (
    <span class={`clock-face ${left < 6 ? "urgent" : ""}`} role="timer" aria-label={`${Math.ceil(left)} seconds left`}>
      <svg viewBox="0 0 36 36" aria-hidden="true">
        <circle cx="18" cy="18" r="15" class="dial" />
        <circle
          cx="18"
          cy="18"
          r="15"
          class="rest"
          pathLength={1}
          stroke-dasharray={`${Math.max(0, Math.min(1, share))} 1`}
          transform="rotate(-90 18 18)"
        />
        <text x="18" y="18">{Math.ceil(left)}</text>
      </svg>
    </span>
  );
}
