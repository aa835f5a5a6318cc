import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { workersQuery } from "@/api/queries";
import type { Filter } from "@/api/types";
import { Page } from "@/app/Page";
import { JobTable } from "@/jobs/JobTable";
import { statusOf } from "@/lib/listening";
import { useNow } from "@/lib/useNow";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Fact } from "@/ui/Fact";
import { Panel } from "@/ui/Panel";
import { QueueChips } from "@/ui/QueueChips";
import { Time } from "@/ui/Time";

export default function Worker() {
  const { id = "" } = useSearch({ strict: false }) as { id?: string };
  const workers = useQuery(workersQuery);
  const now = useNow(5_000);
  const worker = workers.data?.find((each) => each.id === id);
  const filter = useMemo<Filter>(() => ({ worker_id: id, state: ["active"], sort: "started_at" }), [id]);
  const above = { to: "/workers", name: "Workers" };
  if (workers.isPending)
    return (
      <Page title={id} above={above}>
        <Skeleton />
      </Page>
    );
  if (!workers.data)
    return (
      <Page title={id || "Worker"} above={above}>
        <Failure error={workers.error} retry={() => void workers.refetch()} />
      </Page>
    );
  if (!worker)
    return (
      <Page title={id || "Worker"} above={above}>
        <Empty title="This worker was not heard of within a day">
          <Link to="/workers" className="text-accent underline underline-offset-2">
            See who is here
          </Link>
        </Empty>
      </Page>
    );
  return (
    <Page title={worker.id} above={above}>
      <Panel title="About" updatedAt={workers.dataUpdatedAt} className="mb-4">
        <dl className="grid grid-cols-2 gap-4 sm:grid-cols-3 lg:grid-cols-5">
          <Fact term="Status">{statusOf(worker, now)}</Fact>
          <Fact term="Host">{worker.hostname ?? "–"}</Fact>
          <Fact term="Jobs in hand">{worker.active_jobs}</Fact>
          <Fact term="Heard of">
            <Time at={worker.last_heartbeat} />
          </Fact>
          <Fact term="Since">
            <Time at={worker.started_at} />
          </Fact>
        </dl>
        <p className="mt-4 flex flex-wrap gap-1.5 text-xs">
          <span className="text-ink-3">Listens to</span>
          <QueueChips names={worker.queue_names} />
        </p>
      </Panel>
      <Panel flush>
        <JobTable
          filter={filter}
          when="started"
          heading={<h2 className="text-sm font-semibold text-ink">What it works on now</h2>}
          empty={<Empty title="It has no job in hand">It waits for work, or finished what it had.</Empty>}
        />
      </Panel>
    </Page>
  );
}
