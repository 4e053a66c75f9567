// On small touch screens the first tap marks a cell, and a second one on it plays there.
import { useState } from "preact/hooks";
import { notify } from "../announce";

/** Whether somebody has tapped twice already, and needs no explanation. */
let understood = false;

/** The marked cell, and what a tap on a cell does; `words` explain it until it was done once. */
export function useTwoTaps(enabled: boolean, words: string, play: (cell: string) => void) {
  const [marked, setMarked] = useState<string | null>(null);
  const tap = (cell: string) => {
    if (enabled && marked !== cell) {
      if (!understood) notify(words);
      return setMarked(cell);
    }
    understood ||= enabled;
    setMarked(null);
    play(cell);
  };
  return { marked, tap };
}
