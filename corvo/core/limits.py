"""Every limit of the server, with its unit in its name. Units last, biggest word first."""

from typing import Final

from corvo.core.clock import NS_PER_S

# Names and texts that come from clients.
QUEUE_NAME_CHARS_MAX: Final = 200
#: Queues that are looked up in one go; each takes a read of the store, and everybody waits meanwhile.
QUEUES_AT_ONCE: Final = 200
SCHEDULE_NAME_CHARS_MAX: Final = 200
UNIQUE_KEY_CHARS_MAX: Final = 512
WORKER_ID_CHARS_MAX: Final = 256
HOSTNAME_CHARS_MAX: Final = 256
IDEMPOTENCY_KEY_CHARS_MAX: Final = 256
REASON_CHARS_MAX: Final = 1_024
ERROR_TEXT_BYTES_MAX: Final = 16 * 1024
#: How much of the last error is kept in the document itself, for lists and searches.
LAST_ERROR_CHARS: Final = 500
BACKTRACE_BYTES_MAX: Final = 64 * 1024
TAGS_MAX: Final = 64
TAG_BYTES_MAX: Final = 256

# Requests.
PAYLOAD_BYTES_DEFAULT: Final = 256 * 1024
BODY_BYTES_DEFAULT: Final = 16 * 1024 * 1024
ENQUEUE_BATCH_JOBS_MAX: Final = 10_000
FETCH_BATCH_JOBS_MAX: Final = 512
FETCH_QUEUES_MAX: Final = 128
ACK_BATCH_ITEMS_MAX: Final = 512
HEARTBEAT_JOBS_MAX: Final = 2_048
BULK_GET_IDS_MAX: Final = 1_000
#: Errors of a job that are kept, the newest ones: a job may fail 65,535 times, with pages of text each time.
ERRORS_KEPT_MAX: Final = 1_000
#: Errors shown with a job, the newest ones; the rest are read page by page.
JOB_ERRORS_SHOWN_MAX: Final = 100
JOB_ERRORS_SHOWN_BYTES_MAX: Final = 1024 * 1024
SCHEDULES_PAGE_MAX: Final = 1_000
PREVIEW_TIMES_DEFAULT: Final = 20
PREVIEW_TIMES_MAX: Final = 100
#: What another service may send to a queue by a webhook of its own.
INBOUND_BODY_BYTES_MAX: Final = 4 * 1024 * 1024

# Webhooks.
WEBHOOK_ID_CHARS_MAX: Final = 64
WEBHOOK_URL_CHARS_MAX: Final = 2_048
WEBHOOK_SECRET_CHARS_MAX: Final = 512
WEBHOOK_ATTEMPTS_DEFAULT: Final = 3
WEBHOOK_ATTEMPTS_MAX: Final = 100

# Access.
KEYS_MAX: Final = 10_000
#: Sessions of people, of all and of each.
SESSIONS_MAX: Final = 10_000
SESSIONS_EACH_MAX: Final = 50
GROUP_ROLES_MAX: Final = 500
#: Groups and roles of one person that count.
CLAIMS_MAX: Final = 200
ROLES_MAX: Final = 1_000
KEY_NAME_CHARS_MAX: Final = 128
ROLE_NAME_CHARS_MAX: Final = 64
ROLE_PERMISSIONS_MAX: Final = 64
SCOPE_GLOBS_MAX: Final = 64
#: How long a former secret counts after a rotation, unless said otherwise.
KEY_OVERLAP_MS_DEFAULT: Final = 24 * 3_600_000

# The audit log.
AUDIT_PAGE_MAX: Final = 1_000
AUDIT_OFFSET_MAX: Final = 100_000
#: Records of one namespace that are kept, unless said otherwise.
AUDIT_KEPT_DEFAULT: Final = 1_000_000
#: Of a request's path and query, and of each fact about it.
AUDIT_TEXT_CHARS_MAX: Final = 512
REQUEST_ID_CHARS_MAX: Final = 128

# Jobs.
MAX_RETRIES_DEFAULT: Final = 3
MAX_RETRIES_MAX: Final = 65_535
RETRY_BASE_DELAY_MS_DEFAULT: Final = 5_000
RETRY_MAX_DELAY_MS_DEFAULT: Final = 600_000
DURATION_MS_MAX: Final = 10 * 365 * 86_400_000
UNIQUE_PERIOD_S_DEFAULT: Final = 3_600
UNIQUE_PERIOD_S_MAX: Final = 10 * 365 * 86_400
LEASE_S_DEFAULT: Final = 60
LEASE_S_MAX: Final = 3_600
FETCH_WAIT_S_DEFAULT: Final = 30
FETCH_WAIT_S_MAX: Final = 60
LEASE_EXPIRATIONS_DEFAULT: Final = 10
#: A payload up to this size lives inside the job document; a larger one has its own record, so that
#: the document stays small and moving a job from state to state does not copy the payload each time.
PAYLOAD_INLINE_BYTES_MAX: Final = 1_024

# The state machine.
#: Raised with any change to what an op comes to or writes. Nodes that differ in it would come to different
#: states, so they cannot be in one cluster.
STATE_MACHINE_REVISION: Final = 3
QUEUES_MAX: Final = 100_000
SCHEDULES_MAX: Final = 10_000
#: Bulk tasks that have not ended: each has an actor of its own, and looks for its jobs by itself.
BULK_TASKS_UNFINISHED_MAX: Final = 1_000
#: Ids one upkeep op touches. A backlog of a million due jobs is a thousand small entries, not one huge one.
UPKEEP_IDS_MAX: Final = 1_000
#: Expired jobs that one fetch ends while it looks for jobs to hand out.
EXPIRED_BURIED_MAX: Final = 1_000
#: Dependents told at once that a job has ended; the rest are told by the scheduler, entry by entry.
DEPENDENTS_TOLD_MAX: Final = 1_000
CONCURRENCY_MAX: Final = 1_000_000
THROTTLE_RATE_MAX: Final = 100_000
THROTTLE_WINDOW_MS_MAX: Final = 31 * 86_400_000
DEPENDENCIES_MAX: Final = 1_000
CHAIN_STEPS_MAX: Final = 1_000
WEBHOOKS_MAX: Final = 1_000
IDEMPOTENCY_TTL_NS: Final = 24 * 3_600 * NS_PER_S
EVENTS_KEPT_DEFAULT: Final = 1_000_000
#: A worker's stored row is refreshed at most this often, so that a busy worker costs no extra writes.
WORKER_REFRESH_NS: Final = 10 * NS_PER_S
WORKER_SILENT_NS_MAX: Final = 24 * 3_600 * NS_PER_S
#: Workers remembered at once. One more, and a tenth of them is forgotten: those silent for longest.
WORKERS_MAX: Final = 10_000

# The write path.
BATCH_OPS_MAX: Final = 512
BATCH_WINDOW_US_DEFAULT: Final = 8_000
BATCH_MIN_WAIT_US_DEFAULT: Final = 1_000
BATCH_EXTEND_AT_DEFAULT: Final = 32
PENDING_OPS_MAX_DEFAULT: Final = 4_096
FETCH_INFLIGHT_MAX_DEFAULT: Final = 32
APPLY_TIMEOUT_S: Final = 10
#: Bytes of ops gathered into one entry before it is closed. One larger op may still be an entry of its own.
ENTRY_BYTES_SOFT_MAX: Final = 512 * 1024
PENDING_BYTES_MAX: Final = 64 * 1024 * 1024

assert BATCH_OPS_MAX < PENDING_OPS_MAX_DEFAULT, "a full batch must fit into what may be pending"
assert BODY_BYTES_DEFAULT < PENDING_BYTES_MAX, "the largest request must fit into what may be pending"
