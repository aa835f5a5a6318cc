// What there is to see of one queue: its jobs, its pace, its errors, its workers.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { failuresQuery, queueHoursQuery, workersQuery } from "@/api/queries";
import type { Filter, JobRow } from "@/api/types";
import { JobTable } from "@/jobs/JobTable";
import { QueryBar } from "@/jobs/QueryBar";
import { SearchForm } from "@/jobs/SearchForm";
import { useFilter } from "@/jobs/useFilter";
import { quoted } from "@/query/complete";
import { timeText } from "@/query/fields";
import { queryText } from "@/query/text";
import { Button } from "@/ui/Button";
import { Chart, Legend } from "@/ui/Chart";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Panel } from "@/ui/Panel";
import { FLOW_SERIES } from "../Overview";
import { GroupList } from "./GroupList";
import { WorkerTable } from "./WorkerTable";

export function JobsTab({ name, q, onSearch }: { name: string; q: string; onSearch(query: string): void }) {
  const [rows, setRows] = useState<JobRow[]>([]);
  const [form, setForm] = useState(false);
  const { filter, refusal, again } = useFilter(q);
  const whole = useMemo<Filter>(() => ({ ...filter, queue: name }), [filter, name]);
  return (
    <Panel flush>
      <div className="flex flex-wrap items-start gap-2 border-b border-line p-3">
        <QueryBar
          value={q}
          onSearch={onSearch}
          rows={rows}
          placeholder={'state:dead error~"timeout" payload.user.plan == "pro"'}
        />
        <Button className="h-9" aria-expanded={form} onClick={() => setForm(!form)}>
          {form ? "Hide form" : "Form"}
        </Button>
      </div>
      {form && (
        <div className="border-b border-line bg-sunken p-4">
          <SearchForm filter={filter} onSearch={(next) => onSearch(queryText(next))} />
        </div>
      )}
      {refusal ? (
        <Failure error={refusal} />
      ) : (
        <JobTable
          filter={whole}
          hideQueue
          onRows={setRows}
          onRefresh={again}
          named={name}
          empty={
            <Empty title={q ? "No job of this queue fits" : "This queue is empty"}>
              {q ? "Widen the query, or clear it." : "Jobs appear here as soon as they are enqueued."}
            </Empty>
          }
        />
      )}
    </Panel>
  );
}

export function ChartTab({ name }: { name: string }) {
  const hours = useQuery(queueHoursQuery);
  const navigate = useNavigate();
  const hour = hours.data?.queues[name];
  const start = hours.data ? Date.parse(hours.data.start) / 1_000 : 0;
  const { times, series } = useMemo(() => {
    const length = hour?.completed.length ?? 60;
    return {
      times: Array.from({ length }, (_, at) => start + at * 60),
      series: FLOW_SERIES.map((each) => ({
        ...each,
        values: hour?.[each.label as "completed"] ?? new Array<number>(length).fill(0),
      })),
    };
  }, [hour, start]);
  const choose = useCallback(
    (from: number, to: number) =>
      void navigate({
        to: "/queues/$name",
        params: { name },
        search: { q: `created>${timeText(from)} created<${timeText(to)}` },
      }),
    [navigate, name],
  );
  return (
    <Panel
      title="Per minute, last hour"
      flush
      updatedAt={hours.dataUpdatedAt}
      actions={<Legend series={FLOW_SERIES} />}
    >
      {hours.isPending ? (
        <Skeleton rows={6} />
      ) : !hours.data ? (
        <Failure error={hours.error} retry={() => void hours.refetch()} />
      ) : (
        <div className="p-2">
          <Chart
            label={`Jobs of ${name} per minute over the last hour`}
            times={times}
            series={series}
            height={280}
            onRange={choose}
          />
        </div>
      )}
    </Panel>
  );
}

export function ErrorsTab({ name }: { name: string }) {
  const q = `queue:${quoted(name)}`;
  const found = useQuery(failuresQuery(q));
  if (found.isPending) return <Skeleton />;
  if (!found.data) return <Failure error={found.error} retry={() => void found.refetch()} />;
  if (!found.data.failures.length) return <Empty title="Nothing has failed in this queue" />;
  return <GroupList groups={found.data.failures} query={q} filter={{ queue: name }} />;
}

export function WorkersTab({ name }: { name: string }) {
  const workers = useQuery(workersQuery);
  const own = workers.data?.filter((worker) => worker.queue_names.includes(name)) ?? [];
  return (
    <Panel title="Workers that listen to this queue" flush updatedAt={workers.dataUpdatedAt}>
      {workers.isPending ? (
        <Skeleton />
      ) : !workers.data ? (
        <Failure error={workers.error} retry={() => void workers.refetch()} />
      ) : own.length ? (
        <WorkerTable workers={own} />
      ) : (
        <Empty title="No worker listens to this queue">Its jobs wait until one fetches from it.</Empty>
      )}
    </Panel>
  );
}
