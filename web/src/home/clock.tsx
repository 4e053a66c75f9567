// Choosing a clock: none, for each move, or for the whole game with an increment.
import { Choice } from "../ui/choice";
import type { GameInfo } from "../wire";

export type ClockChoice = "none" | "usual" | "move" | "3+2" | "10+5";

/** The fields of a new room that a choice stands for. */
export function clockOf(choice: ClockChoice): { clock: number | "none" | "usual"; increment?: number } {
  if (choice === "none" || choice === "usual") return { clock: choice };
  if (choice === "move") return { clock: 30 };
  const [minutes, increment] = choice.split("+").map(Number) as [number, number];
  return { clock: 60 * minutes, increment };
}

/** A game that sets a time for each move offers it or none; others may also set one for the game. */
export function ClockPicker({ info, value, onChange }: { info: GameInfo; value: ClockChoice; onChange: (choice: ClockChoice) => void }) {
  const options: [ClockChoice, string][] =
    info.clock !== null
      ? [["usual", `${info.clock} s a turn`], ["none", "None"]]
      : [["none", "None"], ["move", "30 s a move"], ["3+2", "3 min + 2 s"], ["10+5", "10 min + 5 s"]];
  return <Choice label="Clock" value={value} options={options} onChange={onChange} />;
}

export const usualClock = (info: GameInfo): ClockChoice => (info.clock === null ? "none" : "usual");
