// One clock for the whole page: a thousand rows that say "3 s ago" share one timer.
import { useSyncExternalStore } from "react";
import { serverTime } from "./clock";

class Ticker {
  now = Date.now();
  private timer: ReturnType<typeof setInterval> | undefined;
  private readonly callbacks = new Set<() => void>();

  constructor(private readonly everyMs: number) {}

  subscribe = (callback: () => void): (() => void) => {
    this.callbacks.add(callback);
    this.timer ??= setInterval(this.tick, this.everyMs);
    return () => {
      this.callbacks.delete(callback);
      if (this.callbacks.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  };

  read = (): number => {
    // Nobody was watching for a while: the time has gone on nevertheless.
    if (this.timer === undefined && Date.now() - this.now > this.everyMs) this.now = Date.now();
    return this.now;
  };

  private tick = (): void => {
    this.now = Date.now();
    for (const callback of this.callbacks) callback();
  };
}

const tickers = new Map<number, Ticker>();

/** The server's time: for what it says, such as when a job was created. */
export const useNow = (everyMs: number): number => serverTime(useLocalNow(everyMs));

/** This browser's time: for what it did itself, such as when it last heard of the server. */
export function useLocalNow(everyMs: number): number {
  let ticker = tickers.get(everyMs);
  if (!ticker) {
    ticker = new Ticker(everyMs);
    tickers.set(everyMs, ticker);
  }
  return useSyncExternalStore(ticker.subscribe, ticker.read);
}
