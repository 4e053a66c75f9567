// The arena in two dimensions: the chart, all ships at a moment, balls and hooks, plans as ghosts.
import { useId } from "preact/hooks";
import type { NavigationPhaseEntry, NavigationSeaMap } from "../../wire";
import { SeaMapChart } from "./map";
import { type ShipRow, sideOfSeat } from "./plan";
import { type ChartWindow, ZoomBox } from "./zoom";
import { type Flight, headingOf, inSight, type Moment, type ShipAt, stepOf, trackOf } from "./playback";

export interface ArenaProps {
  map: NavigationSeaMap;
  ships: ShipRow[];
  moment: Moment;
  /** What the plan being drawn up would do. */
  ghost: readonly NavigationPhaseEntry[] | null;
  /** Ships whose ghosts are drawn. */
  ghostSeats: number[];
  ranges: boolean;
  /** Whether a turn is being played back. */
  playing: boolean;
  /** The player's own ship, if any. */
  seat: number | null;
  label: string;
}

export function Arena(props: ArenaProps) {
  const { map, moment } = props;
  return (
    <ZoomBox cols={map.width} rows={map.height} ships={moment.ships.length > 2 ? inSight(moment.ships) : moment.ships}>
      {(window, zoom) => <ArenaChart {...props} window={window} size={sizeOf(map, zoom)} />}
    </ZoomBox>
  );
}

/** How much larger than its tile a ship is drawn: small tiles, as on a phone, need larger ships. */
function sizeOf(map: NavigationSeaMap, zoom: number): number {
  const tile = (Math.min(innerWidth, 760) / (map.width + 2)) * zoom;
  return tile < 22 ? Math.min(1.7, 22 / tile) : 1;
}

function ArenaChart(props: ArenaProps & { window: ChartWindow; size: number }) {
  const { map, ships, moment, ghost } = props;
  const sea = useId();
  return (
    <SeaMapChart map={map} label={props.label} window={props.window}>
      <clipPath id={sea}>
        <rect width={map.width} height={map.height} />
      </clipPath>
      {props.ranges && (
        <g clip-path={`url(#${sea})`}>
          {moment.ships.map((at, seat) => (
            <Range key={seat} at={at} ship={ships[seat]!} seat={seat} />
          ))}
        </g>
      )}
      {ghost && props.ghostSeats.map((seat) => <Ghost key={seat} log={ghost} seat={seat} ship={ships[seat]!} />)}
      {moment.ships.map((at, seat) => (
        <ShipMark key={seat} at={at} seat={seat} ship={ships[seat]!} own={props.seat === seat} size={props.size} />
      ))}
      {moment.flights.map((flight, i) => (
        <FlightMark key={i} flight={flight} />
      ))}
    </SeaMapChart>
  );
}

/** Half lengths and beams by type, in tiles: larger ships look larger. */
const LENGTHS: Record<string, number> = {
  sloop: 0.44,
  cutter: 0.5,
  dhow: 0.52,
  war_brig: 0.56,
  baghlah: 0.6,
  war_frigate: 0.63,
};

export function hullPath(type: string): string {
  const l = LENGTHS[type] ?? 0.54;
  const b = l * 0.5;
  return `M0 ${-l}C${b} ${-l * 0.55} ${b} ${l * 0.3} ${b * 0.72} ${l}L${-b * 0.72} ${l}C${-b} ${l * 0.3} ${-b} ${-l * 0.55} 0 ${-l}Z`;
}

export function sailsOf(type: string): number[] {
  const l = LENGTHS[type] ?? 0.54;
  const masts = type === "war_frigate" || type === "baghlah" ? 3 : type === "sloop" ? 1 : 2;
  return Array.from({ length: masts }, (_, i) => (masts === 1 ? 0 : -0.45 * l + (0.95 * l * i) / (masts - 1)));
}

interface ShipMarkProps {
  at: ShipAt;
  seat: number;
  ship: ShipRow;
  own: boolean;
  size: number;
}

/** A ship; one that is sunk stays visible as a wreck. */
function ShipMark({ at, seat, ship, own, size }: ShipMarkProps) {
  const sunk = Math.min(1, at.sunk);
  return (
    <g
      class={`ship side-${sideOfSeat(seat)} ${sunk >= 1 ? "wreck" : ""}`}
      transform={`translate(${at.x + 0.5} ${at.y + 0.5}) rotate(${(at.heading + 14 * sunk).toFixed(2)}) scale(${(size * (1 - 0.15 * sunk)).toFixed(3)})`}
      opacity={1 - 0.5 * sunk}
    >
      {own && sunk < 1 && <circle class="own-ring" r={0.8} />}
      <path class="wake" d="M-0.160 0.520L-0.340 1M0.160 0.520L0.340 1" />
      <path class="hull" d={hullPath(ship.name)} />
      {sailsOf(ship.name).map((y) => (
        <path class="sail" d={`M${-0.2 - at.bank * 0.04} ${y + 0.02}Q0 ${y - 0.13} ${0.2 - at.bank * 0.04} ${y + 0.02}`} />
      ))}
    </g>
  );
}

/** Where a ship's guns reach: a lane on either side, one mark a tile. */
function Range({ at, ship, seat }: { at: ShipAt; ship: ShipRow; seat: number }) {
  if (at.sunk > 0) return null;
  const lane = (way: 1 | -1) => (
    <g transform={`scale(${way} 1)`}>
      <rect x={0.5} y={-0.4} width={ship.range} height={0.8} rx={0.1} />
      {Array.from({ length: ship.range }, (_, i) => (
        <circle cx={1 + i} cy={0} r={0.07} />
      ))}
    </g>
  );
  return (
    <g class={`range side-${sideOfSeat(seat)}`} transform={`translate(${at.x + 0.5} ${at.y + 0.5}) rotate(${at.heading.toFixed(1)})`}>
      {lane(1)}
      {lane(-1)}
    </g>
  );
}

function Ghost({ log, seat, ship }: { log: readonly NavigationPhaseEntry[]; seat: number; ship: ShipRow }) {
  if (log.every(({ orders }) => orders[seat]!.move === "none" && orders[seat]!.action === "none")) return null;
  return (
    <g class={`ghost side-${sideOfSeat(seat)}`}>
      <path class="track" d={trackOf(log, seat)} />
      {log.map((entry) => {
        const at = entry.drifted[seat]!;
        const shot = entry.events.find((e) => e.seat === seat && e.kind !== "ram");
        const [dx, dy] = stepOf(at.facing);
        return (
          <g key={entry.phase}>
            {shot && <line class={shot.target === null ? "aimed" : "aimed hits"} x1={at.x + 0.5} y1={at.y + 0.5} x2={shot.x + 0.5} y2={shot.y + 0.5} />}
            <g transform={`translate(${at.x + 0.5} ${at.y + 0.5}) rotate(${headingOf(at.facing)})`}>
              <path class="hull" d={hullPath(ship.name)} />
            </g>
            <g class="phase-tag" transform={`translate(${at.x + 0.5 - dy * 0.42 - dx * 0.1} ${at.y + 0.5 - dx * 0.42 - dy * 0.1})`}>
              <circle r={0.2} />
              <text>{entry.phase}</text>
            </g>
          </g>
        );
      })}
    </g>
  );
}

function FlightMark({ flight }: { flight: Flight }) {
  const { from, to, progress: p } = flight;
  const at = (u: number) => ({ x: from.x + (to.x - from.x) * u + 0.5, y: from.y + (to.y - from.y) * u + 0.5 });
  const here = at(Math.min(1, p));
  if (flight.kind === "hook") {
    return (
      <g class="hook" opacity={p > 1 && !flight.hits ? 2 - p : 1}>
        <line x1={from.x + 0.5} y1={from.y + 0.5} x2={here.x} y2={here.y} />
        <circle cx={here.x} cy={here.y} r={0.1} />
      </g>
    );
  }
  if (p <= 1) {
    const tail = at(Math.max(0, p - 0.25));
    return (
      <g class="ball">
        <line x1={tail.x} y1={tail.y} x2={here.x} y2={here.y} />
        <circle cx={here.x} cy={here.y} r={0.11 + 0.05 * Math.sin(Math.PI * p)} />
        {p < 0.25 && <circle class="muzzle" cx={from.x + 0.5} cy={from.y + 0.5} r={0.25 + p} opacity={1 - 4 * p} />}
      </g>
    );
  }
  const fade = p - 1;
  return (
    <g class={flight.hits ? "burst" : "splash"} opacity={1 - fade}>
      <circle cx={here.x} cy={here.y} r={0.15 + 0.4 * fade} />
      {flight.hits && <path d={star(here.x, here.y, 0.2 + 0.35 * fade)} />}
    </g>
  );
}

function star(x: number, y: number, reach: number): string {
  return Array.from({ length: 8 }, (_, i) => {
    const angle = (i * Math.PI) / 4;
    return `M${x + 0.4 * reach * Math.cos(angle)} ${y + 0.4 * reach * Math.sin(angle)}L${x + reach * Math.cos(angle)} ${y + reach * Math.sin(angle)}`;
  }).join("");
}
