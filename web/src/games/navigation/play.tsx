// Battle Navigation at play: the arena, the planner, playback, and the ghost of the plan.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { say } from "../../announce";
import { prefs, reducedMotion, setPrefs, unsentPlan } from "../../prefs";
import { type Room, seatShown } from "../../room/state";
import { Table } from "../../room/table";
import { capital } from "../../room/words";
import { useStore } from "../../store";
import { Choice } from "../../ui/choice";
import { Check, Cross, Cube, Play } from "../../ui/icons";
import type { NavigationSeaMap, NavigationShip, NavigationState } from "../../wire";
import type { PlayProps } from "../module";
import { Arena } from "./arena";
import { emptyPlan, orderOf, type Order, readPlan, type ShipRow, sideOfSeat, writePlan } from "./plan";
import { HitPoints, Planner, ShipFacts } from "./planner";
import { Arena3D } from "./later3d";
import { SPEEDS, usePlayback } from "./watch";
import { phaseStory } from "./words";

export interface NavigationScene {
  map: NavigationSeaMap;
  ships: ShipRow[];
}

export function NavigationPlay({ room, connection, game }: PlayProps) {
  const { view3d, speed } = useStore(prefs);
  const [ranges, setRanges] = useState(true);
  const scene = room.scene as unknown as NavigationScene;
  const seat = seatShown(room);
  const state = seat === null ? undefined : room.position?.seats[seat];
  const view = (state?.view ?? room.position?.spectator) as NavigationState;
  const names = scene.ships.map((ship, s) => room.position?.seat_names[s] ?? ship.label).map(capital);
  const story = lastStory(room);
  const hp = useHitPointsBefore(view);
  const film = { key: `${room.id} ${view.turn}`, log: view.log, ships: view.ships, hp };
  const playback = usePlayback(film, true);
  const phases = Number(room.info?.settings.phases ?? 4);
  const planning = usePlanning({ room, connection, game }, seat, scene.ships, view, phases, playback.at === null);
  const playing = playback.at === null ? null : Math.floor(playback.at);
  const moves = room.position?.moves ?? 0;

  useEffect(() => {
    // The server starts the clock when the turn has been shown, or skipped.
    const clock = room.position?.clock;
    if (playback.at === null && clock && !clock.running && seat !== null) connection.send({ type: "shown", seat, moves });
  }, [playback.at === null, moves, room.position?.clock?.running]);
  useEffect(() => {
    if (playing !== null) say(`Phase ${playing + 1}. ${phaseStory(story, playing + 1).join(" ")}`);
  }, [playing]);

  useEffect(() => {
    // On a phone the planner lies below the board, which is what there is to see now.
    const board = document.querySelector(".board-side");
    if (playback.running && board && board.getBoundingClientRect().bottom < innerHeight / 2) {
      board.scrollIntoView({ block: "start", behavior: reducedMotion() ? "auto" : "smooth" });
    }
  }, [playback.running]);

  const label = `Turn ${view.turn + 1} on ${scene.map.name}`;
  const ghostSeats = seat === null ? [] : planning.guessing ? [seat, planning.enemy] : [seat];
  const arena = {
    map: scene.map,
    ships: scene.ships,
    moment: playback.moment,
    ghost: playback.at === null ? planning.ghost : null,
    ghostSeats,
    ranges,
    playing: playback.running,
    seat,
    label,
  };
  return (
    <Table
      room={room}
      connection={connection}
      game={game}
      class="navigation-table"
      hold={playback.at !== null}
      hints={{ on: planning.hinted, toggle: planning.askHint, label: "Suggest a plan" }}
      players={{
        mark: (s) => <SeatMark seat={s} />,
        below: (s) => (
          <>
            <ShipFacts ship={scene.ships[s]!} />
            <HitPoints hp={playback.moment.ships[s]!.hp} most={view.ships[s]!.max_hp} name={names[s]!} />
          </>
        ),
      }}
      board={
        <>
          <div class="arena-bar row spread">
            <span class="small">
              Turn {Math.min(view.turn + (playing === null && !view.verdict ? 1 : 0), Number(room.info?.settings.turn_limit ?? 50))} of{" "}
              {String(room.info?.settings.turn_limit ?? 50)}
              {playing !== null && <strong> · phase {playing + 1}</strong>}
            </span>
            <span class="row">
              <label class="check small">
                <input type="checkbox" checked={ranges} onChange={(e) => setRanges(e.currentTarget.checked)} />
                Ranges
              </label>
              <button type="button" class="button small" aria-pressed={view3d} onClick={() => setPrefs({ view3d: !view3d })}>
                <Cube /> 3D
              </button>
            </span>
          </div>
          {view3d ? <Arena3D {...arena} /> : <Arena {...arena} />}
        </>
      }
      action={
        playback.at !== null ? (
          <div class="stack">
            <Showing story={phaseStory(story, (playing ?? 0) + 1)} phase={playing ?? 0} speed={speed} skip={playback.stop} />
            <div class="two-plans">
              {scene.ships.map((_, s) => (
                <div key={s}>
                  <h2>{names[s]}</h2>
                  <Planner plan={view.log.map((e) => orderOf(e.orders[s]!, scene.ships[s]!))} ship={scene.ships[s]!} name={names[s]!} seat={s} playing={playing} />
                </div>
              ))}
            </div>
          </div>
        ) : (
          planning.panel(names)
        )
      }
      panel={
        view.log.length > 0 && (
          <button type="button" class="button small" disabled={playback.at !== null} onClick={() => playback.start()}>
            <Play /> Show the last turn again
          </button>
        )
      }
    />
  );
}

/** What the ships had before the turn that the view's log tells. */
function useHitPointsBefore(view: NavigationState): readonly number[] {
  const known = useRef<{ turn: number; hp: number[]; before: number[] } | null>(null);
  const hp = view.ships.map((s) => s.hp);
  const old = known.current;
  if (old === null || old.turn !== view.turn) {
    const lost = (seat: number) =>
      view.log.flatMap((e) => e.events).reduce((sum, e) => sum + (e.target === seat ? e.damage : 0), 0);
    const guess = view.ships.map((s, seat) => Math.min(s.max_hp, s.hp + lost(seat)));
    known.current = { turn: view.turn, hp, before: old && old.turn === view.turn - 1 ? old.hp : guess };
  }
  return known.current!.before;
}

function SeatMark({ seat }: { seat: number }) {
  return (
    <svg viewBox="-0.6 -0.6 1.2 1.2" class={`ship side-${sideOfSeat(seat)}`} aria-hidden="true">
      <path class="hull" d="M0 -0.500C0.250 -0.250 0.250 0.150 0.180 0.500L-0.180 0.500C-0.250 0.150 -0.250 -0.250 0 -0.500Z" />
    </svg>
  );
}

/** What the newest move's story says. */
function lastStory(room: Room): readonly string[] {
  const moved = room.events.findLast((h) => h.kind === "moved");
  return moved?.story ?? [];
}

interface ShowingProps {
  story: string[];
  phase: number;
  speed: number;
  skip: () => void;
}

/** The event text of the phase being played, the speed, and a way past it. */
export function Showing({ story, phase, speed, skip }: ShowingProps) {
  return (
    <section class="showing panel stack">
      <div class="row spread">
        <h2>Phase {phase + 1}</h2>
        <div class="row">
          <Speed speed={speed} />
          <button type="button" class="button small" onClick={skip}>
            Skip
          </button>
        </div>
      </div>
      <ul class="events small" tabIndex={0} aria-label="What happened in this phase">
        {story.map((line) => (
          <li>{line}</li>
        ))}
      </ul>
    </section>
  );
}

export function Speed({ speed }: { speed: number }) {
  return (
    <Choice
      label="Speed"
      quiet
      value={String(speed)}
      options={SPEEDS.map((s) => [String(s), `${s}×`] as const)}
      onChange={(s) => setPrefs({ speed: Number(s) })}
    />
  );
}

/** The seat of the enemy's ship that is afloat and fewest tiles away. */
export function nearestEnemy(ships: readonly NavigationShip[], seat: number): number {
  const own = ships[seat]!;
  const away = (s: NavigationShip) => Math.abs(s.x - own.x) + Math.abs(s.y - own.y);
  const enemies = ships.filter((s) => sideOfSeat(s.id) !== sideOfSeat(seat));
  const afloat = enemies.filter((s) => s.alive);
  return (afloat.length > 0 ? afloat : enemies).toSorted((a, b) => away(a) - away(b))[0]!.id;
}

/** The plan in the making: kept as a draft on the server, previewed by it, locked in at last. */
function usePlanning({ room, connection }: PlayProps, seat: number | null, ships: ShipRow[], view: NavigationState, phases: number, ready: boolean) {
  const state = seat === null ? undefined : room.position?.seats[seat];
  const moves = room.position?.moves ?? 0;
  const [guess, setGuess] = useState<Order[] | null>(null);
  const [hinted, setHinted] = useState(false);
  const own = ships[seat ?? 0]!;
  const decision = `${seat} ${moves}`;
  const [drawn, setDrawn] = useState<{ decision: string; plan: Order[] } | null>(null);
  const kept = state?.draft ?? unsentPlan.read(room.id, decision);
  const plan = drawn?.decision === decision ? drawn.plan : kept ? readPlan(kept, own) : emptyPlan(phases);
  const text = writePlan(plan, own);
  const latest = useRef(plan); // ahead of `plan` until the next render: a quick L locks in what was just typed
  latest.current = plan;
  const changePlan = (next: Order[]) => {
    latest.current = next;
    setDrawn({ decision, plan: next });
  };
  const drafted = useRef(""); // the decision for which the server has a draft, which an emptied plan withdraws
  const enemy = nearestEnemy(view.ships, seat ?? 0);
  const acting = !!state?.to_move;
  const preview = room.preview?.seat === seat && room.preview.action === text ? room.preview : null;

  useLayoutEffect(() => {
    if (state?.draft) drafted.current = decision;
    setGuess((g) => g && emptyPlan(phases));
    setHinted(false);
  }, [seat, moves]);
  const cards = useRef<HTMLElement>(null);
  const byKey = useRef(false);
  const lockIn = (key: boolean) => {
    if (seat === null || !acting || preview?.problem) return;
    byKey.current = key;
    connection.send({ type: "act", seat, action: writePlan(latest.current, own), moves });
  };
  useEffect(() => {
    // Whoever plays by keyboard finds the first card focused again when the next turn is planned.
    if (!acting || !ready || !byKey.current || document.activeElement !== document.body) return;
    cards.current?.querySelector<HTMLElement>('[data-phase="0"] [data-part="move"]')?.focus({ preventScroll: true });
  }, [acting, ready, moves, seat]);
  useLayoutEffect(() => {
    // Before the paint: a key pressed at once must not meet the listener of an earlier plan.
    const onKey = (event: KeyboardEvent) => {
      const typing = (event.target as Element).closest?.("input, textarea, select, dialog");
      if (event.key.toLowerCase() !== "l" || typing || !ready || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      lockIn(true);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  useEffect(() => {
    if (seat === null || !acting) return;
    const others = guess ? { [enemy]: writePlan(guess, ships[enemy]!) } : {};
    connection.send({ type: "preview", seat, action: text, others });
    const blank = plan.every((o) => o.move === "none" && !o.side);
    unsentPlan.keep(room.id, decision, blank ? null : text);
    if (room.info?.clock == null || (blank && drafted.current !== decision)) return;
    drafted.current = blank ? "" : decision;
    connection.send({ type: "draft", seat, action: blank ? null : text });
  }, [text, guess, seat, moves, acting]);
  useEffect(() => {
    if (hinted && room.hint?.action && room.hint.seat === seat) changePlan(readPlan(room.hint.action, own));
  }, [room.hint?.id]);

  const ghost = acting && preview?.outcome ? (preview.outcome as unknown as NavigationState).log : null;
  const panel = (names: string[]) => {
    if (seat === null || room.position?.status !== "playing") return null;
    if (!view.ships[seat]!.alive) return <p class="panel soft">Your ship is out of the game. Your side fights on.</p>;
    if (!acting) return <p class="panel soft">Your plan is locked in. Waiting for {ships.length > 2 ? "the others" : "the other player"}.</p>;
    return (
      <section class="plan-panel stack" aria-label="Planner" ref={cards}>
        <div class="planner-head small soft" aria-hidden="true">
          <span>port</span>
          <span>move</span>
          <span>starboard</span>
        </div>
        <Planner plan={plan} ship={own} name={names[seat]!} seat={seat} change={changePlan} />
        <p class={`trouble small ${preview?.problem ? "note" : ""}`}>{preview?.problem ?? ""}</p>
        <div class="row lock-bar">
          <button type="button" class="button primary" disabled={!!preview?.problem} aria-keyshortcuts="L" onClick={(e) => lockIn(e.detail === 0)}>
            <Check /> Lock in <kbd aria-hidden="true">L</kbd>
          </button>
          <button type="button" class="button" onClick={() => changePlan(emptyPlan(phases))}>
            <Cross /> Clear
          </button>
        </div>
        <label class="check small">
          <input type="checkbox" checked={guess !== null} onChange={(e) => setGuess(e.currentTarget.checked ? emptyPlan(phases) : null)} />
          Guess the {ships.length > 2 ? "nearest " : ""}enemy’s plan
        </label>
        {guess && <Planner plan={guess} ship={ships[enemy]!} name={`${names[enemy]}, guessed`} seat={enemy} change={setGuess} />}
      </section>
    );
  };
  const askHint = () => {
    if (seat === null || !acting) return;
    setHinted(true);
    connection.send({ type: "hint", seat });
  };
  return { ghost, panel, guessing: guess !== null, enemy, hinted, askHint };
}
