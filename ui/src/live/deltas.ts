// Reducers: what was known, what came, what is known now. No input or output, so they are easy to test.
import type { Job, JobRow, LiveEvent, Queue, State } from "@/api/types";

/** Counters replace counters; what the stream does not carry, such as rates, stays. */
export function withCounters(
  known: Queue[] | undefined,
  changed: ReadonlyMap<string, Queue>,
): Queue[] | undefined {
  if (!known || changed.size === 0) return known;
  const fresh = new Map(changed);
  const merged = known.map((queue) => {
    const update = fresh.get(queue.name);
    if (!update) return queue;
    fresh.delete(queue.name);
    return mergeQueue(queue, update);
  });
  if (fresh.size === 0) return merged;
  return [...merged, ...fresh.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Members that are gone, such as a limit that was removed, must not survive in the merged one. */
export function mergeQueue(known: Queue | undefined, update: Queue): Queue {
  return known?.rates ? { rates: known.rates, ...update } : update;
}

/** The state an event leaves a job in; undefined where the event alone does not tell. */
export function stateAfter(event: LiveEvent): State | "deleted" | undefined {
  switch (event.type) {
    case "promoted":
    case "retried":
    case "requeued":
    case "approved":
    case "unblocked":
      return "pending";
    case "started":
    case "progress":
      return "active";
    case "completed":
      return "completed";
    case "dead":
    case "rejected":
    case "expired":
      return "dead";
    case "held":
      return "held";
    case "cancelled":
      return "cancelled";
    case "deleted":
      return "deleted";
    default:
      return undefined;
  }
}

/** Which of these jobs need another look, and which are gone. */
export function touched(
  shown: ReadonlySet<string>,
  events: LiveEvent[],
): { changed: Set<string>; gone: Set<string> } {
  const changed = new Set<string>();
  const gone = new Set<string>();
  for (const event of events) {
    if (!event.job_id || !shown.has(event.job_id)) continue;
    if (event.type === "deleted") {
      gone.add(event.job_id);
      changed.delete(event.job_id);
    } else if (!gone.has(event.job_id)) changed.add(event.job_id);
  }
  return { changed, gone };
}

/**
 * Rows of a list, with newer ones in the place of older ones and without those that are gone. Rows that did not
 * change keep their identity.
 */
export function withRows(
  rows: JobRow[],
  newer: ReadonlyMap<string, Job>,
  gone: ReadonlySet<string> = new Set(),
): JobRow[] {
  if (!rows.some((row) => newer.has(row.id) || gone.has(row.id))) return rows;
  return rows
    .filter((row) => !gone.has(row.id))
    .map((row) => {
      const update = newer.get(row.id);
      return update ? rowOf(update) : row;
    });
}

export function rowOf(job: Job): JobRow {
  const { errors: _errors, ...row } = job;
  return row as JobRow;
}

/** The newest first, no event twice, no more than fit. */
export function withEvents(known: LiveEvent[], fresh: LiveEvent[], most: number): LiveEvent[] {
  if (fresh.length === 0) return known;
  const newest = known[0]?.seq ?? -1;
  const added = fresh.filter((event) => event.seq > newest).sort((a, b) => b.seq - a.seq);
  return added.length ? [...added, ...known].slice(0, most) : known;
}
