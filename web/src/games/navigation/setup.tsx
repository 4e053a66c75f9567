// The lobby of Battle Navigation: how many players, their ships, and the map.
import { useEffect, useState } from "preact/hooks";
import { maps } from "../../prefs";
import { checkSettings } from "../../rest";
import { useStore } from "../../store";
import type { NavigationSeaMap, NavigationSpawn } from "../../wire";
import type { SetupProps } from "../module";
import { hullPath } from "./arena";
import { SeaMapChart } from "./map";
import { type ShipRow, sideOfSeat } from "./plan";
import { ShipFacts } from "./planner";
import { headingOf } from "./playback";

interface Offered {
  map: NavigationSeaMap;
  spawns: NavigationSpawn[];
  ships: ShipRow[];
  types: ShipRow[];
}

/** How many players there can be, and what that means. */
const PLAYERS = [
  ["2", "2: one ship each"],
  ["4", "4: two ships a side"],
  ["6", "6: three ships a side"],
] as const;
const ORDINALS = ["First", "Second", "Third", "Fourth", "Fifth", "Sixth"];

/** Ships for so many players: those that are chosen, and both sides alike beyond. */
export function shipsFor(players: number, ships: readonly string[]): string[] {
  const more = ["cutter", "cutter", "dhow", "dhow"];
  return [...ships, ...more.slice(ships.length - 2)].slice(0, players);
}

export function NavigationSetup({ game, settings, change }: SetupProps) {
  const saved = useStore(maps);
  const offered = useOffered(game.name, settings);
  const [seed, setSeed] = useState("7");
  const ships = (settings.ships ?? offered?.ships.map((s) => s.name) ?? []) as string[];
  const kind = typeof settings.map === "object" ? "saved" : String(settings.map ?? "default").split(":")[0]!;
  const set = (part: Record<string, unknown>) => change({ ...settings, ...part });
  const chosen = typeof settings.map === "object" ? (settings.map as NavigationSeaMap).name : "";

  useEffect(() => {
    const wished = new URLSearchParams(location.search).get("map");
    if (wished && saved[wished]) set({ map: saved[wished] });
  }, []);

  function pickMap(value: string) {
    if (value === "default") set({ map: "default" });
    else if (value === "procedural") set({ map: `procedural:${seed}` });
    else if (value.startsWith("saved:")) set({ map: saved[value.slice(6)] });
  }
  return (
    <div class="stack">
      <label class="field">
        Players
        <select value={String(ships.length)} onChange={(e) => set({ ships: shipsFor(Number(e.currentTarget.value), ships) })}>
          {PLAYERS.map(([count, words]) => (
            <option value={count} key={count}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <div class="fields">
        {ships.map((_, seat) => (
          <label class="field" key={seat}>
            {ORDINALS[seat]} ship{ships.length > 2 && `, ${sideOfSeat(seat) === 0 ? "first" : "second"} side`}
            <select
              value={ships[seat] ?? ""}
              onChange={(e) => set({ ships: ships.map((s, i) => (i === seat ? e.currentTarget.value : s)) })}
            >
              {offered?.types.map((ship) => (
                <option value={ship.name} key={ship.name}>
                  {ship.label}
                </option>
              ))}
            </select>
            {offered?.ships[seat] && (
              <>
                <ShipFacts ship={offered.ships[seat]!} />
                <span>{offered.ships[seat]!.hp} hit points</span>
              </>
            )}
          </label>
        ))}
      </div>
      <div class="fields">
        <label class="field">
          Map
          <select value={kind === "saved" ? `saved:${chosen}` : kind} onChange={(e) => pickMap(e.currentTarget.value)}>
            <option value="default">The Three Lanes</option>
            <option value="procedural">Random map from a seed</option>
            {Object.keys(saved).length > 0 && (
              <optgroup label="Your maps">
                {Object.keys(saved).map((name) => (
                  <option value={`saved:${name}`} key={name}>
                    {name}
                  </option>
                ))}
              </optgroup>
            )}
          </select>
        </label>
        {kind === "procedural" && (
          <label class="field">
            Seed
            <input
              inputMode="numeric"
              value={seed}
              onInput={(e) => {
                const text = e.currentTarget.value.replace(/\D/g, "").slice(0, 15);
                setSeed(text);
                set({ map: `procedural:${text || "0"}` });
              }}
            />
          </label>
        )}
      </div>
      <p class="small">
        <a href="/maps">Draw your own map</a>
      </p>
    </div>
  );
}

/** The map with the ships where they will begin. */
export function NavigationPoster({ settings }: { settings: Record<string, unknown> }) {
  const offered = useOffered("navigation", settings);
  if (!offered) return <div class="poster-space" />;
  return (
    <SeaMapChart map={offered.map} label={`Map: ${offered.map.name}`}>
      {offered.spawns.map((spawn, seat) => (
        <g class={`ship side-${sideOfSeat(seat)}`} transform={`translate(${spawn.x + 0.5} ${spawn.y + 0.5}) rotate(${headingOf(spawn.facing)})`}>
          <path class="hull" d={hullPath(offered.ships[seat]!.name)} />
        </g>
      ))}
    </SeaMapChart>
  );
}

/** The map and the ships that these settings mean, as the server sees them. */
function useOffered(game: string, settings: Record<string, unknown>): Offered | null {
  const [offered, setOffered] = useState<Offered | null>(null);
  useEffect(() => {
    let wanted = true;
    checkSettings(game, { settings }).then(
      (checked) => wanted && checked.ok && setOffered(checked.scene as unknown as Offered),
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [JSON.stringify(settings)]);
  return offered;
}
