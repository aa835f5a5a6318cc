import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Layers, Plus, Search } from "lucide-react";
import { useMemo, useState } from "react";
import { queueHoursQuery, queuesQuery } from "@/api/queries";
import type { Queue } from "@/api/types";
import { ask } from "@/app/asking";
import { Page } from "@/app/Page";
import { curl } from "@/lib/commands";
import { plural } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Command } from "@/ui/Copy";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Panel } from "@/ui/Panel";
import { QueueTable } from "./parts/QueueTable";

const SORTS: Record<string, (a: Queue, b: Queue) => number> = {
  name: (a, b) => (a.name < b.name ? -1 : 1),
  pending: (a, b) => b.pending - a.pending,
  active: (a, b) => b.active - a.active,
  dead: (a, b) => b.dead - a.dead,
  rate: (a, b) => (b.rates?.minute.completed ?? 0) - (a.rates?.minute.completed ?? 0),
  age: (a, b) => (a.oldest_pending_at ?? "9").localeCompare(b.oldest_pending_at ?? "9"),
};

/** Rows that are drawn at once: each has a clock and a chart. */
const PAGE = 200;

export default function Queues() {
  const queues = useQuery(queuesQuery);
  const hours = useQuery(queueHoursQuery);
  const { find = "", by = "name" } = useSearch({ strict: false }) as { find?: string; by?: string };
  const [most, setMost] = useState(PAGE);
  const navigate = useNavigate();
  const set = (part: Record<string, string | undefined>) =>
    void navigate({
      to: "/queues",
      search: { find: find || undefined, by: by === "name" ? undefined : by, ...part },
      replace: true,
    });
  const shown = useMemo(() => {
    const words = find.toLowerCase();
    return (queues.data ?? [])
      .filter((queue) => queue.name.toLowerCase().includes(words))
      .sort(SORTS[by] ?? SORTS.name);
  }, [queues.data, find, by]);
  return (
    <Page
      title="Queues"
      description={
        queues.data &&
        `${plural(queues.data.length, "queue")}, ${plural(queues.data.filter((queue) => queue.paused).length, "paused", "paused")}`
      }
      actions={
        <Button
          needs="enqueue:write"
          icon={<Plus className="size-4" />}
          onClick={() => ask({ kind: "enqueue" })}
        >
          Enqueue a job
        </Button>
      }
    >
      <Panel flush title="All queues" live>
        {queues.isPending ? (
          <Skeleton rows={8} />
        ) : queues.isError && !queues.data ? (
          <Failure error={queues.error} retry={() => void queues.refetch()} />
        ) : queues.data?.length === 0 ? (
          <Empty icon={<Layers />} title="No queues yet">
            <p className="mb-3">A queue comes into being with its first job.</p>
            <Command
              label="First job by curl"
              text={curl("POST", "/enqueue", { queue: "emails", payload: { to: "ann@example.com" } })}
            />
          </Empty>
        ) : (
          <>
            <div className="flex flex-wrap gap-2 border-b border-line p-3">
              <div className="relative min-w-48 flex-1">
                <Search
                  className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-ink-3"
                  aria-hidden="true"
                />
                <input
                  data-query-bar
                  className="field pl-8"
                  aria-label="Find a queue"
                  placeholder="Find a queue"
                  value={find}
                  onChange={(event) => set({ find: event.target.value || undefined })}
                />
              </div>
              <select
                className="field w-auto"
                aria-label="Sort by"
                value={by}
                onChange={(event) =>
                  set({ by: event.target.value === "name" ? undefined : event.target.value })
                }
              >
                <option value="name">By name</option>
                <option value="pending">Most pending</option>
                <option value="active">Most active</option>
                <option value="dead">Most dead</option>
                <option value="rate">Fastest</option>
                <option value="age">Longest wait</option>
              </select>
            </div>
            {shown.length ? (
              <>
                <QueueTable queues={shown.slice(0, most)} hours={hours.data} />
                {shown.length > most && (
                  <div className="border-t border-line p-3 text-center">
                    <Button onClick={() => setMost(most + PAGE)}>
                      Show more of {plural(shown.length, "queue")}
                    </Button>
                  </div>
                )}
              </>
            ) : (
              <Empty icon={<Search />} title={`No queue has “${find}” in its name`} />
            )}
          </>
        )}
      </Panel>
    </Page>
  );
}
