// What is wrong, in sentences, worst first. Says so when nothing is.
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { CircleCheck, TriangleAlert } from "lucide-react";
import { useMemo, useState } from "react";
import type { Queue, Worker } from "@/api/types";
import { forecast } from "@/lib/forecast";
import { plural } from "@/lib/format";
import { isListening } from "@/lib/listening";
import { duration, ms } from "@/lib/time";
import { useNow } from "@/lib/useNow";
import { Panel } from "@/ui/Panel";

interface Concern {
  queue: string;
  text: string;
  weight: number;
  bad?: boolean;
}

const FEW = 6;

export function concerns(queues: Queue[], workers: Worker[] | undefined, nowMs: number): Concern[] {
  const listened = new Set<string>();
  for (const worker of workers ?? [])
    if (isListening(worker, nowMs)) for (const name of worker.queue_names) listened.add(name);
  const found: Concern[] = [];
  for (const queue of queues) {
    const waiting = queue.pending - queue.blocked;
    if (waiting > 0 && queue.paused)
      found.push({ queue: queue.name, text: `is paused with ${plural(waiting, "job")} waiting`, weight: 50 });
    else if (waiting > 0 && workers && !listened.has(queue.name))
      found.push({
        queue: queue.name,
        text: `has ${plural(waiting, "job")} and no worker`,
        weight: 100,
        bad: true,
      });
    else {
      const age = nowMs - (ms(queue.oldest_pending_at) ?? nowMs);
      const ahead = forecast(queue);
      if (age > 300_000)
        found.push({
          queue: queue.name,
          text: `makes jobs wait for ${duration(age)}`,
          weight: 40 + Math.min(40, age / 600_000),
        });
      else if (ahead?.tone === "warn" && waiting > 100)
        found.push({
          queue: queue.name,
          text: `has ${plural(waiting, "job")} waiting, ${ahead.text}`,
          weight: 30,
        });
    }
    const failing = queue.rates?.minute;
    if (failing && failing.failed >= 3 && failing.failed > failing.completed * 0.2)
      found.push({
        queue: queue.name,
        text: `fails ${Math.round((100 * failing.failed) / (failing.failed + failing.completed))}% of its attempts`,
        weight: 80,
        bad: true,
      });
    if (queue.held > 0)
      found.push({
        queue: queue.name,
        text: `has ${plural(queue.held, "job")} waiting for approval`,
        weight: 20,
      });
  }
  return found.sort((a, b) => b.weight - a.weight);
}

export function Attention({ queues, workers }: { queues: Queue[]; workers: Worker[] | undefined }) {
  const now = useNow(5_000);
  const [all, setAll] = useState(false);
  const found = useMemo(() => concerns(queues, workers, now), [queues, workers, now]);
  return (
    <Panel title="Needs attention" live flush>
      {found.length === 0 ? (
        <p className="flex items-center gap-2 px-4 py-4 text-sm text-ink-2">
          <CircleCheck className="size-4 text-good" aria-hidden="true" /> All queues are moving.
        </p>
      ) : (
        <ul className="divide-y divide-line">
          {(all ? found : found.slice(0, FEW)).map((concern) => (
            <li key={concern.queue + concern.text}>
              <Link
                to="/queues/$name"
                params={{ name: concern.queue }}
                className="flex items-start gap-2 px-4 py-2 text-sm hover:bg-hover"
              >
                <TriangleAlert
                  className={clsx("mt-0.5 size-4 shrink-0", concern.bad ? "text-bad" : "text-warn")}
                  aria-hidden="true"
                />
                <span className="min-w-0">
                  <span className="font-medium break-words">{concern.queue}</span> {concern.text}
                </span>
              </Link>
            </li>
          ))}
          {found.length > FEW && (
            <li>
              <button
                type="button"
                aria-expanded={all}
                className="w-full px-4 py-2 text-left text-xs text-ink-2 hover:bg-hover hover:text-ink"
                onClick={() => setAll(!all)}
              >
                {all ? "Show less" : `and ${found.length - FEW} more`}
              </button>
            </li>
          )}
        </ul>
      )}
    </Panel>
  );
}
