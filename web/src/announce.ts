// Words for everybody: a live log that screen readers read out, and short notices on the page.
import { store } from "./store";

export const spoken = store("");
export const notice = store<{ text: string; id: number } | null>(null);

let count = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Read out by screen readers, when they have finished what they are saying. */
export function say(text: string): void {
  // The same words twice are read twice only if the text differs.
  spoken.set(spoken.get() === text ? `${text}\u00a0` : text);
}

/** Shown for a few seconds, and read out. */
export function notify(text: string, seconds = 5): void {
  count += 1;
  notice.set({ text, id: count });
  clearTimeout(timer);
  timer = setTimeout(() => notice.set(null), seconds * 1000);
}
