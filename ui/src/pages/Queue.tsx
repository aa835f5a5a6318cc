import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { CirclePause, Ellipsis, Eraser, Flame, Gauge, Layers, Pause, Play, Plus, Waves } from "lucide-react";
import { useCallback, useState } from "react";
import { isGone } from "@/api/client";
import { queueQuery } from "@/api/queries";
import type { Queue as QueueInfo, State } from "@/api/types";
import { STATES } from "@/api/types";
import { ask } from "@/app/asking";
import { useActs } from "@/app/jobActions";
import { Page } from "@/app/Page";
import { forecast } from "@/lib/forecast";
import { number, plural, rate, short } from "@/lib/format";
import { duration, ms, period } from "@/lib/time";
import { useNow } from "@/lib/useNow";
import { Button } from "@/ui/Button";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Fact } from "@/ui/Fact";
import { Menu, MenuItem, MenuLine } from "@/ui/Menu";
import { Panel } from "@/ui/Panel";
import { StateIcon } from "@/ui/State";
import { Tabs } from "@/ui/Tabs";
import { ClearDialog, DestroyDialog, LimitsDialog } from "./parts/QueueDialogs";
import { ChartTab, ErrorsTab, JobsTab, WorkersTab } from "./parts/QueueTabs";

type Asking = "limits" | "clear" | "destroy" | null;

export default function Queue() {
  const { name = "" } = useParams({ strict: false }) as { name?: string };
  const { q = "", tab = "jobs" } = useSearch({ strict: false }) as { q?: string; tab?: string };
  const navigate = useNavigate();
  const queue = useQuery(queueQuery(name));
  const acts = useActs();
  const [asking, setAsking] = useState<Asking>(null);
  const set = useCallback(
    (part: { q?: string | undefined; tab?: string | undefined }) =>
      void navigate({
        to: "/queues/$name",
        params: { name },
        search: { q: q || undefined, tab: tab === "jobs" ? undefined : tab, ...part },
      }),
    [navigate, name, q, tab],
  );
  const above = { to: "/queues", name: "Queues" };
  if (queue.isPending)
    return (
      <Page title={name} above={above}>
        <Skeleton rows={10} />
      </Page>
    );
  if (isGone(queue.error))
    return (
      <Page title={name} above={above}>
        <Panel>
          <Empty
            icon={<Layers />}
            title="There is no such queue"
            action={
              <Button needs="enqueue:write" onClick={() => ask({ kind: "enqueue", queue: name })}>
                Enqueue here
              </Button>
            }
          >
            It was destroyed, or had no job yet. It comes into being with its next job.
          </Empty>
        </Panel>
      </Page>
    );
  if (!queue.data)
    return (
      <Page title={name} above={above}>
        <Failure error={queue.error} retry={() => void queue.refetch()} />
      </Page>
    );
  const info = queue.data;
  return (
    <Page
      above={above}
      name={name}
      title={
        <span className="flex items-center gap-2">
          {name}
          {info.paused && (
            <span className="inline-flex items-center gap-1 rounded-full bg-warn-soft px-2 py-0.5 text-xs font-medium text-warn">
              <CirclePause className="size-3.5" aria-hidden="true" /> paused
            </span>
          )}
        </span>
      }
      actions={
        <>
          <Button
            needs="enqueue:write"
            icon={<Plus className="size-4" />}
            onClick={() => ask({ kind: "enqueue", queue: name })}
          >
            Enqueue here
          </Button>
          <Button
            needs="queues:write"
            icon={<Gauge className="size-4" />}
            onClick={() => setAsking("limits")}
          >
            Limits
          </Button>
          <Button
            needs={info.paused ? "queues:resume" : "queues:pause"}
            look={info.paused ? "primary" : "plain"}
            icon={info.paused ? <Play className="size-4" /> : <Pause className="size-4" />}
            onClick={() => void acts.queue(info.paused ? "resume" : "pause", name)}
          >
            {info.paused ? "Resume" : "Pause"}
          </Button>
          <Menu
            trigger={
              <Button needs="queues:drain" aria-label="More actions" icon={<Ellipsis className="size-4" />} />
            }
          >
            <MenuItem needs="queues:drain" icon={<Waves />} onSelect={() => void acts.queue("drain", name)}>
              Drain
            </MenuItem>
            <MenuLine />
            <MenuItem needs="queues:clear" danger icon={<Eraser />} onSelect={() => setAsking("clear")}>
              Clear…
            </MenuItem>
            <MenuItem needs="queues:delete" danger icon={<Flame />} onSelect={() => setAsking("destroy")}>
              Destroy…
            </MenuItem>
          </Menu>
        </>
      }
    >
      <Facts queue={info} onState={(state) => set({ q: `state:${state}`, tab: undefined })} />
      <div className="mt-5">
        <Tabs
          label="About this queue"
          value={tab}
          onChange={(next) => set({ tab: next === "jobs" ? undefined : next })}
          tabs={[
            {
              id: "jobs",
              label: "Jobs",
              content: <JobsTab name={name} q={q} onSearch={(next) => set({ q: next || undefined })} />,
            },
            { id: "chart", label: "Throughput", content: <ChartTab name={name} /> },
            {
              id: "errors",
              label: "Errors",
              count: info.dead + info.retrying ? short(info.dead + info.retrying) : undefined,
              content: <ErrorsTab name={name} />,
            },
            { id: "workers", label: "Workers", content: <WorkersTab name={name} /> },
          ]}
        />
      </div>
      {asking === "limits" && <LimitsDialog queue={info} onClose={() => setAsking(null)} />}
      {asking === "clear" && <ClearDialog queue={info} onClose={() => setAsking(null)} />}
      {asking === "destroy" && (
        <DestroyDialog
          queue={info}
          onClose={(gone) => {
            setAsking(null);
            if (gone) void navigate({ to: "/queues" });
          }}
        />
      )}
    </Page>
  );
}

function Facts({ queue, onState }: { queue: QueueInfo; onState(state: State): void }) {
  const now = useNow(1_000);
  const ahead = forecast(queue);
  const oldest = ms(queue.oldest_pending_at);
  const facts: [string, string][] = [
    [
      "Rate",
      `${rate(queue.rates?.minute.completed ?? 0)} done, ${rate(queue.rates?.minute.enqueued ?? 0)} in`,
    ],
    ["Backlog", ahead?.text ?? "none"],
    ["Oldest waits", oldest === undefined ? "–" : duration(Math.max(0, now - oldest))],
    [
      "Concurrency",
      queue.max_concurrency === undefined ? "no limit" : `${queue.active} of ${queue.max_concurrency}`,
    ],
    [
      "Rate limit",
      queue.rate_limit === undefined
        ? "no limit"
        : `${number(queue.rate_limit)} per ${period(queue.rate_window_ms ?? 0)}`,
    ],
    ["Ever", `${short(queue.enqueued)} in, ${short(queue.failed)} failed`],
  ];
  return (
    <Panel title="Now" live>
      <ul className="grid grid-cols-2 gap-2 sm:grid-cols-4 xl:grid-cols-8">
        {STATES.map((state) => (
          <li key={state}>
            <button
              type="button"
              onClick={() => onState(state)}
              className="w-full rounded-lg border border-line px-3 py-2 text-left hover:border-line-strong hover:bg-hover"
            >
              <span className="flex items-center gap-1.5 text-xs text-ink-2">
                <StateIcon state={state} /> {state}
              </span>
              <span className="nums text-lg font-semibold" title={number(queue[state])}>
                {short(queue[state])}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <dl className="mt-4 grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3 xl:grid-cols-6">
        {facts.map(([term, text]) => (
          <Fact key={term} term={term}>
            {text}
          </Fact>
        ))}
      </dl>
      {queue.blocked > 0 && (
        <p className="mt-3 text-xs text-ink-2">
          {plural(queue.blocked, "pending job")} wait for other jobs to complete.
        </p>
      )}
    </Panel>
  );
}
