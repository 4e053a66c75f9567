// The planner: four phase cards; the middle of a card cycles the move, its sides their guns.
import { useRef } from "preact/hooks";
import { cycleMove, cycleSide, type Move, moveWords, type Order, type ShipRow, type Side, sideOfSeat, sideWords } from "./plan";

export interface PlannerProps {
  plan: Order[];
  ship: ShipRow;
  /** What the cards are called, such as "Cutter". */
  name: string;
  seat: number;
  change?: (plan: Order[]) => void;
  /** The phase that is being played back, from 0. */
  playing?: number | null;
}

export function Planner({ plan, ship, name, seat, change, playing = null }: PlannerProps) {
  const cards = useRef<HTMLOListElement>(null);
  const latest = useRef(plan); // ahead of `plan` until the next render: quick keys come before it
  latest.current = plan;
  const set = (phase: number, order: Order) => {
    latest.current = latest.current.map((o, i) => (i === phase ? order : o));
    change?.(latest.current);
  };

  /** Letters as a quick way: w a d s sail, q and e work the guns, digits go to a phase. */
  function onKeyDown(event: KeyboardEvent) {
    if (!change || event.ctrlKey || event.metaKey || event.altKey) return;
    const card = (event.target as Element).closest<HTMLElement>("[data-phase]");
    const phase = Number(card?.dataset.phase ?? 0);
    const order = latest.current[phase];
    if (!order) return;
    const moves: Record<string, Move> = { w: "forward", a: "turn_left", d: "turn_right", s: "none" };
    const move = moves[event.key.toLowerCase()];
    if (move) set(phase, { ...order, move });
    else if (event.key === "q") set(phase, cycleSide(order, "port", ship));
    else if (event.key === "e") set(phase, cycleSide(order, "starboard", ship));
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const next = phase + (event.key === "ArrowDown" ? 1 : -1);
      const part = (event.target as HTMLElement).dataset.part ?? "move";
      cards.current?.querySelector<HTMLElement>(`[data-phase="${next}"] [data-part="${part}"]`)?.focus();
    } else if (/^[1-4]$/.test(event.key)) {
      cards.current?.querySelector<HTMLElement>(`[data-phase="${Number(event.key) - 1}"] [data-part="move"]`)?.focus();
    } else return;
    event.preventDefault();
  }
  return (
    <ol class={`planner side-${sideOfSeat(seat)}`} ref={cards} onKeyDown={onKeyDown} aria-label={`Plan of ${name}`}>
      {plan.map((order, phase) => (
        <li key={phase} class={`phase ${playing === phase ? "playing" : ""}`} data-phase={phase}>
          <span class="phase-number" aria-hidden="true">
            {phase + 1}
          </span>
          <SideButton {...{ order, phase, ship }} side="port" set={change && set} />
          <button
            type="button"
            class={`move ${order.move}`}
            data-part="move"
            disabled={!change}
            aria-label={`Phase ${phase + 1}, move: ${moveWords(order)}`}
            onClick={() => set(phase, cycleMove(order))}
            onContextMenu={(event) => {
              event.preventDefault();
              set(phase, cycleMove(order, -1));
            }}
          >
            <MoveIcon move={order.move} />
            <span>{moveWords(order)}</span>
          </button>
          <SideButton {...{ order, phase, ship }} side="starboard" set={change && set} />
        </li>
      ))}
    </ol>
  );
}

interface SideButtonProps {
  order: Order;
  phase: number;
  ship: ShipRow;
  side: Side;
  set: ((phase: number, order: Order) => void) | undefined;
}

function SideButton({ order, phase, ship, side, set }: SideButtonProps) {
  const words = sideWords(order, side);
  const active = order.side === side;
  return (
    <button
      type="button"
      class={`side ${side} ${active ? "active" : ""}`}
      data-part={side}
      disabled={!set}
      aria-label={`Phase ${phase + 1}, ${side}: ${words}`}
      onClick={() => set?.(phase, cycleSide(order, side, ship))}
    >
      {!active && <span class="nothing" />}
      {active && order.shots === 0 && <HookIcon />}
      {active && order.shots > 0 && <Balls count={order.shots} size={ship.cannonball} />}
    </button>
  );
}

const PATHS: Record<Move, string> = {
  none: "M7 12h10",
  forward: "M12 20V5M6.500 10.500 12 5l5.500 5.500",
  turn_left: "M16 20v-6a6 6 0 0 0-6-6H5M9.500 3.500 5 8l4.500 4.500",
  turn_right: "M8 20v-6a6 6 0 0 1 6-6h5M14.500 3.500 19 8l-4.500 4.500",
};

function MoveIcon({ move }: { move: Move }) {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.200" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={PATHS[move]} opacity={move === "none" ? 0.4 : 1} />
    </svg>
  );
}

function HookIcon() {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true">
      <path d="M12 3v12M12 15c0 3-2 5-4.500 5M12 15c0 3 2 5 4.500 5M7.500 20l-2-2.500M16.500 20l2-2.500M9.500 3h5" />
    </svg>
  );
}

const RADII: Record<string, number> = { small: 3, medium: 4, large: 5.2 };

export function Balls({ count, size }: { count: number; size: string }) {
  const r = RADII[size] ?? 4;
  const at = count === 1 ? [12] : [12 - r - 1.2, 12 + r + 1.2];
  return (
    <svg viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
      {at.slice(0, count).map((y) => (
        <circle cx={12} cy={y} r={r} />
      ))}
    </svg>
  );
}

/** What a ship can do, in one line. */
export function ShipFacts({ ship }: { ship: ShipRow & { damage?: number } }) {
  return (
    <span class="ship-facts small soft">
      <Balls count={1} size={ship.cannonball} />
      {ship.cannonball} balls · {ship.shots} {ship.shots === 1 ? "shot" : "shots"} · range {ship.range}
    </span>
  );
}

export function HitPoints({ hp, most, name }: { hp: number; most: number; name: string }) {
  return (
    <span
      class="hit-points"
      role="meter"
      aria-label={`Hit points of ${name}`}
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={hp}
    >
      <span class="bar">
        <span style={{ width: `${(100 * hp) / most}%` }} class={hp <= most / 3 ? "low" : ""} />
      </span>
      <span class="small">
        {hp}/{most}
      </span>
    </span>
  );
}
