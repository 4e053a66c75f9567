// Battleship for the shell.
import type { BattleshipView } from "../../wire";
import type { GameModule, PictureProps, SetupProps } from "../module";
import { HeatChart, SeaChart } from "./board";
import { BattleshipMark } from "./mark";
import { BattleshipMini } from "./mini";
import { BattleshipPlay, targetOf } from "./play";
import type { BattleshipInsight, Board } from "./sea";
import { Thought } from "./thought";

function Picture({ view, scene, seat, insight, seatNames }: PictureProps) {
  const { seas } = view as BattleshipView;
  const boards = scene.boards as Board[];
  const aim = targetOf(seat, seas.length);
  const { heat, best } = (insight ?? {}) as BattleshipInsight;
  const shown = insight || seas.length === 1 ? [aim] : [aim, 1 - aim];
  return (
    <div class={`seas ${shown.length > 1 || heat ? "two" : ""}`}>
      {shown.map((owner) => (
        <figure class="sea-figure" key={owner}>
          <SeaChart board={boards[owner]!} sea={seas[owner]!} label={caption(owner, seas.length, seatNames)} best={best ?? null} />
          <figcaption class="small soft">{caption(owner, seas.length, seatNames)}</figcaption>
        </figure>
      ))}
      {heat && (
        <figure class="sea-figure">
          <HeatChart board={boards[aim]!} heat={heat} best={best ?? null} sea={seas[aim]!} />
          <figcaption class="small soft">Chance of a ship, in percent</figcaption>
        </figure>
      )}
    </div>
  );
}

function caption(owner: number, seas: number, names: string[]): string {
  return seas === 1 ? "Hidden board" : `Board of ${names[owner] ?? `seat ${owner + 1}`}`;
}

function Setup({ settings, change }: SetupProps) {
  const set = (part: Record<string, unknown>) => change({ ...settings, ...part });
  const side = Number(settings.rows ?? 10);
  return (
    <div class="stack">
      <div class="fields">
        <label class="field">
          Board
          <select
            value={String(side)}
            onChange={(e) => set({ rows: Number(e.currentTarget.value), cols: Number(e.currentTarget.value) })}
          >
            {[6, 8, 10, 12].map((n) => (
              <option value={n}>{`${n}×${n}`}</option>
            ))}
          </select>
        </label>
        <label class="field">
          Mines
          <select value={String(settings.mines ?? 0)} onChange={(e) => set({ mines: Number(e.currentTarget.value) })}>
            {[0, 3, 5].map((n) => (
              <option value={n}>{n === 0 ? "None" : String(n)}</option>
            ))}
          </select>
        </label>
      </div>
      <div class="row">
        <label class="check">
          <input type="checkbox" checked={settings.salvo === true} onChange={(e) => set({ salvo: e.currentTarget.checked })} />
          Salvo: a shot for every ship afloat
        </label>
        <label class="check">
          <input type="checkbox" checked={settings.touching === true} onChange={(e) => set({ touching: e.currentTarget.checked })} />
          Ships may touch
        </label>
      </div>
    </div>
  );
}

export const battleship: GameModule = {
  title: "Battleship",
  pitch: "Find and sink a fleet that you can’t see.",
  hard: "Hidden information",
  Mini: BattleshipMini,
  Mark: BattleshipMark,
  inWords: (action) => (/-/.test(action) ? "fleet placed" : action.replaceAll("+", ", ")),
  Play: BattleshipPlay,
  Picture,
  Thought,
  thinker: "exact",
  Setup,
  pace: 0.6,
  quick: { variant: "duel" },
  score: (value) => `${-value} shots`,
  curve: { field: "entropy_bits", label: "Uncertainty about the fleet", unit: "bits" },
};
