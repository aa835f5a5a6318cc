// One clock for the whole page: a thousand rows that say "3 s ago" share one timer.
import { useSyncExternalStore } from "react";

const listeners = new Map<number, { callbacks: Set<() => void>; timer: ReturnType<typeof setInterval>; now: number }>();

export function useNow(everyMs: number): number {
  return useSyncExternalStore(
    (callback) => subscribe(everyMs, callback),
    () => listeners.get(everyMs)?.now ?? Math.floor(Date.now() / everyMs) * everyMs,
  );
}

function subscribe(everyMs: number, callback: () => void): () => void {
  let entry = listeners.get(everyMs);
  if (!entry) {
    const created = {
      callbacks: new Set<() => void>(),
      now: Date.now(),
      timer: setInterval(() => {
        created.now = Date.now();
        for (const each of created.callbacks) each();
      }, everyMs),
    };
    entry = created;
    listeners.set(everyMs, entry);
  }
  entry.callbacks.add(callback);
  const own = entry;
  return () => {
    own.callbacks.delete(callback);
    if (own.callbacks.size === 0) {
      clearInterval(own.timer);
      listeners.delete(everyMs);
    }
  };
}
