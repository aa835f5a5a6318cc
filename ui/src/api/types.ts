// Names for what the API speaks of. The shapes come from the server's own description.
import type { components } from "./schema";

type Schemas = components["schemas"];

export type State =
  | "pending"
  | "active"
  | "completed"
  | "retrying"
  | "scheduled"
  | "held"
  | "dead"
  | "cancelled";

export const STATES: State[] = [
  "pending",
  "active",
  "scheduled",
  "retrying",
  "held",
  "completed",
  "dead",
  "cancelled",
];
export const ENDED: ReadonlySet<State> = new Set(["completed", "dead", "cancelled"]);

export type Queue = Schemas["QueueBody"];
export type Job = Omit<Schemas["JobBody"], "state" | "errors"> & { state: State; errors?: JobError[] };
export type JobError = Schemas["ErrorBody"];
export type Explanation = Schemas["ExplainBody"];
export type Worker = Schemas["WorkerBody"];
export type Batch = Schemas["BatchBody"];
export type Minute = Schemas["MinuteBody"];
export type QueueHours = Schemas["QueueHoursBody"];
export type QueueHour = Schemas["QueueHourBody"];
export type Enqueue = Schemas["EnqueueRequest"];
export type Enqueued = Schemas["EnqueueResponse"];
export type Webhook = Schemas["WebhookBody"];
export type Delivery = Schemas["DeliveryBody"];
export type Sent = Schemas["SentBody"];
export type Failures = Schemas["FailuresBody"];
export type FailureGroup = Schemas["FailureGroupBody"];
export type Health = Schemas["HealthBody"];
export type Info = Schemas["InfoBody"];
export type Key = Schemas["KeyBody"];
export type KeyMade = Schemas["KeyMade"];
export type Role = Schemas["RoleBody"];
export type Session = Schemas["SessionBody"];
export type Sso = Schemas["SsoBody"];

export type Namespace = Schemas["NamespaceBody"];

export type AuditPage = Schemas["AuditLogsBody"];

export interface LiveEvent {
  seq: number;
  type: string;
  at_ns: number;
  job_id?: string;
  queue?: string;
  data?: Record<string, unknown> | unknown;
}
export interface History {
  events: LiveEvent[];
  complete: boolean;
}

/** A job as lists show it. */
export interface JobRow {
  id: string;
  queue: string;
  state: State;
  payload: unknown;
  priority: number;
  attempt: number;
  max_retries: number;
  created_at: string;
  unique_key?: string;
  batch_id?: string;
  worker_id?: string;
  tags?: Record<string, string>;
  parent_id?: string;
  chain_id?: string;
  chain_step?: number;
  scheduled_at?: string;
  started_at?: string;
  completed_at?: string;
  failed_at?: string;
  last_error?: string;
  hold_reason?: string;
  progress?: unknown;
}

export interface Filter {
  queue?: string;
  state?: State[];
  priority?: string;
  tags?: Record<string, string>;
  payload_contains?: string;
  payload_jq?: string;
  error_contains?: string;
  failure?: string;
  job_id_prefix?: string;
  job_id_suffix?: string;
  has_errors?: boolean;
  attempt_min?: number;
  attempt_max?: number;
  unique_key?: string;
  batch_id?: string;
  worker_id?: string;
  parent_id?: string;
  group?: string;
  chain_id?: string;
  created_after?: string;
  created_before?: string;
  scheduled_after?: string;
  scheduled_before?: string;
  started_after?: string;
  started_before?: string;
  completed_after?: string;
  completed_before?: string;
  expire_after?: string;
  expire_before?: string;
  sort?: string;
  order?: string;
  limit?: number;
  cursor?: string;
}

export interface SearchPage {
  jobs: JobRow[];
  total: number;
  total_is_estimate?: boolean;
  cursor?: string;
  has_more: boolean;
  duration_ms: number;
  /** By this browser's clock; not from the server. */
  readAtMs?: number;
}

export type BulkAction =
  | "retry"
  | "delete"
  | "cancel"
  | "move"
  | "requeue"
  | "change_priority"
  | "hold"
  | "approve"
  | "reject";

export interface BulkOrder {
  action: BulkAction;
  job_ids?: string[];
  filter?: Filter;
  move_to_queue?: string;
  priority?: string;
  reason?: string;
  rate?: number;
  async?: boolean;
  dry_run?: boolean;
}

export type BulkPreview = Omit<Schemas["BulkPreviewBody"], "by_state" | "sample"> & {
  by_state: Partial<Record<State, number>>;
  sample: JobRow[];
};
export type BulkDone = Schemas["BulkDoneBody"];
export type BulkQueued = Schemas["BulkQueuedBody"];
export type BulkTask = Omit<Schemas["BulkTaskBody"], "status" | "action" | "filter"> & {
  status: "queued" | "running" | "completed" | "failed" | "cancelled";
  action: BulkAction;
  filter?: Filter;
};

export interface ClusterNode {
  id: string;
  address?: string;
  voter?: boolean;
  role?: string | null;
  self?: boolean;
  connected?: boolean;
  match_index?: number | string;
  applied_index?: number | string;
  http?: string;
  lag?: number;
  mirror_lag?: number;
}

export interface Cluster {
  mode: string;
  status: string;
  state: string;
  term: number;
  leader_id?: string | null;
  node_id: string;
  applied_index: string;
  commit_index: string;
  raft_nosync: boolean;
  apply_pending_now: number;
  applied_total: number;
  overload_total: number;
  apply_time_hist?: Histogram;
  queue_time_hist?: Histogram;
  sync_time_hist?: Histogram;
  snapshot: { latest_index?: number; latest_size?: number };
  sqlite_mirror?: Record<string, number | boolean | string | null>;
  sqlite_rebuild?: Record<string, number | boolean | string | null>;
  nodes: ClusterNode[];
  [other: string]: unknown;
}

export interface Histogram {
  count: number;
  avg?: string;
  p50?: string;
  p90?: string;
  p99?: string;
}

export interface Schedule {
  id: string;
  name: string;
  queue: string;
  cron: string;
  timezone: string;
  enabled: boolean;
  misfire: string;
  overlap: string;
  dst_gap: string;
  dst_overlap: string;
  payload: unknown;
  priority: number;
  priority_name: string;
  max_retries: number;
  created_at: string;
  updated_at: string;
  version: number;
  fired: number;
  skipped: number;
  runs: { at: string; job_id?: string; note?: string }[];
  next_run?: string;
  last_run?: string;
  last_job_id?: string;
  tags?: Record<string, string>;
  unique_key?: string;
}

export interface FireTimes {
  timezone: string;
  runs: { at: string; local: string }[];
}
