// The replay viewer: the board, the controls under it, and beside it moves and thoughts.
import { useEffect, useRef, useState } from "preact/hooks";
import { say } from "../announce";
import { moduleOf, scoreOf } from "../games";
import { gamesStore } from "../games/catalogue";
import { callPlayer, callPlayers } from "../games/opponents";
import { prefs, setPrefs } from "../prefs";
import { positionLink } from "../route";
import { copyLink } from "../room/table";
import { capital, countedSeat, isCounted, isDrawn } from "../room/words";
import { useStore } from "../store";
import { Choice } from "../ui/choice";
import { Curve } from "../ui/curve";
import { Back, Bulb, Chart, Download, First, Last, Link, Next, Pause, Play } from "../ui/icons";
import { useVoice } from "../ui/voice";
import type { GameReplay } from "../wire";
import { type AnalysisState, keyOf, type Source, useAnalysis } from "./analysis";
import { type Player, usePlayer } from "./player";
import { ReviewPanel, useReview } from "./review";
import { costsOf, type Exchange, saidAt } from "./said";
import { nextAction, phasesOf, seatToJudge, type Stop, stopAt, stopsOf } from "./timeline";
import { Verified } from "./verified";

export interface ViewerProps {
  replay: GameReplay;
  source: Source;
  record: () => Promise<string>;
  turn: number | null;
  phase: number | null;
  /** What language models said, where a transcript was opened with the record. */
  said: Exchange[];
}

export function Viewer({ replay, source, record, turn, phase, said }: ViewerProps) {
  const stops = useRef(stopsOf(replay)).current;
  const animated = replay.frames.some((f) => phasesOf(f) > 0);
  const player = usePlayer(stops.length, stopAt(stops, turn, phase), animated);
  const at = stops[player.stop]!;
  const frame = replay.frames[at.turn]!;
  const eyes = eyesOf(replay, at.turn);
  const [eye, setEye] = useState(eyes[0]![0]);
  const [thinking, setThinking] = useState(false);
  const [reviewing, setReviewing] = useState(location.hash === "#review");
  const review = useReview(source, reviewing);
  const seen = eye === "spectator" ? null : Number(eye);
  const analysis = useAnalysis(source, replay, at.turn, seen, thinking);
  const info = useStore(gamesStore).find((g) => g.name === replay.game);
  const module = moduleOf(replay.game, info);

  useEffect(() => {
    if (source.room) history.replaceState(null, "", positionLink(source.room, at.turn, at.phase));
    if (!player.running) say(frame.moved?.story.join(" ") ?? "Start position.");
  }, [player.stop, player.running]);
  useKeys(player, stops.length);

  const judged = seatToJudge(frame, seen);
  const midTurn = at.phase !== null && at.phase !== (phasesOf(frame) || null);
  const settled = player.progress >= 1 && !midTurn;
  const known = thinking && settled && judged !== null ? (analysis.insights.get(keyOf(at.turn, judged)) ?? null) : null;
  const voice = useVoice(known, module.thinker);
  const insight = voice.insight;
  return (
    <div class="table replay">
      <section class="board-side" aria-label="Board">
        <module.Picture
          view={frame.views[eye] ?? Object.values(frame.views)[0]}
          picture={frame.pictures[eye] ?? Object.values(frame.pictures)[0] ?? null}
          before={at.turn > 0 ? (replay.frames[at.turn - 1]!.views[eye] ?? null) : null}
          phase={at.phase}
          progress={player.progress}
          story={frame.moved?.story ?? []}
          scene={replay.scene}
          settings={replay.settings}
          seat={judged ?? seen}
          seatNames={replay.seats.map((_, s) => callSeat(replay, at.turn, s))}
          insight={insight}
          next={nextAction(replay, at.turn, judged)}
        />
        <Transport player={player} stops={stops} />
      </section>
      <aside class="panel-side" aria-label="Game">
        <div class="status">
          <h1>{heading(replay, source.room)}</h1>
        </div>
        <Verified replay={replay} />
        <p class="soft small">{position(at, (frame.moved?.story ?? []).map((line) => personal(replay, at.turn, line)))}</p>
        <div class="row">
          {info?.insight && (
            <button type="button" class="button small" aria-pressed={thinking} onClick={() => setThinking(!thinking)}>
              <Bulb /> Analysis
            </button>
          )}
          {info?.review && (
            <button type="button" class="button small" aria-pressed={reviewing} onClick={() => setReviewing(!reviewing)}>
              <Chart /> Review
            </button>
          )}
          <button type="button" class="button small" onClick={() => void save(replay, record)}>
            <Download /> Record
          </button>
          {source.room && (
            <button type="button" class="button small" onClick={() => void copyLink(positionLink(source.room!, at.turn, at.phase))}>
              <Link /> Copy link
            </button>
          )}
        </div>
        {eyes.length > 1 && hidden(replay) && <Choice label="View of" value={eye} options={eyes} onChange={setEye} />}
        {thinking && (
          <section class="panel stack thought" aria-live="polite">
            <h2>{judged === null ? "The game is over" : `${capital(callSeat(replay, at.turn, judged))} to move`}</h2>
            {insight ? (
              <module.Thought insight={insight} next={nextAction(replay, at.turn, judged)} />
            ) : (
              !voice.why && (
                <p class="soft small">{thoughtProblem(analysis.problem, judged, midTurn)}</p>
              )
            )}
            {voice.picker}
            <Progress replay={replay} analysis={analysis} turn={at.turn} jump={(t) => player.jump(stopAt(stops, t, lastPhase(replay, t)))} />
          </section>
        )}
        {reviewing && (
          <ReviewPanel
            replay={replay}
            source={source}
            state={review}
            turn={at.turn}
            jump={(t) => player.jump(stopAt(stops, t, lastPhase(replay, t)))}
            nameOf={(seat) => callSeat(replay, at.turn, seat)}
          />
        )}
        {said.length > 0 && <Said replay={replay} turn={at.turn} said={saidAt(said, at.turn, replay.frames.length - 1, seen)} />}
        <Moves replay={replay} turn={at.turn} jump={(t) => player.jump(stopAt(stops, t, lastPhase(replay, t)))} />
      </aside>
    </div>
  );
}

/** Why no analysis is shown. */
function thoughtProblem(problem: string | null, judged: number | null, midTurn: boolean): string {
  if (problem) return problem;
  if (midTurn) return "Plans are made between turns: step to the last phase of this turn to see its analysis.";
  return judged === null ? "There is no move left to analyse." : "Analysing…";
}

const lastPhase = (replay: GameReplay, turn: number) => (replay.frames[turn] && phasesOf(replay.frames[turn]!)) || null;

function heading(replay: GameReplay, room: string | null): string {
  const names = callPlayers(replay.game, replay.seats, room);
  const result = replay.result;
  if (!result) return capital(names.join(" – "));
  if (names.length === 1) return `${capital(names[0]!)}: ${scoreOf(replay.game, result.returns[0] ?? 0)}`;
  if (isDrawn(result)) return `${capital(names.join(" – "))}: drawn`;
  const [won, lost] = [true, false].map((side) => names.filter((_, seat) => result.winners.includes(seat) === side));
  return `${capital(won!.join(" and "))} beat ${lost!.join(", ")}`;
}

/** What the game calls a seat, or its player where seats are only numbered. */
function callSeat(replay: GameReplay, turn: number, seat: number): string {
  const name = replay.frames[turn]?.seat_names[seat] ?? "";
  const twins = replay.seats[0] === replay.seats[1];
  return isCounted(name) && !(twins && name) ? callPlayer(replay.game, replay.seats[seat] ?? "") || "Guest" : name;
}

function personal(replay: GameReplay, turn: number, line: string): string {
  const names = replay.frames[turn]?.seat_names ?? [];
  const seat = countedSeat(line, names);
  return seat < 0 ? line : capital(callSeat(replay, turn, seat)) + line.slice(names[seat]!.length);
}

function position(at: Stop, story: string[]): string {
  if (at.turn === 0) return "Start position";
  const phase = at.phase === null ? "" : `, phase ${at.phase}`;
  return `Move ${at.turn}${phase}${at.phase === null && story.length ? `: ${story.join(" ")}` : ""}`;
}

function eyesOf(replay: GameReplay, turn: number): [string, string][] {
  const frame = replay.frames[turn]!;
  return Object.keys(frame.views).map((key) => [key, key === "spectator" ? "Spectator" : capital(callSeat(replay, turn, Number(key)))]);
}

/** Whether seats saw different things, so that it matters whose eyes are used. */
function hidden(replay: GameReplay): boolean {
  const differ = (shown: unknown[]) => new Set(shown.map((part) => JSON.stringify(part ?? 0))).size > 1;
  return replay.frames.some((f) => differ(Object.values(f.views).map((v) => (v as { seas?: unknown }).seas)) || differ(Object.values(f.pictures)));
}

function useKeys(player: Player, count: number) {
  const latest = useRef(player);
  latest.current = player;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as Element;
      if (target.closest("input, textarea, select, button, a, [role=radiogroup]") || event.ctrlKey || event.metaKey) return;
      const { stop, jump, toggle } = latest.current;
      const to: Record<string, number> = { ArrowLeft: stop - 1, ArrowRight: stop + 1, Home: 0, End: count - 1 };
      if (event.key in to) jump(to[event.key]!);
      else if (event.key === " ") toggle();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [count]);
}

function Transport({ player, stops }: { player: Player; stops: Stop[] }) {
  const { speed } = useStore(prefs);
  const { stop, jump } = player;
  const last = stops.length - 1;
  const at = stops[stop]!;
  return (
    <div class="transport" role="group" aria-label="Replay controls">
      <button type="button" class="icon-button" aria-label="To the start" disabled={stop === 0} onClick={() => jump(0)}>
        <First />
      </button>
      <button type="button" class="icon-button" aria-label="Step back" disabled={stop === 0} onClick={() => jump(stop - 1)}>
        <Back />
      </button>
      <button type="button" class="icon-button strong" aria-label={player.running ? "Pause" : "Play"} onClick={player.toggle}>
        {player.running ? <Pause /> : <Play />}
      </button>
      <button type="button" class="icon-button" aria-label="Step forward" disabled={stop === last} onClick={() => jump(stop + 1)}>
        <Next />
      </button>
      <button type="button" class="icon-button" aria-label="To the end" disabled={stop === last} onClick={() => jump(last)}>
        <Last />
      </button>
      <input
        type="range"
        min={0}
        max={last}
        value={stop}
        aria-label="Position"
        aria-valuetext={at.phase === null ? `move ${at.turn}` : `turn ${at.turn}, phase ${at.phase}`}
        onInput={(e) => jump(Number(e.currentTarget.value))}
      />
      <Choice
        label="Speed"
        quiet
        value={String(speed)}
        options={[["1", "1×"], ["2", "2×"], ["4", "4×"]]}
        onChange={(s) => setPrefs({ speed: Number(s) })}
      />
    </div>
  );
}

/** How the thoughts changed over the game, where they have one number. */
function Progress(props: { replay: GameReplay; analysis: AnalysisState; turn: number; jump: (turn: number) => void }) {
  const { replay, analysis } = props;
  return (
    <>
      {numbersOf(replay, analysis).map(({ label, unit, points, range }) => (
        <Curve key={label} label={label} unit={unit} points={points} low={range?.[0]} high={range?.[1]} now={props.turn} onPick={props.jump} />
      ))}
      <button type="button" class="button small" onClick={analysis.sweep === null ? analysis.startSweep : analysis.stopSweep}>
        {analysis.sweep === null ? "Analyse the whole game" : `Stop (${analysis.sweep} of ${replay.frames.length - 1})`}
      </button>
    </>
  );
}

interface Numbers {
  label: string;
  unit: string;
  points: [number, number][];
  range?: readonly [number, number];
}

/** One curve of the chances, or one for each seat where every seat has a number of its own. */
export function numbersOf(replay: GameReplay, { insights }: Pick<AnalysisState, "insights">): Numbers[] {
  const { curve } = moduleOf(replay.game, undefined);
  const bySeat = new Map<number, [number, number][]>();
  for (const [key, insight] of insights) {
    const [turn, seat] = key.split(" ").map(Number) as [number, number];
    const value = insight[curve?.field ?? "value"];
    if (typeof value !== "number") continue;
    const owner = curve ? seat : 0;
    bySeat.set(owner, [...(bySeat.get(owner) ?? []), [turn, curve ? value : 50 + 50 * (seat === 0 ? value : -value)]]);
  }
  return [...bySeat]
    .filter(([, points]) => points.length > 1)
    .sort(([a], [b]) => a - b)
    .map(([seat, points]) => {
      const sorted = points.sort((a, b) => a[0] - b[0]);
      if (!curve) return { label: `Winning chances of ${callSeat(replay, 0, 0)}`, unit: "%", points: sorted, range: [0, 100] as const };
      const whose = replay.seats.length > 1 ? `, ${callSeat(replay, 0, seat)}` : "";
      return { label: `${curve.label}${whose}`, unit: curve.unit, points: sorted };
    });
}

/** What a language model said about the move that is shown. */
function Said({ replay, turn, said }: { replay: GameReplay; turn: number; said: Exchange[] }) {
  return (
    <section class="panel stack said" aria-label="What it said">
      <h2>What it said</h2>
      {said.length === 0 && <p class="soft small">Nothing about this move.</p>}
      {said.map((e, i) => (
        <article key={i} class="stack">
          <p class="soft small">
            {capital(callSeat(replay, turn, e.seat ?? 0))} ({e.model}): {costsOf(e)}
          </p>
          <p class="spoken">{e.answer || "No answer."}</p>
          {e.problem && <p class="trouble small note">{e.problem}</p>}
        </article>
      ))}
    </section>
  );
}

function Moves({ replay, turn, jump }: { replay: GameReplay; turn: number; jump: (turn: number) => void }) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const box = list.current;
    const now = box?.querySelector<HTMLElement>('[aria-current="step"]');
    if (box && now) box.scrollTop = now.offsetTop - box.clientHeight / 2;
  }, [turn]);
  return (
    <section class="log">
      <h2>Moves</h2>
      <ol class="lines moves" ref={list} tabIndex={0}>
        {replay.frames.map((_, i) => (
          <li key={i}>
            <button type="button" aria-current={i === turn ? "step" : undefined} onClick={() => jump(i)}>
              <span class="soft">{i === 0 ? "" : i}</span>
              <span>{i === 0 ? "Start position" : moveText(replay, i)}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** A move in words: who did what. */
function moveText(replay: GameReplay, turn: number): string {
  const { inWords } = moduleOf(replay.game, undefined);
  const actions = replay.frames[turn]?.moved?.actions ?? [];
  return actions
    .map(({ seat, action }) => {
      const said = action === null ? "hidden" : (inWords?.(action) ?? action);
      return seat < 0 || replay.seats.length === 1 ? said : `${capital(callSeat(replay, turn, seat))}: ${said}`;
    })
    .join("; ");
}

async function save(replay: GameReplay, record: () => Promise<string>): Promise<void> {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([await record()], { type: "text/plain" }));
  link.download = `${replay.game}-${replay.started.slice(0, 10)}.jsonl`;
  link.click();
  URL.revokeObjectURL(link.href);
}
