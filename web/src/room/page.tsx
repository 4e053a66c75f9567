// A room: joins it, keeps its connection, and hands the table to the game's own module.
import { useEffect, useMemo, useState } from "preact/hooks";
import { notify, say } from "../announce";
import { moduleOf, titleOf } from "../games";
import { gamesStore } from "../games/catalogue";
import { keepToken, prefs, tokenOf } from "../prefs";
import { joinRoom, Refused } from "../rest";
import { go } from "../route";
import { play } from "../sound";
import { useStore } from "../store";
import { Link } from "../ui/icons";
import { NotFound } from "../ui/not-found";
import { Log } from "./log";
import { Players } from "./players";
import { connect, type Connection } from "./socket";
import type { RoomEvent, Room } from "./state";
import { copyLink } from "./table";
import { outcome, seatName, storyOf } from "./words";

export function RoomPage({ id }: { id: string }) {
  const [token, setToken] = useState(() => tokenOf(id));
  const connection = useMemo(() => connect(id, token, (fresh, room) => onNews(id, fresh, room)), [id, token]);
  useEffect(() => () => connection.close(), [connection]);
  const room = useStore(connection.room);
  const games = useStore(gamesStore);

  if (room.link === "gone") return <NotFound title="Room not found" why={room.refusal?.message ?? ""} />;
  if (!room.info || !room.position) return <p class="soft loading">Joining the room…</p>;
  const sit = async (seat: number) => {
    try {
      const held = await joinRoom(id, { name: prefs.get().name, seat });
      if (held.token) keepToken(id, held.token);
      setToken(held.token);
    } catch (error) {
      notify(error instanceof Refused ? error.message : String(error));
    }
  };
  if (room.position.status === "waiting") return <Waiting room={room} sit={sit} />;
  const game = games.find((g) => g.name === room.info?.game);
  const module = moduleOf(room.info.game, game);
  return <module.Play room={room} connection={connection} game={game} />;
}

/** Sounds, words and changes of page that follow from what events. */
function onNews(id: string, fresh: RoomEvent[], room: Room): void {
  for (const event of fresh) {
    if (event.kind === "started") play("bell");
    if (event.kind === "ended") {
      const won = room.seats.length === 1 && room.position?.result?.winners.includes(room.seats[0]!);
      play(room.seats.length === 1 && !won && room.position!.seat_names.length > 1 ? "lost" : "won");
      say(outcome(room));
    }
    if (event.kind === "offered" && !room.seats.includes(event.offer.seat)) play("bell");
    if (event.kind === "rematched") {
      const token = tokenOf(id);
      if (token) keepToken(event.room, token);
      go(`/room/${event.room}`);
    }
    if (event.kind !== "moved") say(storyOf(event, room).join(" "));
  }
}

function Waiting({ room, sit }: { room: Room; sit: (seat: number) => void }) {
  const open = room.info?.seats.filter((s) => s.kind === "open") ?? [];
  const title = titleOf(room.info?.game ?? "");
  return (
    <div class="waiting panel stack">
      <h1>{title}: waiting for a player</h1>
      {room.seats.length > 0 ? (
        <>
          <p>Send this link to a friend. The game starts as soon as they join.</p>
          <div class="row">
            <input class="input link" readOnly value={location.href} aria-label="Link to this room" onFocus={(e) => e.currentTarget.select()} />
            <button type="button" class="button primary" onClick={() => void copyLink(location.pathname)}>
              <Link /> Copy the link
            </button>
          </div>
        </>
      ) : (
        <div class="row">
          {open.map((s) => (
            <button type="button" class="button primary large" onClick={() => sit(s.seat)}>
              Join as {seatName(room.position, s.seat)}
            </button>
          ))}
        </div>
      )}
      <Players room={room} />
      <Log room={room} />
    </div>
  );
}

export type { Connection };
