// What is asked of the server, under which key it is kept, and how often it is asked again. Counters come by
// the live stream; only figures that have no event are asked for on a beat, and not while paused or hidden.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { MINUTE_MS, rolling } from "@/lib/flow";
import { call } from "./client";
import type {
  Batch,
  BulkTask,
  Cluster,
  Explanation,
  Failures,
  Filter,
  Health,
  History,
  Info,
  Job,
  Minute,
  Queue,
  QueueHours,
  Schedule,
  SearchPage,
  Webhook,
  Worker,
} from "./types";

export const keys = {
  queues: ["queues"] as const,
  queue: (name: string) => ["queue", name] as const,
  job: (id: string) => ["job", id] as const,
  explain: (id: string) => ["explain", id] as const,
  history: (id: string) => ["history", id] as const,
  workers: ["workers"] as const,
  cluster: ["cluster"] as const,
  search: (filter: Filter) => ["search", filter] as const,
};

const BEAT_MS = 10_000;

/** Set by the pause button: nothing is asked on a beat while the reader reads. */
export const beat = { paused: false };
export const every = (ms: number) => () => (beat.paused ? false : ms);

const path = encodeURIComponent;

export const queuesQuery = queryOptions({
  queryKey: keys.queues,
  queryFn: ({ signal }) => call<Queue[]>("/queues", { signal }),
  refetchInterval: every(15_000),
});

export const queueQuery = (name: string) =>
  queryOptions({
    queryKey: keys.queue(name),
    queryFn: ({ signal }) => call<Queue>(`/queues/${path(name)}`, { signal }),
    refetchInterval: every(BEAT_MS),
  });

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: keys.job(id),
    queryFn: ({ signal }) => call<Job>(`/jobs/${path(id)}`, { signal, exact: true }),
  });

export const explainQuery = (id: string) =>
  queryOptions({
    queryKey: keys.explain(id),
    queryFn: ({ signal }) => call<Explanation>(`/jobs/${path(id)}/explain`, { signal }),
    refetchInterval: every(5_000),
  });

export const historyQuery = (id: string) =>
  queryOptions({
    queryKey: keys.history(id),
    queryFn: ({ signal }) => call<History>(`/jobs/${path(id)}/events`, { signal }),
  });

export const workersQuery = queryOptions({
  queryKey: keys.workers,
  queryFn: ({ signal }) => call<Worker[]>("/workers", { signal }),
  refetchInterval: every(5_000),
});

export const clusterQuery = queryOptions({
  queryKey: keys.cluster,
  queryFn: ({ signal }) => call<Cluster>("/cluster/status", { signal }),
  refetchInterval: every(3_000),
});

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: ({ signal }) => call<Health>("//healthz", { signal }),
  refetchInterval: every(5_000),
  retry: false,
});

export const infoQuery = queryOptions({
  queryKey: ["info"],
  queryFn: ({ signal }) => call<Info>("/info", { signal }),
  staleTime: 300_000,
});

export const throughputQuery = queryOptions({
  queryKey: ["throughput"],
  queryFn: ({ signal }) => call<Minute[]>("/metrics/throughput", { signal }),
  refetchInterval: every(BEAT_MS),
});

export const queueHoursQuery = queryOptions({
  queryKey: ["queue-hours"],
  queryFn: async ({ signal }): Promise<QueueHours> => {
    const { start, queues } = await call<QueueHours>("/metrics/throughput/queues", { signal });
    const hour = (counts: number[]) =>
      rolling(counts, Date.parse(start) + (counts.length - 1) * MINUTE_MS, Date.now());
    const hours = Object.entries(queues).map(([name, { enqueued, completed, failed }]) => [
      name,
      { enqueued: hour(enqueued), completed: hour(completed), failed: hour(failed) },
    ]);
    return { start, queues: Object.fromEntries(hours) };
  },
  refetchInterval: every(BEAT_MS),
});

export const searchQuery = (filter: Filter) =>
  queryOptions({
    queryKey: keys.search(filter),
    queryFn: ({ signal }) =>
      call<SearchPage>("/jobs/search", { method: "POST", body: filter, signal, exact: true }),
    placeholderData: keepPreviousData,
  });

/** Failed jobs by what their errors have in common; the server counts them, however many there are. */
export const failuresQuery = (q: string, limit = 50) =>
  queryOptions({
    queryKey: ["failures", q, limit],
    queryFn: ({ signal }) =>
      call<Failures>(`/failures?${new URLSearchParams({ q, limit: String(limit) })}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: every(15_000),
  });

export const batchQuery = (id: string) =>
  queryOptions({
    queryKey: ["batch", id],
    queryFn: ({ signal }) => call<Batch>(`/batch/${path(id)}`, { signal }),
    refetchInterval: every(3_000),
  });

export const schedulesQuery = queryOptions({
  queryKey: ["schedules"],
  queryFn: ({ signal }) => call<Schedule[]>("/schedules", { signal, exact: true }),
  refetchInterval: every(BEAT_MS),
});

export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: ({ signal }) => call<Webhook[]>("/webhooks", { signal }),
  refetchInterval: every(5_000),
});

export const bulkTasksQuery = queryOptions({
  queryKey: ["bulk"],
  queryFn: ({ signal }) => call<{ tasks: BulkTask[]; has_more: boolean }>("/bulk", { signal }),
  refetchInterval: every(2_000),
});

export const bulkTaskQuery = (id: string) =>
  queryOptions({
    queryKey: ["bulk", id],
    queryFn: ({ signal }) => call<BulkTask>(`/bulk/${path(id)}`, { signal }),
    refetchInterval: (query) => {
      const status = query.state.data?.status;
      const moves = status === "queued" || status === "running" || !status;
      return moves && !beat.paused ? 500 : false;
    },
  });
