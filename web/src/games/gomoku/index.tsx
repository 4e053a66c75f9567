// Gomoku for the shell.
import type { GomokuState } from "../../wire";
import type { GameModule, PictureProps, SetupProps } from "../module";
import { GomokuBoard } from "./board";
import { GomokuMark } from "./mark";
import { GomokuMini } from "./mini";
import { GomokuPlay } from "./play";
import type { GomokuInsight } from "./position";
import { Thought } from "./thought";

function Picture({ view, settings, insight }: PictureProps) {
  return (
    <GomokuBoard
      size={Number(settings.size ?? 15)}
      view={view as GomokuState}
      insight={insight as GomokuInsight | null}
      numbers
    />
  );
}

function Setup({ settings, change }: SetupProps) {
  return (
    <div class="fields">
      <label class="field">
        Board
        <select value={String(settings.size ?? 15)} onChange={(e) => change({ ...settings, size: Number(e.currentTarget.value) })}>
          {[9, 11, 13, 15, 19].map((size) => (
            <option value={size}>{`${size}×${size}`}</option>
          ))}
        </select>
      </label>
      <label class="field">
        Rule
        <select value={String(settings.rule ?? "standard")} onChange={(e) => change({ ...settings, rule: e.currentTarget.value })}>
          <option value="standard">Standard: exactly five win</option>
          <option value="freestyle">Freestyle: five or more win</option>
        </select>
      </label>
      <label class="field">
        Opening
        <select value={String(settings.opening ?? "none")} onChange={(e) => change({ ...settings, opening: e.currentTarget.value })}>
          <option value="none">Black moves first</option>
          <option value="swap2">Swap2: balanced opening</option>
        </select>
      </label>
    </div>
  );
}

export const gomoku: GameModule = {
  title: "Gomoku",
  pitch: "Exactly five in a row on a 15×15 board.",
  hard: "Deep search, nothing hidden",
  Mini: GomokuMini,
  Mark: GomokuMark,
  Play: GomokuPlay,
  Picture,
  Thought,
  thinker: "search",
  Setup,
  pace: 0.7,
  quick: {},
};
