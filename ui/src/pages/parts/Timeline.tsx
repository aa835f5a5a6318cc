// What really happened, from the replicated event log; not a guess from the present row.
import clsx from "clsx";
import { useMemo } from "react";
import type { History, Job } from "@/api/types";
import { clip } from "@/lib/format";
import { type Entry, timeline } from "@/lib/history";
import { clock, day, duration, exact } from "@/lib/time";
import { Failure, Skeleton } from "@/ui/Empty";
import { Panel } from "@/ui/Panel";
import { Time } from "@/ui/Time";

const DOTS: Record<Entry["tone"], string> = {
  plain: "bg-panel border-line-strong",
  active: "bg-s-active border-s-active",
  good: "bg-good border-good",
  bad: "bg-bad border-bad",
  warn: "bg-warn border-warn",
};

export function Timeline({
  history,
  failed,
  job,
  live,
}: {
  history: History | undefined;
  failed: unknown;
  job: Job;
  live: boolean;
}) {
  const entries = useMemo(() => timeline(history?.events ?? []), [history]);
  const next = live && (job.state === "scheduled" || job.state === "retrying") ? job.scheduled_at : undefined;
  return (
    <Panel title="History" live={live} className="self-start xl:sticky xl:top-18">
      {failed ? (
        <Failure error={failed} />
      ) : !history ? (
        <Skeleton className="" />
      ) : (
        <>
          {!history.complete && (
            <p className="mb-3 text-xs text-ink-3">The oldest part is no longer kept by the event log.</p>
          )}
          <ol className="relative max-h-[70dvh] overflow-y-auto">
            {entries.map((entry, at) => {
              const newDay = at === 0 || day(entries[at - 1]!.atMs) !== day(entry.atMs);
              return (
                <li key={entry.seq} className="relative flex gap-3 pb-4 last:pb-0">
                  {at < entries.length - 1 || next ? (
                    <span className="absolute top-4 bottom-0 left-[5px] w-px bg-line" aria-hidden="true" />
                  ) : null}
                  <span
                    className={clsx("mt-1 size-[11px] shrink-0 rounded-full border-2", DOTS[entry.tone])}
                    aria-hidden="true"
                  />
                  <div className="min-w-0 flex-1">
                    {newDay && <p className="mb-1 text-2xs font-medium text-ink-3">{day(entry.atMs)}</p>}
                    <div className="flex items-baseline gap-2">
                      <p className="min-w-0 flex-1 text-sm font-medium">
                        {entry.title}
                        {entry.count > 1 && (
                          <span className="ml-1 text-xs font-normal text-ink-3">× {entry.count}</span>
                        )}
                      </p>
                      <time
                        className="nums text-xs text-ink-3"
                        dateTime={new Date(entry.atMs).toISOString()}
                        title={`${exact(entry.atMs)} · event ${entry.seq}`}
                      >
                        {clock(entry.atMs)}
                      </time>
                    </div>
                    {entry.detail && (
                      <p className="text-xs break-words text-ink-2">{clip(entry.detail, 300)}</p>
                    )}
                    {entry.afterMs !== undefined && entry.afterMs >= 1 && (
                      <p className="nums text-2xs text-ink-3">+{duration(entry.afterMs)}</p>
                    )}
                  </div>
                </li>
              );
            })}
            {next && (
              <li className="relative flex gap-3">
                <span
                  className="mt-1 size-[11px] shrink-0 rounded-full border-2 border-dashed border-ink-3"
                  aria-hidden="true"
                />
                <p className="text-sm text-ink-2">
                  Due <Time at={next} />
                </p>
              </li>
            )}
            {entries.length === 0 && !next && (
              <li className="text-sm text-ink-3">Nothing is kept about it.</li>
            )}
          </ol>
        </>
      )}
    </Panel>
  );
}
