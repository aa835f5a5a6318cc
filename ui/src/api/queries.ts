// What is asked of the server, under which key it is kept, and how often it is asked again. Counters come by
// the live stream; only figures that have no event are asked for on a beat, and not while paused or hidden.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { may } from "@/app/who";
import { MINUTE_MS, rolling } from "@/lib/flow";
import { call } from "./client";
import type {
  AuditPage,
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
  Key,
  Minute,
  Namespace,
  Queue,
  QueueHours,
  Role,
  Schedule,
  SearchPage,
  Session,
  Sso,
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
  enabled: () => may("queues:read"),
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
  enabled: () => may("cluster:read"),
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

// People

export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: ({ signal }) => call<Key[]>("/auth/keys", { signal }),
  refetchInterval: every(BEAT_MS),
});

export const rolesQuery = queryOptions({
  queryKey: ["roles"],
  queryFn: ({ signal }) => call<Role[]>("/auth/roles", { signal }),
});

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => call<Session[]>("/auth/sessions", { signal }),
  refetchInterval: every(BEAT_MS),
});

export const ssoQuery = queryOptions({
  queryKey: ["sso"],
  queryFn: ({ signal }) => call<Sso>("/settings/sso", { signal }),
});

export const namespacesQuery = queryOptions({
  queryKey: ["namespaces"],
  queryFn: ({ signal }) => call<Namespace[]>("/namespaces", { signal }),
  refetchInterval: every(15_000),
});

export const auditQuery = (search: Record<string, string>) =>
  queryOptions({
    queryKey: ["audit", search],
    queryFn: ({ signal }) => call<AuditPage>(`/audit-logs?${new URLSearchParams(search)}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: every(BEAT_MS),
  });
