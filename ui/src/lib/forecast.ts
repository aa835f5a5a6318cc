// What will become of a backlog, from how fast jobs come and go now.
import type { Queue } from "@/api/types";
import { short } from "./format";
import { duration } from "./time";

export interface Forecast {
  text: string;
  tone: "plain" | "good" | "warn";
}

/** Null when there is nothing to say. */
export function forecast(
  queue: Pick<Queue, "pending" | "blocked" | "active" | "paused" | "rates">,
): Forecast | null {
  const waiting = queue.pending - queue.blocked;
  if (queue.pending === 0 || !queue.rates) return null;
  if (queue.paused) return { text: "paused", tone: "warn" };
  if (waiting <= 0) return { text: "all wait for other jobs", tone: "plain" };
  const { enqueued, completed, failed } = queue.rates.minute;
  const net = completed - enqueued;
  if (completed < 0.5) {
    if (failed >= 0.5) return { text: "attempts only fail", tone: "warn" };
    // Long jobs end seldom: that none did within a minute says nothing yet.
    if (queue.active > 0) return { text: `${short(queue.active)} at work`, tone: "plain" };
    return { text: "nobody works on it", tone: "warn" };
  }
  if (net > 0.05 * completed) return { text: `empty in ${duration((waiting / net) * 60_000)}`, tone: "good" };
  if (net < -0.05 * completed) return { text: `growing by ${Math.round(-net)}/min`, tone: "warn" };
  return { text: "steady", tone: "plain" };
}
