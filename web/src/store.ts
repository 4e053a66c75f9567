// A value that components watch: plain data, replaced whole, never changed in place.
import { useEffect, useState } from "preact/hooks";

export interface Store<T> {
  get(): T;
  set(next: T): void;
  change(with_: (now: T) => T): void;
  watch(seen: (now: T) => void): () => void;
}

export function store<T>(first: T): Store<T> {
  let value = first;
  const watchers = new Set<(now: T) => void>();
  const set = (next: T) => {
    if (Object.is(next, value)) return;
    value = next;
    for (const seen of [...watchers]) seen(next);
  };
  return {
    get: () => value,
    set,
    change: (with_) => set(with_(value)),
    watch(seen) {
      watchers.add(seen);
      return () => watchers.delete(seen);
    },
  };
}

export function useStore<T>(from: Store<T>): T {
  const [value, set] = useState(from.get);
  useEffect(() => {
    set(() => from.get());
    return from.watch((now) => set(() => now));
  }, [from]);
  return value;
}
