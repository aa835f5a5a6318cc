// Failures grouped: what differs from one failure to the next (ids, numbers, addresses) is taken out of the
// message, and messages that are then the same are the same trouble.
import type { JobRow } from "@/api/types";

export interface Group {
  pattern: string;
  /** One message as it really was. */
  sample: string;
  jobs: JobRow[];
  dead: number;
  retrying: number;
  firstMs: number;
  lastMs: number;
  queues: Map<string, number>;
  /** The longest piece that every message of the group has: what to search for. */
  fragment: string;
}

const HOLE = "…";
const RULES: [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, HOLE],
  [/\b(?:s\d+_)?(?:job|batch|sched|chn|bulk)_[0-9A-Za-z]{6,}\b/g, HOLE],
  [/\b[\w.+-]+@[\w-]+\.[\w.-]+\b/g, HOLE],
  [/\bhttps?:\/\/[^\s"'<>)]+/g, HOLE],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g, HOLE],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, HOLE],
  [/\b0x[0-9a-f]+\b/gi, HOLE],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}\b/gi, HOLE],
  [/"[^"]{1,80}"|'[^']{1,80}'/g, HOLE],
  [/(?<![A-Za-z_])-?\d+(?:[.,]\d+)*/g, HOLE],
];

export function normalise(message: string): string {
  let text = message.split("\n", 1)[0]!.slice(0, 300);
  for (const [pattern, hole] of RULES) text = text.replace(pattern, hole);
  return (
    text
      .replace(/\s+/g, " ")
      .replace(/(?:…[\s,;:/.-]*)+…/g, HOLE)
      .trim() || "(no message)"
  );
}

export function fragmentOf(pattern: string): string {
  const pieces = pattern.split(HOLE).map((piece) => piece.replace(/^[\s:;,.()-]+/, "").trim());
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), "");
}

export function group(rows: JobRow[]): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const message = row.last_error ?? "";
    const pattern = normalise(message);
    const atMs = Date.parse(row.failed_at ?? row.created_at);
    let found = groups.get(pattern);
    if (!found) {
      found = {
        pattern,
        sample: message,
        jobs: [],
        dead: 0,
        retrying: 0,
        firstMs: atMs,
        lastMs: atMs,
        queues: new Map(),
        fragment: fragmentOf(pattern),
      };
      groups.set(pattern, found);
    }
    found.jobs.push(row);
    if (row.state === "dead") found.dead += 1;
    if (row.state === "retrying") found.retrying += 1;
    found.firstMs = Math.min(found.firstMs, atMs);
    found.lastMs = Math.max(found.lastMs, atMs);
    found.queues.set(row.queue, (found.queues.get(row.queue) ?? 0) + 1);
  }
  return [...groups.values()].sort((a, b) => b.jobs.length - a.jobs.length || b.lastMs - a.lastMs);
}

/** How many failed in each of so many equal stretches between two times. */
export function histogram(group: Group, fromMs: number, toMs: number, bins: number): number[] {
  const counts = new Array<number>(bins).fill(0);
  const width = Math.max(1, toMs - fromMs) / bins;
  for (const job of group.jobs) {
    const at = Math.floor((Date.parse(job.failed_at ?? job.created_at) - fromMs) / width);
    counts[Math.min(bins - 1, Math.max(0, at))]! += 1;
  }
  return counts;
}
