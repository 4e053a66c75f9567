// The lobby of a game: who plays, how strong, by which rules; then one button.
import { useEffect, useState } from "preact/hooks";
import { MODULES, moduleOf } from "../games";
import { gamesStore } from "../games/catalogue";
import { nextOpponent, offeredBy } from "../games/opponents";
import { prefs, setPrefs, setRung } from "../prefs";
import { checkSettings } from "../rest";
import { useStore } from "../store";
import { Choice } from "../ui/choice";
import { Play } from "../ui/icons";
import { NotFound } from "../ui/not-found";
import { RulesButton } from "../ui/rules";
import type { GameInfo, OpponentInfo, SeatChoice } from "../wire";
import { AgentPicker, type Picked } from "./agents";
import { begin } from "./begin";
import { type ClockChoice, ClockPicker, clockOf, usualClock } from "./clock";
import { hasOpponents, OpponentPicker } from "./opponents";

type Mode = "agent" | "friend" | "hotseat" | "watch" | "alone";

export function LobbyPage({ name }: { name: string }) {
  const games = useStore(gamesStore);
  const info = games.find((g) => g.name === name);
  if (!info && games.length > 0 && !MODULES[name]) return <NotFound title={`There is no game called ${name}`} />;
  if (!info) return <p class="soft loading">Loading…</p>;
  return <Lobby info={info} />;
}

/** The ways in which a game can be played. */
function modesOf(info: GameInfo): [Mode, string][] {
  if (seatsOf(info) === 1) return [["alone", "Alone"], ["watch", "Watch"]];
  const two: [Mode, string][] = [
    ["agent", "Computer"],
    ["friend", "Friend online"],
    ["hotseat", "Same screen"],
    ["watch", "Watch"],
  ];
  return info.versus === null ? two : [...two, ["alone", "Alone"]];
}

/** The settings that a new game begins with: those of one click's game, where they are not its mode. */
function usualSettings(info: GameInfo, variant: string | undefined): Record<string, unknown> {
  return variant === undefined || variant === info.versus ? {} : { ...info.variants[variant] };
}

/** The mode that the address asks for, such as `?mode=friend`. */
function wishedMode(info: GameInfo): Mode | null {
  const wished = new URLSearchParams(location.search).get("mode");
  return modesOf(info).find(([mode]) => mode === wished)?.[0] ?? null;
}

/** How many seats a game has unless it is played alone. */
function seatsOf(info: GameInfo): number {
  return info.versus === null ? info.seats : 2;
}

const ORDINALS = ["First", "Second", "Third", "Fourth", "Fifth", "Sixth"];

/** The seats to choose from, by their place in the order of play. */
function sidesOf(seats: number): [string, string][] {
  const places = Array.from({ length: seats }, (_, seat): [string, string] => [String(seat), ORDINALS[seat] ?? `${seat + 1}th`]);
  return [...places, ["any", seats > 2 ? "Any" : "Either"]];
}

export function Lobby({ info }: { info: GameInfo }) {
  const module = moduleOf(info.name, info);
  const { name } = useStore(prefs);
  const [mode, setMode] = useState<Mode>(() => wishedMode(info) ?? (seatsOf(info) === 1 ? "alone" : "agent"));
  const [side, setSide] = useState("0");
  const usual: Picked = { spec: info.opponent, think: 1 };
  const first = nextOpponent(info);
  const [named, setNamed] = useState<Picked | null>(first ? { spec: first.spec, think: first.think } : null);
  const [raw, setRaw] = useState<Picked | null>(null);
  const agent = raw ?? named ?? usual;
  const [other, setOther] = useState<Picked>(usual);
  const [settings, setSettings] = useState<Record<string, unknown>>(() => usualSettings(info, module.quick.variant));
  const [isPublic, setPublic] = useState(true);
  const [clock, setClock] = useState<ClockChoice>(usualClock(info));
  const [busy, setBusy] = useState(false);
  const { problem, seats: players } = useChecked(info, mode, settings);
  const seats = Math.max(players ?? 0, seatsOf(info));

  const pickOpponent = (o: OpponentInfo) => {
    setNamed({ spec: o.spec, think: o.think });
    setRaw(null);
    setRung(info.name, offeredBy(info).indexOf(o));
  };
  const start = async () => {
    setBusy(true);
    const seat = side === "any" ? Math.floor(Math.random() * seats) : Math.min(Number(side), seats - 1);
    await begin({
      game: info.name,
      variant: mode === "alone" ? null : info.versus,
      settings,
      seats: chairs(mode, seats, seat, mode === "watch" ? (raw ?? usual).spec : agent.spec, other.spec, module.sides),
      think: agent.think,
      pace: mode === "watch" ? module.pace : 0.25,
      public: isPublic,
      ...clockOf(clock),
    });
    setBusy(false);
  };
  return (
    <div class="lobby">
      <section class="lobby-picture" aria-hidden="true">
        {module.Poster ? <module.Poster game={info.name} settings={settings} /> : <module.Mini />}
      </section>
      <section class="panel stack">
        <div>
          <p class="eyebrow small">{module.hard}</p>
          <div class="row spread">
            <h1>{module.title}</h1>
            <RulesButton game={info.name} variant={mode === "alone" ? null : info.versus} settings={settings} />
          </div>
          <p class="soft">{module.pitch}</p>
        </div>
        <Choice label="Mode" value={mode} options={modesOf(info)} onChange={setMode} />
        {(mode === "agent" || mode === "friend") && (
          <Choice
            label="You play"
            value={side}
            options={sidesOf(seats)}
            onChange={setSide}
          />
        )}
        {mode === "agent" && hasOpponents(info) && (
          <>
            <OpponentPicker info={info} value={raw ? "" : agent.spec} onChange={pickOpponent} />
            <details class="small" open={raw !== null} onToggle={(e) => setRaw(e.currentTarget.open ? (raw ?? usual) : null)}>
              <summary>Other agents, with their options</summary>
              <AgentPicker info={info} value={raw ?? usual} onChange={setRaw} label="Agent" />
            </details>
          </>
        )}
        {mode === "agent" && !hasOpponents(info) && <AgentPicker info={info} value={agent} onChange={setRaw} label="Opponent" />}
        {mode === "watch" && (
          <>
            <AgentPicker info={info} value={raw ?? usual} onChange={setRaw} label={seats > 2 && module.sides ? "First side" : "First agent"} />
            {seats > 1 && <AgentPicker info={info} value={other} onChange={setOther} label={othersOf(seats, module.sides)} plain />}
          </>
        )}
        {(mode === "friend" || mode === "agent") && (
          <label class="field">
            Your name
            <input value={name} maxLength={40} placeholder="Shown to other players" onInput={(e) => setPrefs({ name: e.currentTarget.value })} />
          </label>
        )}
        <module.Setup game={info} settings={settings} change={setSettings} />
        {mode !== "watch" && <ClockPicker info={info} value={clock} onChange={setClock} />}
        <div class="row">
          <label class="check">
            <input type="checkbox" checked={isPublic} onChange={(e) => setPublic(e.currentTarget.checked)} />
            Show in the list of open rooms
          </label>
        </div>
        <p class={`small trouble ${problem ? "note" : ""}`} role="status">
          {problem ?? ""}
        </p>
        <button type="button" class="button primary large" disabled={busy || problem !== null} onClick={() => void start()}>
          <Play /> {mode === "friend" ? "Open the room" : mode === "watch" ? "Watch" : "Start the game"}
        </button>
      </section>
    </div>
  );
}

/** What the agents are called that the first one plays. */
function othersOf(seats: number, sides?: boolean): string {
  if (seats <= 2) return "Second agent";
  return sides ? "Second side" : "Other agents";
}

/** Who sits where: `first` is the seat of whoever opens the room; with `sides` agents to watch are by side. */
export function chairs(mode: Mode, seats: number, first: number, agent: string, other: string, sides = false): SeatChoice[] {
  const me: SeatChoice = { kind: "me" };
  const all = (others: SeatChoice) => Array.from({ length: seats }, (_, seat) => (seat === first ? me : others));
  switch (mode) {
    case "agent":
      return all({ kind: "agent", agent });
    case "friend":
      return all({ kind: "open" });
    case "hotseat":
      return all(me);
    case "watch":
      return Array.from({ length: seats }, (_, seat) => ({ kind: "agent", agent: (sides ? seat % 2 : seat) === 0 ? agent : other }));
    case "alone":
      return [me];
  }
}

/** What the server says of the settings, asked as they change: what is wrong, and for how many they are. */
function useChecked(info: GameInfo, mode: Mode, settings: Record<string, unknown>): { problem: string | null; seats: number | null } {
  const [checked, setChecked] = useState<{ problem: string | null; seats: number | null }>({ problem: null, seats: null });
  useEffect(() => {
    let wanted = true;
    const variant = mode === "alone" ? null : info.versus;
    checkSettings(info.name, { variant, settings }).then(
      ({ ok, problem, seats }) => wanted && setChecked((last) => (ok ? { problem: null, seats } : { ...last, problem })),
      (error: Error) => wanted && setChecked((last) => ({ ...last, problem: error.message })),
    );
    return () => {
      wanted = false;
    };
  }, [info.name, mode, JSON.stringify(settings)]);
  return checked;
}
