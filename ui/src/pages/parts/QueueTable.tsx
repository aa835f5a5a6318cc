import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { CirclePause, Gauge, Layers, Pause, Play } from "lucide-react";
import type { Queue, QueueHours } from "@/api/types";
import { useActs } from "@/app/jobActions";
import { forecast } from "@/lib/forecast";
import { number, rate, short } from "@/lib/format";
import { duration, ms, period } from "@/lib/time";
import { useNow } from "@/lib/useNow";
import { Button } from "@/ui/Button";
import { Sparkline } from "@/ui/Sparkline";
import { Table } from "@/ui/Table";

/** Where there is no room for them, those at work and their rate stand below the name. */
const HEAD = [
  { name: "Queue" },
  { name: "Pending", num: true },
  { name: "Active", num: true, className: "@max-lg:hidden" },
  { name: "Done", num: true, className: "@max-xl:hidden" },
  { name: "Dead", num: true },
  { name: "Rate", num: true, className: "@max-lg:hidden" },
  { name: "Last hour", className: "@max-3xl:hidden" },
  { name: "Oldest", num: true, className: "@max-xl:hidden" },
  { name: "Actions", silent: true },
];

interface Props {
  queues: Queue[];
  hours?: QueueHours | undefined;
}

export function QueueTable({ queues, hours }: Props) {
  const acts = useActs();
  const now = useNow(1_000);
  return (
    <Table head={HEAD}>
      {queues.map((queue) => {
        const ahead = forecast(queue);
        const perMinute = queue.rates?.minute.completed ?? 0;
        const oldest = ms(queue.oldest_pending_at);
        const age = oldest === undefined ? null : Math.max(0, now - oldest);
        return (
          <tr key={queue.name}>
            <td className="@lg:max-w-60 @max-lg:w-full">
              <Link
                to="/queues/$name"
                params={{ name: queue.name }}
                className="link flex items-center gap-2 font-medium"
              >
                {queue.paused ? (
                  <CirclePause className="size-4 shrink-0 text-warn" aria-label="paused" />
                ) : (
                  <Layers className="size-4 shrink-0 text-ink-3 @max-lg:hidden" aria-hidden="true" />
                )}
                <span className="wrap-anywhere @lg:truncate">{queue.name}</span>
              </Link>
              <span className="flex flex-wrap items-center gap-x-2 text-xs text-ink-3 @lg:pl-6 @lg:whitespace-nowrap">
                {ahead && (
                  <span
                    className={clsx(
                      ahead.tone === "warn" && "text-warn",
                      ahead.tone === "good" && "text-good",
                    )}
                  >
                    {ahead.text}
                  </span>
                )}
                {(queue.max_concurrency !== undefined || queue.rate_limit !== undefined) && (
                  <span className="inline-flex items-center gap-1" title="Limited">
                    <Gauge className="size-3" aria-hidden="true" />
                    {[
                      queue.max_concurrency !== undefined && `${queue.active}/${queue.max_concurrency}`,
                      queue.rate_limit !== undefined &&
                        `${queue.rate_limit} per ${period(queue.rate_window_ms ?? 0)}`,
                    ]
                      .filter(Boolean)
                      .join(" · ")}
                  </span>
                )}
                {/* As long as none has ended, the forecast tells of those at work. */}
                {queue.active > 0 && (perMinute > 0 || !ahead) && (
                  <span className="text-s-active @lg:hidden">{short(queue.active)} active</span>
                )}
                {perMinute > 0 && <span className="@lg:hidden">{rate(perMinute)}</span>}
              </span>
            </td>
            <Count value={queue.pending} />
            <Count value={queue.active} tone="text-s-active" className="@max-lg:hidden" />
            <Count value={queue.completed_total} className="@max-xl:hidden" />
            <Count value={queue.dead} tone="font-medium text-bad" />
            <td className="num whitespace-nowrap @max-lg:hidden">{queue.paused ? "–" : rate(perMinute)}</td>
            <td className="@max-3xl:hidden">
              <Sparkline
                values={hours?.queues[queue.name]?.completed ?? []}
                label={`Completed in ${queue.name} per minute, last hour`}
              />
            </td>
            <td
              className={clsx(
                "num whitespace-nowrap @max-xl:hidden",
                age !== null && age > 300_000 ? "text-warn" : "text-ink-2",
              )}
            >
              {age === null ? "–" : duration(age)}
            </td>
            <td className="w-10">
              <Button
                needs={queue.paused ? "queues:resume" : "queues:pause"}
                size="sm"
                look="ghost"
                aria-label={queue.paused ? `Resume ${queue.name}` : `Pause ${queue.name}`}
                title={queue.paused ? "Resume" : "Pause"}
                icon={queue.paused ? <Play className="size-3.5" /> : <Pause className="size-3.5" />}
                onClick={() => void acts.queue(queue.paused ? "resume" : "pause", queue.name)}
              />
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

/** A number of jobs; its tone is for when there are any. */
function Count({ value, tone, className }: { value: number; tone?: string; className?: string }) {
  return (
    <td className={clsx("num", value === 0 ? "text-ink-3" : tone, className)} title={number(value)}>
      {short(value)}
    </td>
  );
}
