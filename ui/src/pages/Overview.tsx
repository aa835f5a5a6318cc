import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import clsx from "clsx";
import { ArrowRight, Inbox } from "lucide-react";
import { useCallback, useMemo } from "react";
import { clusterQuery, queueHoursQuery, queuesQuery, throughputQuery, workersQuery } from "@/api/queries";
import type { Minute, Queue, State } from "@/api/types";
import { Page } from "@/app/Page";
import { curl } from "@/lib/commands";
import { rolling } from "@/lib/flow";
import { number, rate, short } from "@/lib/format";
import { useScope } from "@/live/LiveProvider";
import { timeText } from "@/query/fields";
import { Button } from "@/ui/Button";
import { Chart, Legend } from "@/ui/Chart";
import { Command } from "@/ui/Copy";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Panel } from "@/ui/Panel";
import { StateIcon } from "@/ui/State";
import { Attention } from "./parts/Attention";
import { NodeLanes } from "./parts/NodeLanes";
import { QueueTable } from "./parts/QueueTable";
import { RecentFailures } from "./parts/RecentFailures";
import { WorkersBrief } from "./parts/WorkersBrief";

export const FLOW_SERIES = [
  { label: "completed", colour: "--s-completed" },
  { label: "enqueued", colour: "--accent", dash: [4, 3] },
  { label: "failed", colour: "--s-dead" },
];

export function Overview() {
  const queues = useQuery(queuesQuery);
  const hours = useQuery(queueHoursQuery);
  const workers = useQuery(workersQuery);
  const cluster = useQuery(clusterQuery);
  useScope({ types: ["failed", "dead"] });

  if (queues.isPending) return <Page title="Overview">{<Skeleton rows={10} />}</Page>;
  if (queues.isError && !queues.data)
    return (
      <Page title="Overview">
        <Failure error={queues.error} retry={() => void queues.refetch()} />
      </Page>
    );
  const list = queues.data;
  if (list.length === 0) return <Welcome />;
  return (
    <Page title="Overview">
      <Tiles queues={list} />
      {/* On one column what is wrong comes first; on two it stands at the top of the right one. */}
      <div className="mt-4 grid gap-4 xl:grid-cols-[minmax(0,1fr)_22rem] xl:grid-rows-[auto_1fr]">
        <div className="min-w-0 xl:col-start-2">
          <Attention queues={list} workers={workers.data} />
        </div>
        <div className="grid min-w-0 content-start gap-4 xl:col-start-1 xl:row-span-2 xl:row-start-1">
          <Throughput />
          <Panel
            title="Queues"
            live
            flush
            actions={
              <Link to="/queues" className="flex items-center gap-1 text-xs text-ink-2 hover:text-ink">
                All queues <ArrowRight className="size-3" aria-hidden="true" />
              </Link>
            }
          >
            <QueueTable queues={busiest(list)} hours={hours.data} />
          </Panel>
        </div>
        <div className="grid min-w-0 content-start gap-4 md:grid-cols-2 xl:col-start-2 xl:grid-cols-1">
          <RecentFailures />
          <Panel title="Workers" updatedAt={workers.dataUpdatedAt} flush>
            <WorkersBrief />
          </Panel>
          {cluster.data && (
            <Panel title="Cluster" updatedAt={cluster.dataUpdatedAt}>
              <NodeLanes cluster={cluster.data} brief />
            </Panel>
          )}
        </div>
      </div>
    </Page>
  );
}

/** The ones with something going on, and no more than a page shows. */
function busiest(queues: Queue[]): Queue[] {
  const weight = (queue: Queue) =>
    queue.active * 1e6 + queue.pending * 10 + (queue.rates?.minute.completed ?? 0) + queue.dead;
  return queues.length <= 12 ? queues : [...queues].sort((a, b) => weight(b) - weight(a)).slice(0, 12);
}

const TILES: State[] = ["pending", "active", "scheduled", "retrying", "held", "dead"];

function Tiles({ queues }: { queues: Queue[] }) {
  const { data: minutes } = useQuery(throughputQuery);
  const sum = (state: State) => queues.reduce((total, queue) => total + queue[state], 0);
  const perMinute = queues.reduce((total, queue) => total + (queue.rates?.minute.completed ?? 0), 0);
  const hour = minutes?.reduce((total, minute) => total + minute.completed, 0) ?? 0;
  return (
    <ul className="grid grid-cols-2 gap-3 sm:grid-cols-4 xl:grid-cols-7" aria-label="Jobs by state">
      {TILES.map((state) => {
        const count = sum(state);
        return (
          <li key={state}>
            <Link
              to="/jobs"
              search={{ q: `state:${state}` }}
              className="panel block p-3.5 transition-colors hover:border-line-strong"
              title={`${number(count)} ${state}`}
            >
              <span className="flex items-center gap-1.5 text-xs text-ink-2">
                <StateIcon state={state} />
                {state}
              </span>
              <span
                className={clsx(
                  "nums mt-1 block text-2xl font-semibold tracking-tight",
                  count === 0 && "text-ink-3",
                  state === "dead" && count > 0 && "text-bad",
                )}
              >
                {short(count)}
              </span>
            </Link>
          </li>
        );
      })}
      <li className="max-sm:col-span-2 max-xl:sm:col-span-2">
        <div className="panel h-full p-3.5">
          <span className="flex justify-between gap-2 text-xs text-ink-2">
            completed <span className="nums text-ink-3">{short(hour)}/h</span>
          </span>
          <span className="nums mt-1 block text-2xl font-semibold tracking-tight">{rate(perMinute)}</span>
        </div>
      </li>
    </ul>
  );
}

function Throughput() {
  const { data, dataUpdatedAt, isPending, error, refetch } = useQuery(throughputQuery);
  const navigate = useNavigate();
  const { times, series } = useMemo(() => flow(data ?? [], dataUpdatedAt), [data, dataUpdatedAt]);
  const choose = useCallback(
    (from: number, to: number) =>
      void navigate({ to: "/jobs", search: { q: `created>${timeText(from)} created<${timeText(to)}` } }),
    [navigate],
  );
  return (
    <Panel
      title="Throughput per minute"
      updatedAt={dataUpdatedAt}
      flush
      actions={<Legend series={FLOW_SERIES} />}
    >
      {isPending ? (
        <Skeleton rows={6} />
      ) : !data ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : (
        <div className="px-2 pt-2 pb-1">
          <Chart
            label="Jobs per minute over the last hour"
            times={times}
            series={series}
            height={210}
            onRange={choose}
          />
          <p className="px-2 pb-1.5 text-2xs text-ink-3 pointer-coarse:hidden">
            Drag over the chart to see the jobs of that time.
          </p>
        </div>
      )}
    </Panel>
  );
}

function flow(minutes: Minute[], nowMs: number) {
  const times = minutes.map((minute) => Date.parse(minute.minute) / 1_000);
  const last = (times.at(-1) ?? 0) * 1_000;
  return {
    times,
    series: FLOW_SERIES.map((each) => {
      const counts = minutes.map((minute) => minute[each.label as "completed"]);
      return { ...each, values: rolling(counts, last, nowMs) };
    }),
  };
}

function Welcome() {
  return (
    <Page title="Overview">
      <Panel>
        <Empty icon={<Inbox />} title="Nothing here yet. Enqueue your first job.">
          <p className="mb-4">
            A queue comes into being with its first job. This page follows as it happens.
          </p>
          <div className="space-y-3 text-left">
            <Command
              label="First job by curl"
              text={curl("POST", "/enqueue", { queue: "emails", payload: { to: "ann@example.com" } })}
            />
            <Command
              label="Work on it by curl"
              text={curl("POST", "/fetch", { queues: ["emails"], worker_id: "me", timeout: 30 })}
            />
          </div>
          <div className="mt-5 flex justify-center gap-2">
            <Link to="/settings">
              <Button>Server settings</Button>
            </Link>
          </div>
        </Empty>
      </Panel>
    </Page>
  );
}
