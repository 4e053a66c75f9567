// The map editor: a palette, the chart, what is wrong with it, and the maps that are kept.
import { useEffect, useState } from "preact/hooks";
import { notify } from "../announce";
import { hullPath } from "../games/navigation/arena";
import { colName, SeaMapChart } from "../games/navigation/map";
import { headingOf } from "../games/navigation/playback";
import { forgetMap, mapDraft, maps, saveMap } from "../prefs";
import { checkMap, getMap, Refused } from "../rest";
import type { Route } from "../route";
import { useStore } from "../store";
import { Cells } from "../ui/chart";
import { Download, Play, Undo, Upload } from "../ui/icons";
import { useTyped } from "../ui/typed";
import type { NavigationSeaMap } from "../wire";
import { emptyMap, idOf, LONGEST, resized, SHORTEST, sideOf, type Tool, use, useFairly, whatIsAt } from "./draw";
import { Palette } from "./palette";

export function EditorPage({ here }: { here: Route }) {
  const name = here.page === "maps" ? here.name : null;
  const [past, setPast] = useState<NavigationSeaMap[]>([]);
  const [kept] = useState(() => (name ? null : mapDraft.read()));
  const [map, setMap] = useState<NavigationSeaMap>(() => (name && maps.get()[name]) || kept || emptyMap());
  const [tool, setTool] = useState<Tool>("rock small");
  const [fair, setFair] = useState(true);
  const found = useProblems(map);
  const problems = found && (map.name.trim() ? found : [...found, "the map needs a name"]);

  useEffect(() => {
    if (kept) notify("Your unsaved map is back.");
  }, []);
  const change = (next: NavigationSeaMap) => {
    setPast([...past.slice(-99), map]);
    setMap(next);
    mapDraft.keep(next);
  };
  const draw = (row: number, col: number) => change((fair ? useFairly : use)(map, tool, col, row));
  const undo = () => {
    const last = past.at(-1);
    if (last) {
      setMap(last);
      mapDraft.keep(last);
    }
    setPast(past.slice(0, -1));
  };
  return (
    <div class="table editor">
      <section class="board-side" aria-label="Map">
        <SeaMapChart
          map={map}
          label={`Map ${map.name}`}
          class="drawing"
          over={
            <Cells
              cols={map.width}
              rows={map.height}
              label="Map"
              name={(row, col) => `${colName(col)}${row + 1} ${whatIsAt(map, col, row)}`}
              open={() => true}
              onPick={draw}
              onSweep={tool.startsWith("spawn") ? undefined : draw}
              onKey={(event) => {
                const asked = event.key === "z" && (event.ctrlKey || event.metaKey);
                if (asked) undo();
                return asked;
              }}
            />
          }
        >
          {map.spawns.map((spawn, seat) => (
            <g class={`ship side-${seat}`} transform={`translate(${spawn.x + 0.5} ${spawn.y + 0.5}) rotate(${headingOf(spawn.facing)})`}>
              <circle class="own-ring" r={0.75} />
              <path class="hull" d={hullPath("war_brig")} />
            </g>
          ))}
        </SeaMapChart>
      </section>
      <aside class="panel-side" aria-label="Tools">
        <h1>Map editor</h1>
        <Palette tool={tool} onChange={setTool} />
        <div class="row">
          <label class="check">
            <input type="checkbox" checked={fair} onChange={(e) => setFair(e.currentTarget.checked)} />
            Symmetric: draw on both sides
          </label>
          <button type="button" class="button small" disabled={past.length === 0} onClick={undo}>
            <Undo /> Undo
          </button>
        </div>
        <Problems problems={problems} />
        <Details map={map} change={change} problems={problems} />
        <Shelf map={map} open={change} />
      </aside>
    </div>
  );
}

/** What the server says is wrong, asked as the map is drawn. */
function useProblems(map: NavigationSeaMap): string[] | null {
  const [problems, setProblems] = useState<string[] | null>(null);
  useEffect(() => {
    let wanted = true;
    const timer = setTimeout(() => {
      checkMap(map).then(
        (checked) => wanted && setProblems(checked.problems),
        (error: Error) => wanted && setProblems([error.message]),
      );
    }, 200);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [map]);
  return problems;
}

function Problems({ problems }: { problems: string[] | null }) {
  const fine = problems !== null && problems.length === 0;
  return (
    <div class={`problems small ${fine || !problems ? "soft" : "note"}`} role="status">
      {problems === null && "Checking the map…"}
      {fine && "This map is valid."}
      {problems && problems.length > 0 && (
        <ul>
          {problems.slice(0, 4).map((p) => (
            <li>{p}</li>
          ))}
          {problems.length > 4 && <li>and {problems.length - 4} more</li>}
        </ul>
      )}
    </div>
  );
}

function Details(props: { map: NavigationSeaMap; change: (map: NavigationSeaMap) => void; problems: string[] | null }) {
  const { map, change, problems } = props;
  const set = (part: Partial<NavigationSeaMap>) => change({ ...map, ...part });
  const save = () => {
    saveMap({ ...map, id: idOf(map.name) });
    mapDraft.keep(null);
    notify(`“${map.name}” is saved in this browser and can be chosen in the lobby.`);
  };
  return (
    <section class="panel stack">
      <label class="field">
        Name
        <input value={map.name} maxLength={80} onInput={(e) => set({ name: e.currentTarget.value })} />
      </label>
      <div class="fields narrow">
        <SideField label="Width" side={map.width} change={(width) => change(resized(map, width, map.height))} />
        <SideField label="Height" side={map.height} change={(height) => change(resized(map, map.width, height))} />
        <label class="field">
          Author
          <input value={map.author ?? ""} maxLength={80} onInput={(e) => set({ author: e.currentTarget.value })} />
        </label>
      </div>
      <div class="row">
        <button type="button" class="button primary" disabled={problems === null || problems.length > 0} onClick={save}>
          Save
        </button>
        <button type="button" class="button" onClick={() => exportMap(map)}>
          <Download /> Export
        </button>
        <label class="button">
          <Upload /> Import
          <input
            type="file"
            class="visually-hidden"
            accept=".json,application/json"
            onChange={async (e) => {
              const file = e.currentTarget.files?.[0];
              e.currentTarget.value = ""; // the same file can be chosen again
              if (file) await importMap(file, change);
            }}
          />
        </label>
      </div>
    </section>
  );
}

function SideField({ label, side, change }: { label: string; side: number; change: (side: number) => void }) {
  const field = useTyped(side, (typed) => change(sideOf(typed)));
  return (
    <label class="field">
      {label}
      <input type="number" min={SHORTEST} max={LONGEST} {...field} />
    </label>
  );
}

/** Maps to go on with: those kept here, the game's own, and one for every seed. */
function Shelf({ map, open }: { map: NavigationSeaMap; open: (map: NavigationSeaMap) => void }) {
  const saved = useStore(maps);
  const fetchMap = (name: string) =>
    getMap(name).then((got) => open({ ...got, id: "custom", name: `${got.name}, changed` }), (e: Error) => notify(e.message));
  return (
    <section class="panel stack">
      <h2>Maps</h2>
      <ul class="plain-list">
        {Object.values(saved).map((kept) => (
          <li key={kept.name}>
            <span>
              {kept.name}{" "}
              <span class="soft small">
                {kept.width}×{kept.height}
              </span>
            </span>
            <span class="row">
              <a class="button small" href={`/new/navigation?map=${encodeURIComponent(kept.name)}`}>
                <Play /> Play
                <span class="visually-hidden"> on {kept.name}</span>
              </a>
              <button type="button" class="button small" disabled={kept === map} onClick={() => open(kept)}>
                Edit
                <span class="visually-hidden"> {kept.name}</span>
              </button>
              <DeleteButton name={kept.name} />
            </span>
          </li>
        ))}
        {Object.keys(saved).length === 0 && <li class="soft small">No saved maps yet.</li>}
      </ul>
      <div class="row">
        <button type="button" class="button small" onClick={() => open(emptyMap())}>
          Empty map
        </button>
        <button type="button" class="button small" onClick={() => void fetchMap("default")}>
          The Three Lanes
        </button>
        <button type="button" class="button small" onClick={() => void fetchMap(`procedural:${Math.floor(Math.random() * 10_000)}`)}>
          Random map
        </button>
      </div>
    </section>
  );
}

function DeleteButton({ name }: { name: string }) {
  const [sure, setSure] = useState(false);
  return (
    <button type="button" class="button small" onBlur={() => setSure(false)} onClick={() => (sure ? forgetMap(name) : setSure(true))}>
      {sure ? "Really delete?" : "Delete"}
      <span class="visually-hidden"> {name}</span>
    </button>
  );
}

function exportMap(map: NavigationSeaMap): void {
  const link = document.createElement("a");
  const text = `${JSON.stringify({ ...map, id: idOf(map.name) }, null, 2)}\n`;
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `${idOf(map.name)}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

async function importMap(file: File, open: (map: NavigationSeaMap) => void): Promise<void> {
  try {
    const map: unknown = JSON.parse(await file.text());
    const { ok, problems } = await checkMap(map);
    if (!ok) return notify(problems.slice(0, 3).join("; "), 10);
    open({ ...emptyMap(), ...(map as Partial<NavigationSeaMap>) });
  } catch (error) {
    notify(error instanceof Refused ? error.message : "This file is not a map: it is not JSON.", 8);
  }
}
