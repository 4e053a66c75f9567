// A room: joins it, keeps its connection, and hands the table to the game's own module.
import { useEffect, useMemo, useState } from "preact/hooks";
import { notify, say } from "../announce";
import { moduleOf, titleOf } from "../games";
import { gamesStore } from "../games/catalogue";
import { opponentOf } from "../games/opponents";
import {
  forgetGame,
  forgetJoin,
  joinKey,
  keepResult,
  keepToken,
  pendingJoin,
  prefs,
  rememberGame,
  setPrefs,
  tokenOf,
} from "../prefs";
import { getInvitation, joinRoom, Refused } from "../rest";
import { go } from "../route";
import { play } from "../sound";
import { useStore } from "../store";
import { Link } from "../ui/icons";
import { NotFound } from "../ui/not-found";
import { RulesButton } from "../ui/rules";
import type { GameInfo, Invitation, RoomInfo } from "../wire";
import { takeTokenFromAddress } from "./device";
import { Players } from "./players";
import { OnlyHere, QrCode } from "./qr";
import { connect, type Connection } from "./socket";
import type { RoomEvent, Room } from "./state";
import { copyLink } from "./table";
import { capital, clockWords, isDrawn, outcome, seatName, storyOf } from "./words";

export function RoomPage({ id }: { id: string }) {
  const [token, setToken] = useState(() => {
    takeTokenFromAddress(id);
    return tokenOf(id);
  });
  const connection = useMemo(() => connect(id, token, (fresh, room) => onNews(id, fresh, room)), [id, token]);
  useEffect(() => () => connection.close(), [connection]);
  const room = useStore(connection.room);
  const games = useStore(gamesStore);

  const sit = async (seat: number | null) => {
    try {
      const held = await joinRoom(id, { name: prefs.get().name, seat, key: joinKey(id) });
      if (held.token) keepToken(id, held.token);
      forgetJoin();
      rememberGame({ room: id, game: held.info.game });
      setToken(held.token);
    } catch (error) {
      if (error instanceof Refused && error.code !== "offline") forgetJoin();
      notify(error instanceof Refused ? error.message : String(error));
    }
  };
  useEffect(() => {
    if (token === null && pendingJoin(id) !== null) void sit(null); // the answer was lost
  }, [id]);

  if (room.link === "gone") return <NotFound title="Room not found" why={room.refusal?.message ?? ""} />;
  if (!room.info || !room.position) return <p class="soft loading">Joining the room…</p>;
  if (room.position.status === "waiting") return <Waiting room={room} sit={sit} game={games.find((g) => g.name === room.info?.game)} />;
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
      noteResult(room);
    }
    if (event.kind === "offered" && !room.seats.includes(event.offer.seat)) play("bell");
    if (event.kind === "rematched") {
      const token = tokenOf(id);
      if (token) keepToken(event.room, token);
      if (token) rememberGame({ room: event.room, game: room.info?.game ?? "" });
      go(`/room/${event.room}`);
    }
    if (event.kind !== "moved") say(storyOf(event, room).join(" "));
  }
}

/** Keep the result of a game against a named opponent, and forget the game itself. */
function noteResult(room: Room): void {
  forgetGame(room.id);
  const rival = room.info?.seats.find((s) => s.kind === "agent");
  const ended = room.position?.result;
  if (!room.info || !rival || room.seats.length !== 1 || room.info.seats.length !== 2 || room.info.puzzle) return;
  const result = !ended || isDrawn(ended) ? "drawn" : ended.winners.includes(room.seats[0]!) ? "won" : "lost";
  if (opponentOf(room.info.game, rival.name)) keepResult(room.id, room.info.game, rival.name, result);
}

interface WaitingProps {
  room: Room;
  game: GameInfo | undefined;
  sit: (seat: number) => void;
}

function Waiting({ room, game, sit }: WaitingProps) {
  const open = room.info?.seats.filter((s) => s.kind === "open") ?? [];
  const title = titleOf(room.info?.game ?? "");
  const { name } = useStore(prefs);
  return (
    <div class="waiting panel stack">
      <h1>{title}: waiting for a player</h1>
      {room.seats.length > 0 ? (
        <>
          <p>
            {open.length > 1
              ? "Send this link to your friends. The game starts as soon as all seats are taken."
              : "Send this link to a friend. The game starts as soon as they join."}
          </p>
          <Invite room={room.id} />
        </>
      ) : (
        <div class="row join">
          <label class="field">
            Your name
            <input value={name} maxLength={40} placeholder="Shown to the other player" onInput={(e) => setPrefs({ name: e.currentTarget.value })} />
          </label>
          {open.map((s) => (
            <button type="button" class="button primary large" onClick={() => sit(s.seat)}>
              Join as {seatName(room.position, s.seat)}
            </button>
          ))}
        </div>
      )}
      {room.info && (
        <div class="stack">
          <Settings info={room.info} game={game} />
          <div class="row">
            <RulesButton game={room.info.game} variant={room.info.variant} settings={room.info.settings} />
          </div>
        </div>
      )}
      <Players room={room} />
    </div>
  );
}

/** The link for another machine, and its QR code; where only this one can be reached, what to do. */
function Invite({ room }: { room: string }) {
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  useEffect(() => {
    getInvitation(room).then(setInvitation, () => undefined);
  }, [room]);
  const link = invitation?.link ?? location.href;
  return (
    <div class="invite">
      <div class="stack">
        <input class="input link" readOnly value={link} aria-label="Link to this room" onFocus={(e) => e.currentTarget.select()} />
        <div class="row">
          <button type="button" class="button primary" onClick={() => void copyLink(link)}>
            <Link /> Copy the link
          </button>
        </div>
        <p class="small soft">
          {invitation && invitation.link === null ? (
            <OnlyHere />
          ) : (
            "A phone in the same network can scan the code."
          )}
        </p>
      </div>
      <div class={`qr-space ${invitation?.link === null ? "none" : ""}`}>{invitation && invitation.qr.length > 0 && <QrCode rows={invitation.qr} />}</div>
    </div>
  );
}

/** The settings that differ from the game's defaults, and the clock. */
function Settings({ info, game }: { info: RoomInfo; game: GameInfo | undefined }) {
  const changed = game?.settings.filter((s) => JSON.stringify(s.default) !== JSON.stringify(info.settings[s.name])) ?? [];
  return (
    <dl class="facts small">
      <dt>Clock</dt>
      <dd>{clockWords(info)}</dd>
      {changed.map((setting) => (
        <>
          <dt>{capital(setting.name.replaceAll("_", " "))}</dt>
          <dd>{settingText(info.settings[setting.name])}</dd>
        </>
      ))}
    </dl>
  );
}

function settingText(value: unknown): string {
  if (value && typeof value === "object" && "name" in value) return String(value.name);
  return Array.isArray(value) ? value.join(", ") : String(value);
}

export type { Connection };
