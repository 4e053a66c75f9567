// Who sits where, whose turn it is, and how much time is left.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Machine, Person } from "../ui/icons";
import { type Room, secondsLeft } from "./state";
import { capital, seatName } from "./words";

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
        const won = position.result?.winners.length === 1 && position.result.winners[0] === seat;
        return (
          <li key={seat} class={acting ? "acting" : ""}>
            <span class="mark">{mark?.(seat) ?? (player.kind === "agent" ? <Machine /> : <Person />)}</span>
            <span class="who">
              <strong>{player.kind === "open" ? "Open seat" : player.name || unnamed(room, seat)}</strong>
              <span class="soft small">
                {capital(seatName(position, seat))}
                {mine && player.name && " · you"}
                {player.kind === "agent" && " · computer"}
                {player.kind === "person" && !player.online && !room.seats.includes(seat) && " · away"}
              </span>
              {below?.(seat)}
            </span>
            <span class="state small">
              {won ? "winner" : ready ? "ready" : acting ? "to move" : ""}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function unnamed(room: Room, seat: number): string {
  if (!room.seats.includes(seat)) return "Guest";
  return room.seats.length > 1 ? capital(seatName(room.position, seat)) : "You";
}

/** The running clock; it shows whole seconds and never jumps the layout. */
export function ClockFace({ room }: { room: Room }) {
  const [now, setNow] = useState(performance.now());
  const running = room.position?.clock != null;
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(performance.now()), 200);
    return () => clearInterval(timer);
  }, [running]);
  const left = secondsLeft(room, Math.max(now, room.since));
  if (left === null) return null;
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
