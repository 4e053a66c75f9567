// For a text field whose value counts when the field is left, or at Enter: what is being typed
// stays, whatever else is drawn anew meanwhile.
import type { TargetedEvent } from "preact";
import { useState } from "preact/hooks";

type Happened = TargetedEvent<HTMLInputElement>;

/** Attributes of the field. */
export function useTyped(value: string | number, change: (typed: string) => void) {
  const [typed, setTyped] = useState<string | null>(null);
  return {
    value: typed ?? value,
    onInput: (e: Happened) => setTyped(e.currentTarget.value),
    onBlur: () => setTyped(null),
    onChange: (e: Happened) => {
      setTyped(null);
      change(e.currentTarget.value);
    },
  };
}
