// The latest failures: those that were there, and those that come while one looks.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { searchQuery } from "@/api/queries";
import type { LiveEvent } from "@/api/types";
import { clip, shortId } from "@/lib/format";
import { withEvents } from "@/live/deltas";
import { useEvents } from "@/live/LiveProvider";
import { Failure, Skeleton } from "@/ui/Empty";
import { Panel } from "@/ui/Panel";
import { StateIcon } from "@/ui/State";
import { Time } from "@/ui/Time";

const FAILURES_SHOWN = 8;

export function RecentFailures() {
  const [live, setLive] = useState<LiveEvent[]>([]);
  const found = useQuery(
    searchQuery({ state: ["dead", "retrying"], sort: "failed_at", limit: FAILURES_SHOWN }),
  );
  useEvents(
    useCallback((events: LiveEvent[]) => {
      const failed = events.filter((event) => event.type === "failed" || event.type === "dead");
      if (failed.length) setLive((known) => withEvents(known, failed, FAILURES_SHOWN * 2));
    }, []),
  );
  const rows = useMemo(() => {
    const seen = new Set<string>();
    const fresh = live.map((event) => ({
      id: event.job_id ?? "",
      queue: event.queue ?? "",
      error: (event.data as { error?: string } | undefined)?.error ?? event.type,
      at: event.at_ns / 1e6,
      dead: event.type === "dead",
    }));
    const older = (found.data?.jobs ?? []).map((job) => ({
      id: job.id,
      queue: job.queue,
      error: job.last_error ?? "no message",
      at: Date.parse(job.failed_at ?? job.created_at),
      dead: job.state === "dead",
    }));
    return [...fresh, ...older]
      .filter((row) => !seen.has(row.id) && seen.add(row.id))
      .slice(0, FAILURES_SHOWN);
  }, [live, found.data]);
  return (
    <Panel
      title="Recent failures"
      live
      flush
      actions={
        <Link to="/failures" className="flex items-center gap-1 text-xs text-ink-2 hover:text-ink">
          Grouped <ArrowRight className="size-3" aria-hidden="true" />
        </Link>
      }
    >
      {found.isPending ? (
        <Skeleton rows={4} />
      ) : rows.length === 0 && !found.data ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : rows.length === 0 ? (
        <p className="px-4 py-6 text-center text-sm text-ink-3">Nothing has failed.</p>
      ) : (
        <ul className="divide-y divide-line">
          {rows.map((row) => (
            <li key={row.id}>
              <Link to="/jobs/$id" params={{ id: row.id }} className="block px-4 py-2 hover:bg-hover">
                <span className="flex items-center gap-1.5 text-sm">
                  <StateIcon state={row.dead ? "dead" : "retrying"} />
                  <span className="min-w-0 flex-1 truncate">{clip(row.error, 200)}</span>
                </span>
                <span className="mt-0.5 flex gap-2 text-xs text-ink-3">
                  <span className="truncate">{row.queue}</span>
                  <span className="font-mono">{shortId(row.id)}</span>
                  <Time at={row.at} className="nums ml-auto whitespace-nowrap" />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
