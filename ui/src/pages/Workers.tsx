import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Cpu, Search } from "lucide-react";
import { workersQuery } from "@/api/queries";
import { Page } from "@/app/Page";
import { curl } from "@/lib/commands";
import { plural } from "@/lib/format";
import { lateOnes, statusOf } from "@/lib/listening";
import { useNow } from "@/lib/useNow";
import { Command } from "@/ui/Copy";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Panel } from "@/ui/Panel";
import { WorkerTable } from "./parts/WorkerTable";

export default function Workers() {
  const workers = useQuery(workersQuery);
  const { find = "" } = useSearch({ strict: false }) as { find?: string };
  const navigate = useNavigate();
  const words = find.toLowerCase();
  const shown = (workers.data ?? []).filter((worker) =>
    [worker.id, worker.hostname ?? "", ...worker.queue_names].some((text) =>
      text.toLowerCase().includes(words),
    ),
  );
  const now = useNow(5_000);
  const active = workers.data?.filter((worker) => statusOf(worker, now) === "active") ?? [];
  const hosts = new Set(active.flatMap((worker) => worker.hostname ?? [])).size;
  const where = hosts ? ` on ${plural(hosts, "host")}` : "";
  const who = active.length ? plural(active.length, "worker") + where : "No worker listens";
  const busy = (workers.data ?? []).reduce((sum, worker) => sum + worker.active_jobs, 0);
  return (
    <Page
      title="Workers"
      description={workers.data && `${who}${lateOnes(workers.data, now)}, ${plural(busy, "job")} in hand`}
    >
      <Panel title="Seen within a day" flush updatedAt={workers.dataUpdatedAt}>
        {workers.isPending ? (
          <Skeleton rows={6} />
        ) : workers.isError && !workers.data ? (
          <Failure error={workers.error} retry={() => void workers.refetch()} />
        ) : workers.data?.length === 0 ? (
          <Empty icon={<Cpu />} title="No worker has been here">
            <p className="mb-3">A worker is whoever fetches jobs. The shortest one:</p>
            <Command
              label="Fetch a job by curl"
              text={curl("POST", "/fetch", { queues: ["emails"], worker_id: "me", timeout: 30 })}
            />
          </Empty>
        ) : (
          <>
            <div className="relative border-b border-line p-3">
              <Search
                className="pointer-events-none absolute top-1/2 left-5.5 size-3.5 -translate-y-1/2 text-ink-3"
                aria-hidden="true"
              />
              <input
                data-query-bar
                className="field pl-8"
                aria-label="Find a worker, host or queue"
                placeholder="Find a worker, host or queue"
                value={find}
                onChange={(event) =>
                  void navigate({
                    to: "/workers",
                    search: { find: event.target.value || undefined },
                    replace: true,
                  })
                }
              />
            </div>
            {shown.length ? (
              <WorkerTable workers={shown} />
            ) : (
              <Empty icon={<Search />} title={`No worker fits “${find}”`} />
            )}
          </>
        )}
      </Panel>
    </Page>
  );
}
