// The one live stream of the page.
//
//     node --SSE--> [stream] --at most four batches a second--> reducers --> query cache --> panels
//
// The server is told what the page shows (its scope), so that it sends no more than that; what comes is
// gathered and handed over in batches, so a thousand events a second cost four renderings. After a break it
// resumes from the last event it has; after a gap it says so, and the page reads anew, once.
//
// A page that nobody sees has no stream: a browser opens six connections to a node, for all tabs together,
// and the seventh tab would get none. It goes on where it was when the page is looked at again.
import { apiUrl, call, ownHeaders } from "@/api/client";
import type { LiveEvent, Queue } from "@/api/types";
import { signedOut } from "@/app/who";
import { FrameReader } from "./sse";

/** Resting: closed on purpose, because the page is hidden. */
export type Status = "connecting" | "open" | "broken" | "resting";

/** What the page wants to hear of, besides the counters of queues, which it always gets. */
export interface Scope {
  /** Events of these jobs. */
  jobIds?: string[];
  /** Events of these types; with neither, only what happens to queues as such. */
  types?: string[];
  queues?: string[];
  /** All events: the live tail. */
  all?: boolean;
  /** Begin after this event instead of now. */
  after?: number;
}

export interface Batch {
  queues: Map<string, Queue>;
  events: LiveEvent[];
  /** Something was missed, if only counters; what is shown may be old. */
  gap: boolean;
  /** So many events are no longer kept by the server: before those of this batch is a hole. */
  lost: number;
}

const nothing = (): Batch => ({ queues: new Map(), events: [], gap: false, lost: 0 });

const QUEUE_EVENTS = ["queue.paused", "queue.resumed", "queue.cleared", "queue.deleted", "queue.limited"];
const FLUSH_MS = 250;
/** The server says something at least every fifteen seconds. */
const SILENCE_MS = 40_000;
const BACKOFF_MS = [500, 1_000, 2_000, 4_000, 8_000];
/** More than this between two flushes is not for a page to show; the newest are kept. */
const EVENTS_HELD_MAX = 5_000;

export function scopeQuery(scope: Scope): string {
  const query = new URLSearchParams({ counters: "true" });
  if (!scope.all) {
    if (scope.jobIds?.length) query.set("job_ids", scope.jobIds.join(","));
    else query.set("types", [...QUEUE_EVENTS, ...(scope.types ?? [])].join(","));
  } else if (scope.types?.length) query.set("types", scope.types.join(","));
  if (scope.queues?.length) query.set("queues", JSON.stringify(scope.queues));
  return query.toString();
}

/** The number of the newest event there is. */
export async function newest(): Promise<number> {
  const path = `/cluster/events?after_seq=${Number.MAX_SAFE_INTEGER}&limit=1`;
  return (await call<{ last_seq: number }>(path)).last_seq;
}

const hidden = (): boolean => document.visibilityState === "hidden";

export class LiveStream {
  status: Status = "connecting";
  /** When the line was last known to be alive. */
  aliveAt = Date.now();
  brokenAt: number | null = null;
  dropped = 0;

  private query = "";
  private lastSeq: number | null = null;
  private abort: AbortController | null = null;
  private failures = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private flushTimer: ReturnType<typeof setTimeout> | undefined;
  private watch: ReturnType<typeof setInterval> | undefined;
  private lastTick = Date.now();
  private held = nothing();
  private readonly listeners = new Set<(batch: Batch) => void>();
  private readonly observers = new Set<() => void>();
  private readonly openers = new Set<(atMs: number) => void>();

  start(): void {
    this.watch = setInterval(() => this.tick(), 2_000);
    addEventListener("online", this.wake);
    document.addEventListener("visibilitychange", this.seen);
    if (!this.query) this.setScope({});
  }

  stop(): void {
    clearInterval(this.watch);
    clearTimeout(this.retry);
    clearTimeout(this.flushTimer);
    removeEventListener("online", this.wake);
    document.removeEventListener("visibilitychange", this.seen);
    this.abort?.abort();
  }

  setScope(scope: Scope): void {
    const query = scopeQuery(scope);
    if (query === this.query && scope.after === undefined) return;
    this.query = query;
    // Another scope is another question: where the last one was, and what it still had to say, does not matter.
    this.lastSeq = scope.after ?? null;
    this.held.events = [];
    this.held.lost = 0;
    this.connect();
  }

  onBatch(listener: (batch: Batch) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Told each time the stream is open anew: what was read before may have missed something. */
  onOpen(opener: (atMs: number) => void): () => void {
    this.openers.add(opener);
    return () => this.openers.delete(opener);
  }

  observe = (observer: () => void): (() => void) => {
    this.observers.add(observer);
    return () => this.observers.delete(observer);
  };

  // The connection

  private async connect(): Promise<void> {
    clearTimeout(this.retry);
    this.abort?.abort();
    if (hidden()) {
      this.setStatus("resting");
      return;
    }
    const abort = new AbortController();
    this.abort = abort;
    try {
      const resume = this.lastSeq === null ? "" : `&last_event_id=${this.lastSeq}`;
      const reply = await fetch(`${apiUrl("/events")}?${this.query}${resume}`, {
        signal: abort.signal,
        headers: { Accept: "text/event-stream", ...ownHeaders() },
        credentials: "same-origin",
      });
      if (reply.status === 401) signedOut();
      if (!reply.ok || !reply.body) throw new Error(`the stream answered ${reply.status}`);
      const afterBreak = this.status === "broken" || this.status === "resting";
      this.alive();
      this.failures = 0;
      this.setStatus("open");
      // Counters that changed meanwhile were told to nobody.
      if (afterBreak) this.missed();
      else for (const opener of this.openers) opener(Date.now());
      await this.read(reply.body, abort.signal);
      throw new Error("the stream ended");
    } catch {
      if (abort.signal.aborted) return;
      this.broke();
    }
  }

  private async read(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
    const reader = body.getReader();
    const frames = new FrameReader();
    const decoder = new TextDecoder();
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      this.alive();
      for (const { id, event, data } of frames.push(decoder.decode(value, { stream: true }))) {
        if (id) this.lastSeq = Number(id);
        if (data) this.take(event, data);
      }
    }
  }

  private broke(): void {
    if (this.status !== "broken") this.brokenAt = Date.now();
    this.setStatus("broken");
    const wait = BACKOFF_MS[Math.min(this.failures++, BACKOFF_MS.length - 1)]!;
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.connect(), wait);
  }

  private alive(): void {
    this.aliveAt = Date.now();
  }

  private tick(): void {
    const now = Date.now();
    const slept = now - this.lastTick > 15_000;
    this.lastTick = now;
    if (this.status === "resting") return;
    if (slept || (this.status === "open" && now - this.aliveAt > SILENCE_MS)) {
      if (this.status === "open") this.setStatus("broken");
      this.brokenAt ??= this.aliveAt;
      this.connect();
    }
  }

  private wake = (): void => {
    if (this.status === "broken") this.connect();
  };

  /** Hidden or shown. Either way `connect` knows what to do; a page that is shown and live needs nothing. */
  private seen = (): void => {
    if (hidden() || this.status !== "open") this.connect();
  };

  private setStatus(status: Status): void {
    if (status === "open") this.brokenAt = null;
    if (this.status === status) return;
    this.status = status;
    for (const observer of this.observers) observer();
  }

  // What comes

  private take(kind: string, data: string): void {
    const body = JSON.parse(data);
    if (kind === "counters")
      for (const queue of body.queues as Queue[]) this.held.queues.set(queue.name, queue);
    else if (kind === "gap") {
      this.held.gap = true;
      this.held.lost += body.data.to - body.data.from + 1;
    } else if (kind !== "dropped") {
      this.held.events.push(body);
      if (this.held.events.length > EVENTS_HELD_MAX) {
        this.dropped += this.held.events.length - EVENTS_HELD_MAX;
        this.held.events.splice(0, this.held.events.length - EVENTS_HELD_MAX);
      }
    }
    this.flushTimer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  private missed(): void {
    this.held.gap = true;
    this.flushTimer ??= setTimeout(() => this.flush(), 0);
  }

  private flush(): void {
    this.flushTimer = undefined;
    const batch = this.held;
    this.held = nothing();
    for (const listener of this.listeners) listener(batch);
  }
}
