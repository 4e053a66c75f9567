// The table of every game: the board as large as the window allows, a panel beside or below it.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { notify } from "../announce";
import { gamesStore } from "../games/catalogue";
import { offeredBy } from "../games/opponents";
import { begin } from "../home/begin";
import { LessonPanel } from "../learn/panel";
import { setRung } from "../prefs";
import { PuzzlePanel } from "../puzzles/panel";
import { useStore } from "../store";
import { Again, Bulb, Flag, Link, Play, Undo } from "../ui/icons";
import { RulesButton } from "../ui/rules";
import type { GameInfo } from "../wire";
import { Log } from "./log";
import { DeviceButton } from "./device";
import { ClockFace, Players, type PlayersProps } from "./players";
import type { Connection } from "./socket";
import { type Room, seatShown } from "./state";
import { capital, isDrawn, offerWords, outcome, playerName, statusLine } from "./words";

export interface TableProps {
  room: Room;
  connection: Connection;
  game: GameInfo | undefined;
  board: ComponentChildren;
  /** The game's own controls, above the log. */
  panel?: ComponentChildren;
  /** Shown under the status, where the action of the moment belongs. */
  action?: ComponentChildren;
  players?: Pick<PlayersProps, "mark" | "below">;
  hints?: { on: boolean; toggle: () => void; label: string };
  /** The end is not shown yet, because its playback still runs. */
  hold?: boolean;
  class?: string;
}

export function Table(props: TableProps) {
  const { room } = props;
  const over = room.position?.status === "over" && !props.hold;
  const told = props.hold ? beforeNewestMove(room) : room;
  const mine = !props.hold && isAsked(room);
  const line = props.hold ? "Playing the turn" : statusLine(room);
  return (
    <div class={`table ${props.class ?? ""}`}>
      <section class="board-side" aria-label="Board">
        {props.board}
        {over && <Outcome room={room} />}
      </section>
      <aside class="panel-side" aria-label="Game">
        <div class="status">
          <h1 aria-live="polite" class={`${mine ? "mine" : ""} ${lengthOf(line)}`}>
            {line}
          </h1>
          <ClockFace room={room} />
        </div>
        {room.info?.lesson && <LessonPanel room={props.hold ? { ...room, position: room.position && { ...room.position, lesson: "open" } } : room} />}
        {room.info?.puzzle && <PuzzlePanel room={room} hold={props.hold === true} />}
        <Trouble room={room} connection={props.connection} />
        <div class="action-slot">{!over ? props.action : !room.info?.lesson && !room.info?.puzzle && <End {...props} />}</div>
        <Offers room={room} connection={props.connection} />
        <Players room={told} {...props.players} />
        <Controls {...props} />
        {props.panel}
        <Log room={told} />
      </aside>
    </div>
  );
}

/** Whether the player here is to move. */
function isAsked(room: Room): boolean {
  return room.seats.some((seat) => room.position?.seats[seat]?.to_move);
}

/** How large a status can be in the space that is kept for it, whatever the players are called. */
function lengthOf(line: string): "" | "long" | "longest" {
  return line.length <= 22 ? "" : line.length <= 34 ? "long" : "longest";
}

/** The end of the game as a pennant over the board; the status line says it to screen readers. */
function Outcome({ room }: { room: Room }) {
  const result = room.position?.result;
  const mine = room.seats.length === 1 && result && !isDrawn(result);
  const tone = !mine ? "even" : result.winners.includes(room.seats[0]!) ? "won" : "lost";
  return (
    <p class={`outcome-pennant ${tone}`} aria-hidden="true">
      {outcome(room)}
    </p>
  );
}

/** What to do now, for those who play for the first time. */
export function Prompt({ children, twoTaps }: { children: ComponentChildren; twoTaps?: boolean }) {
  return (
    <p class="prompt soft small">
      {children} {twoTaps && "The first tap aims, the second one plays."}
    </p>
  );
}

/** The room before its newest move, so that neither log nor winner tell what is still shown. */
function beforeNewestMove(room: Room): Room {
  const last = room.events.findLastIndex((h) => h.kind === "moved");
  const position = room.position && { ...room.position, result: null, to_move: [], ready: [] };
  return { ...room, position, events: room.events.slice(0, last) };
}

const SLOW = "The first game against an agent takes longer: its code is being compiled.";
/** Seconds after which a win over an absent player can be claimed, as the server has it. */
const CLAIM_AFTER = 60;
/** Seconds over its time after which a program must be doing something else than thinking. */
const PATIENCE = 4;

/** Whether a player waits far longer for a program than it may think. */
function useSlow(room: Room): boolean {
  const { info, position } = room;
  const asked = position?.to_move.filter((seat) => !position.ready.includes(seat)) ?? [];
  const programs = asked.length > 0 && asked.every((seat) => info?.seats[seat]?.kind === "agent");
  const waiting = programs && room.seats.length > 0;
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (!waiting) return;
    const timer = setTimeout(() => setSlow(true), 1000 * ((info?.think ?? 1) + PATIENCE));
    return () => clearTimeout(timer);
  }, [waiting, position?.moves]);
  return slow;
}

/** What went wrong, in the place where it will be looked for; the space is always kept. */
function Trouble({ room, connection }: { room: Room; connection: Connection }) {
  const lost = room.link === "offline";
  const slow = useSlow(room);
  const absent = useAbsent(room);
  if (absent !== null && !lost && !room.refusal) {
    return <Absent name={absent} claim={() => connection.send({ type: "claim", seat: room.seats[0]! })} />;
  }
  const asked = isAsked(room); // who has to plan is not waiting for the program that plans too
  const compiling = room.compiled > 0 && !asked;
  const waits = compiling ? compilingText(room) : room.place > 0 && !asked ? queuedText(room) : slow ? SLOW : "";
  const text = lost ? "Connection lost. Reconnecting…" : room.readOnly ? READ_ONLY : (refusalText(room) ?? waits);
  return (
    <div class={`trouble small ${text ? "note" : ""}`}>
      <p role="status">{text}</p>
      {compiling && !lost && !room.refusal && <progress aria-label="Compiling" max={EXPECTED} value={Math.min(room.compiled, EXPECTED)} />}
    </div>
  );
}

/** Why a request was refused; help that was too slow can be asked for again. */
function refusalText({ refusal }: Room): string | null {
  return refusal?.code === "agent_failed" ? NO_HELP : (refusal?.message ?? null);
}

const NO_HELP = "The server is too busy to help at the moment. Turn the help off and on to ask again.";
const READ_ONLY = "The server can't store moves at the moment. Your game is kept and goes on as soon as it can.";

function queuedText(room: Room): string {
  return `${capital(waitedFor(room))} waits for a free processor of the server: place ${room.place} in the queue.`;
}

/** The name of the program that is to move. */
function waitedFor(room: Room): string {
  const waiting = room.position?.to_move.find((seat) => room.info?.seats[seat]?.kind === "agent");
  return waiting === undefined ? "the opponent" : playerName(room.info, room.position, waiting);
}

/** About as many kernels as a game's opponent needs. */
const EXPECTED = 120;

function compilingText(room: Room): string {
  return `${capital(waitedFor(room))} gets ready: this happens once. Parts compiled: ${room.compiled}.`;
}

/** The name of another player who has been away for so long that the win can be claimed. */
function useAbsent(room: Room): string | null {
  const [now, setNow] = useState(0);
  const away = room.info?.seats.find((s) => s.kind === "person" && s.away !== null && !room.seats.includes(s.seat));
  const came = useRef({ info: room.info, at: 0 });
  if (came.current.info !== room.info) came.current = { info: room.info, at: performance.now() };
  const waits = !!away && room.seats.length > 0 && room.position?.status === "playing";
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => setNow(performance.now()), 1000);
    return () => clearInterval(timer);
  }, [waits]);
  if (!waits || away.away === null) return null;
  const seconds = away.away + Math.max(0, now - came.current.at) / 1000;
  return seconds >= CLAIM_AFTER ? playerName(room.info, room.position, away.seat) : null;
}

function Absent({ name, claim }: { name: string; claim: () => void }) {
  return (
    <div class="trouble note small row spread">
      <span role="status">{capital(name)} has left the game.</span>
      <button type="button" class="button small" onClick={claim}>
        Claim the win
      </button>
    </div>
  );
}

function Controls({ room, connection, game, hints }: TableProps) {
  const [sure, setSure] = useState(false);
  const seat = seatShown(room);
  const rules = room.info && <RulesButton game={room.info.game} variant={room.info.variant} settings={room.info.settings} />;
  if (seat === null || room.position?.status !== "playing") return <div class="row controls">{rules}</div>;
  const state = room.position.seats[seat];
  return (
    <div class="row controls">
      {rules}
      {hints && (
        <button
          type="button"
          class="button small"
          aria-pressed={hints.on}
          disabled={!room.info?.hints}
          title={room.info?.hints ? "" : "Engine help is off in this room"}
          onClick={hints.toggle}
        >
          <Bulb /> {hints.label}
        </button>
      )}
      {hints && <AllowHelp room={room} connection={connection} seat={seat} />}
      {game?.undoable && (
        <button
          type="button"
          class="button small"
          disabled={!state?.can_undo}
          onClick={() => connection.send({ type: "undo", seat })}
        >
          <Undo /> Undo
        </button>
      )}
      <button
        type="button"
        class="button small"
        onBlur={() => setSure(false)}
        onClick={() => (sure ? connection.send({ type: "resign", seat }) : setSure(true))}
      >
        <Flag /> {sure ? "Really resign?" : "Resign"}
      </button>
      <DeviceButton room={room.id} />
    </div>
  );
}

/** Between people, engine help is off until all have agreed. */
function AllowHelp({ room, connection, seat }: { room: Room; connection: Connection; seat: number }) {
  if (!room.info || room.info.hints || room.info.puzzle || room.info.lesson) return null;
  const asked = room.position?.offers.some((offer) => offer.kind === "hints" && room.seats.includes(offer.seat));
  return (
    <button type="button" class="button small" disabled={asked} onClick={() => connection.send({ type: "allow_hints", seat })}>
      {asked ? "Engine help proposed" : "Propose engine help"}
    </button>
  );
}

function Offers({ room, connection }: { room: Room; connection: Connection }) {
  const seat = room.seats[0];
  if (seat === undefined || !room.position) return null;
  const open = room.position.offers.filter((offer) => !room.seats.includes(offer.seat));
  return (
    <>
      {open.map((offer) => (
        <div class="note row spread" key={offer.kind}>
          <span>
            {capital(playerName(room.info, room.position, offer.seat))} {offerWords(offer.kind)}.
          </span>
          <span class="row">
            {[true, false].map((accept) => (
              <button
                type="button"
                class="button small"
                onClick={() => connection.send({ type: "answer", seat, kind: offer.kind, accept })}
              >
                {accept ? "Accept" : "Decline"}
              </button>
            ))}
          </span>
        </div>
      ))}
    </>
  );
}

function End({ room, connection }: TableProps) {
  const seat = room.seats[0];
  const offered = room.position?.offers.some((o) => o.kind === "rematch" && room.seats.includes(o.seat));
  const many = (room.position?.seat_names.length ?? 1) > 1;
  return (
    <div class="row end">
      <NextOpponent room={room} />
      {seat !== undefined && (
        <button
          type="button"
          class="button"
          disabled={offered}
          title={many ? "Sides are swapped" : ""}
          onClick={() => connection.send({ type: "rematch", seat })}
        >
          <Again /> {offered ? "Rematch offered" : many ? "Rematch" : "Play again"}
          {many && !offered && <span class="visually-hidden"> with sides swapped</span>}
        </button>
      )}
      <a class="button" href={`/replay/${room.id}#review`}>
        Review
      </a>
      <a class="button" href={`/replay/${room.id}`}>
        Replay<span class="visually-hidden"> and analysis</span>
      </a>
      <button type="button" class="button" onClick={() => void copyLink(`/replay/${room.id}`)}>
        <Link /> Share
      </button>
    </div>
  );
}

/** After a win the opponent above, after a loss the one below. */
function NextOpponent({ room }: { room: Room }) {
  const info = useStore(gamesStore).find((g) => g.name === room.info?.game);
  const offered = offeredBy(info);
  const rival = room.info?.seats.find((s) => s.kind === "agent");
  const at = offered.findIndex((o) => o.spec === rival?.name);
  if (!info || !room.info || at < 0 || room.seats.length !== 1) return null;
  const result = room.position?.result;
  const step = !result || isDrawn(result) ? 0 : result.winners.includes(room.seats[0]!) ? 1 : -1;
  const rung = Math.max(0, Math.min(offered.length - 1, at + step));
  const next = offered[rung]!;
  const words = rung === at ? `Again: ${next.name}` : step > 0 ? `Next: ${next.name}` : `Try ${next.name}`;
  const start = () => {
    setRung(info.name, rung);
    const { variant, settings, clock, increment } = room.info!;
    const seats = room.info!.seats.map((s) => (s.kind === "agent" ? { kind: "agent" as const, agent: next.spec } : { kind: "me" as const }));
    void begin({ game: info.name, variant, settings, seats, think: next.think, pace: 0.25, clock: clock ?? "none", increment });
  };
  return (
    <button type="button" class="button primary" onClick={start}>
      <Play /> {words}
    </button>
  );
}

/** Put a link on the clipboard; where that is forbidden, show it. */
export async function copyLink(path: string): Promise<void> {
  const url = new URL(path, location.href).href;
  try {
    await navigator.clipboard.writeText(url);
    notify("Link copied.");
  } catch {
    notify(url, 12);
  }
}
