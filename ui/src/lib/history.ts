// From the event log to what a person wants to know: what happened when, and how each attempt went.
import type { Job, JobError, LiveEvent } from "@/api/types";
import { clip } from "./format";
import { clock, day, duration, nsToMs } from "./time";

export type Tone = "plain" | "good" | "bad" | "warn" | "active";

export interface Entry {
  seq: number;
  atMs: number;
  title: string;
  detail?: string;
  tone: Tone;
  /** Since the entry before. */
  afterMs?: number;
  /** Several progress reports in a row are one entry. */
  count: number;
}

export interface Attempt {
  number: number;
  worker?: string;
  startedMs?: number;
  endedMs?: number;
  outcome:
    | "running"
    | "completed"
    | "failed"
    | "dead"
    | "lease lost"
    | "released"
    | "held"
    | "cancelled"
    | "ended";
  error?: JobError;
  nextAtMs?: number;
}

interface Facts {
  attempt?: number;
  worker_id?: string;
  error?: string;
  next_attempt_at?: string;
  reason?: string;
  from?: string | number;
  to?: string | number;
  /** Who did it by hand, if that is known. */
  by?: string;
}

const PRIORITIES = ["critical", "high", "normal", "low"];
const facts = (event: LiveEvent): Facts =>
  event.data && typeof event.data === "object" ? (event.data as Facts) : {};

/** The time of the day, and the day if it is another one. */
const later = (atMs: number, fromMs: number): string =>
  [day(atMs) === day(fromMs) ? "" : `${day(atMs)} `, clock(atMs).slice(0, 8)].join("");

const WORDS: Record<string, (data: Facts, event: LiveEvent) => [string, string | undefined, Tone]> = {
  enqueued: (_, event) => ["Enqueued", event.queue && `in ${event.queue}`, "plain"],
  promoted: () => ["Due", "waits for a worker", "plain"],
  started: (data) => [
    `Attempt ${data.attempt ?? "?"} started`,
    data.worker_id ? `by ${data.worker_id}` : undefined,
    "active",
  ],
  progress: (_, event) => ["Progress", progressText(event.data), "active"],
  completed: () => ["Completed", undefined, "good"],
  failed: (data, event) => [
    `Attempt ${data.attempt ?? "?"} failed`,
    [
      data.error && clip(data.error, 250),
      data.next_attempt_at && `next attempt ${later(Date.parse(data.next_attempt_at), nsToMs(event.at_ns))}`,
    ]
      .filter(Boolean)
      .join(" · "),
    "bad",
  ],
  dead: (data) => ["Dead", data.error ?? data.reason ?? "no attempts left", "bad"],
  reclaimed: () => ["Lease lost", "the worker was not heard of in time; back in line", "warn"],
  released: () => ["Released", "handed back by its worker; the attempt does not count", "plain"],
  expired: () => ["Expired", "it was not worth running any more", "bad"],
  held: (data) => ["Held", data.reason ?? "until somebody approves it", "warn"],
  approved: () => ["Approved", undefined, "good"],
  rejected: (data) => ["Rejected", data.reason, "bad"],
  retried: () => ["Retried by hand", "from its first attempt", "plain"],
  requeued: () => ["Requeued by hand", "attempts count on", "plain"],
  cancelled: () => ["Cancelled", undefined, "warn"],
  moved: (data) => ["Moved", `from ${data.from} to ${data.to}`, "plain"],
  priority_changed: (data) => [
    "Priority changed",
    `from ${PRIORITIES[Number(data.from)] ?? data.from} to ${PRIORITIES[Number(data.to)] ?? data.to}`,
    "plain",
  ],
  unblocked: () => ["Dependencies met", "waits for a worker", "good"],
  deleted: () => ["Deleted", undefined, "warn"],
};

/** Oldest first, progress reports in a row put together. */
export function timeline(events: LiveEvent[]): Entry[] {
  const entries: Entry[] = [];
  for (const event of events) {
    const atMs = nsToMs(event.at_ns);
    const words = WORDS[event.type];
    const [title, what, tone] = words ? words(facts(event), event) : [event.type, undefined, "plain" as Tone];
    const by = event.type === "progress" ? undefined : facts(event).by;
    const detail = by ? [what, `by ${by}`].filter(Boolean).join(" · ") : what;
    const last = entries.at(-1);
    if (event.type === "progress" && last?.title === "Progress") {
      last.count += 1;
      last.atMs = atMs;
      last.seq = event.seq;
      if (detail) last.detail = detail;
      continue;
    }
    entries.push({
      seq: event.seq,
      atMs,
      title,
      tone,
      count: 1,
      ...(detail ? { detail } : {}),
      ...(last ? { afterMs: atMs - last.atMs } : {}),
    });
  }
  return entries;
}

/** Each time a worker had the job, oldest first; with its error, if it is still kept. */
export function attempts(events: LiveEvent[], job: Pick<Job, "errors" | "state">): Attempt[] {
  const found: Attempt[] = [];
  const errors = [...(job.errors ?? [])];
  let open: Attempt | null = null;
  const end = (outcome: Attempt["outcome"], atMs: number) => {
    if (!open) return;
    open.outcome = outcome;
    open.endedMs = atMs;
    open = null;
  };
  for (const event of events) {
    const atMs = nsToMs(event.at_ns);
    const data = facts(event);
    switch (event.type) {
      case "started":
        open = { number: data.attempt ?? found.length + 1, startedMs: atMs, outcome: "running" };
        if (data.worker_id) open.worker = data.worker_id;
        found.push(open);
        break;
      case "failed":
      case "dead": {
        const attempt: Attempt | null = open ?? (event.type === "dead" ? (found.at(-1) ?? null) : null);
        if (attempt && !attempt.error) {
          const error = takeError(errors, attempt.number, atMs);
          if (error) attempt.error = error;
        }
        if (attempt && event.type === "dead" && attempt.outcome === "failed") attempt.outcome = "dead";
        if (attempt && data.next_attempt_at) attempt.nextAtMs = Date.parse(data.next_attempt_at);
        end(event.type, atMs);
        break;
      }
      case "completed":
      case "held":
      case "released":
      case "cancelled":
        end(event.type, atMs);
        break;
      case "reclaimed":
        end("lease lost", atMs);
        break;
      case "retried":
      case "requeued":
      case "expired":
      case "rejected":
        end("ended", atMs);
        break;
    }
  }
  // Errors of attempts whose events are no longer kept.
  const older = errors.map(
    (error): Attempt => ({ number: error.attempt, outcome: "failed", error, endedMs: Date.parse(error.at) }),
  );
  return [...older, ...found];
}

function takeError(errors: JobError[], number: number, atMs: number): JobError | undefined {
  const at = errors.findIndex(
    (error) => error.attempt === number && Math.abs(Date.parse(error.at) - atMs) < 2_000,
  );
  return at < 0 ? undefined : errors.splice(at, 1)[0];
}

/** How long an attempt took, or has taken so far. */
export function attemptTime(attempt: Attempt, nowMs: number): string {
  if (attempt.startedMs === undefined) return "–";
  return duration((attempt.endedMs ?? nowMs) - attempt.startedMs);
}

export interface Progress {
  /** 0 to 100, if it can be told. */
  percent?: number;
  text: string;
}

/** Workers report progress in many shapes: a number, {current, total}, {percent}, {done, of}, with or without words. */
export function progress(value: unknown): Progress | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "number") {
    const percent = clamp(value <= 1 && value > 0 && !Number.isInteger(value) ? value * 100 : value);
    // More than a hundred is a number of something else.
    return { percent, text: value > 100 ? `${value}` : percentText(percent) };
  }
  if (typeof value === "string") return { text: value };
  if (typeof value !== "object") return { text: String(value) };
  const map = value as Record<string, unknown>;
  const pick = (...names: string[]) =>
    names.map((name) => map[name]).find((found): found is number => typeof found === "number");
  const current = pick("current", "done", "completed", "processed", "step");
  const total = pick("total", "of", "max", "steps");
  const percent = pick("percent", "percentage", "pct", "progress");
  const words = ["message", "text", "status", "phase", "label"]
    .map((name) => map[name])
    .find((found) => typeof found === "string");
  const count = current !== undefined && total ? `${current} / ${total}` : undefined;
  const text =
    [count, words].filter(Boolean).join(" · ") ||
    (percent !== undefined ? percentText(percent) : JSON.stringify(value));
  if (current !== undefined && total) return { percent: clamp((current / total) * 100), text };
  if (percent !== undefined) return { percent: clamp(percent), text };
  return { text };
}

export const percentText = (percent: number) => `${Math.round(percent * 10) / 10}%`;
const clamp = (value: number) => Math.min(100, Math.max(0, value));
const progressText = (value: unknown): string | undefined => progress(value)?.text;
