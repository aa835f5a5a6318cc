"""The LevelDB key space. This file is the database schema.

    m|                                             where the store stands: index, term, time, sequence
    m|roster                                       the members of the cluster, as consensus encodes them
    m|rules                                        settings and limits that all nodes must have in common
    m|sso                                          settings of single sign-on
    m|shut                                         there if a credential is needed: there was a key once
    j|<job_id>                                     job document
    y|<job_id>                                     payload too large for the document
    e|<job_id>\\0<number:u32>                       one failure of a job
    p|<queue>\\0<priority:u8><order_ns:u64><job_id> pending jobs in the order they are handed out
    s|<queue>\\0<state:u8><job_id>                  jobs of a queue in every other state, and parked ones
    d|<due_ns:u64><job_id>                         scheduled and retrying jobs by due time
    l|<expires_ns:u64><job_id>                     active jobs by the end of their lease
    x|<expire_ns:u64><job_id>                      jobs that wait, by the time they are no longer wanted
    t|<ended_ns:u64><job_id>                       ended jobs by the time they ended
    u|<queue>\\0<unique_key>                        unique lock: job id and expiry
    v|<expires_ns:u64><queue>\\0<unique_key>        unique locks by expiry
    q|<queue>                                      queue document
    w|<worker_id>                                  worker document
    i|<idempotency_key>                            stored answer to a request that may be repeated
    k|<expires_ns:u64><idempotency_key>            stored answers by expiry
    b|<batch_id>                                   batch document
    g|<over_ns:u64><batch_id>                      batches without a living job, by the time that began
    f|<job_id>\\0<dependent_id>                     jobs that wait for this job to complete
    r|<at_ns:u64><job_id>                          jobs that ended and have dependents still to be told
    n|<queue>\\0<claimed_ns:u64><number:u32>        claims of a throttled queue within its window
    o|<bulk_id>                                    bulk task
    h|<bulk_id>\\0<step:u32>                        ids of one step of a bulk task
    z|<ended_ns:u64><bulk_id>                      bulk tasks by the time they ended
    sc|<schedule_id>                               schedule document
    sn|<name>                                      schedules by name: schedule id
    c|<next_ns:u64><schedule_id>                   enabled schedules by the time they fire next
    wh|<webhook_id>                                webhook
    ak|<key_id>                                    API key
    ar|<name>                                      role made by an admin
    ns|<namespace>                                 a namespace that was set up: quotas
    as|<session_id>                                session of a person
    au|<namespace>\\0<number:u64>                  audit record
    av|<inverted at_ns:u64>                        key of an audit record, newest first over all namespaces
    an|<namespace>                                 which audit records of the namespace are kept
    rel|<id>\\0<job_id>                             jobs that name this job, batch or chain as a relative
    ev|<index:u64>                                 events of one log entry

Names of queues, workers, schedules, webhooks, batches, idempotency keys and relatives are qualified: in a
namespace other than `default` they begin with its name and SEPARATOR (core/namespace.py).

Integers are big-endian so that byte order is numeric order. Queue names may not hold NUL (checked at
the edge), so `\\0` ends the variable part. Most builders have a parser; a property test says
that the two are inverse and that byte order is the order of the queue.
"""

from struct import Struct

from corvo.core.namespace import Qualified

_U32 = Struct(">I")
_U64 = Struct(">Q")
_PENDING_SORT = Struct(">BQ")
_RATE = Struct(">QI")

META = b"m|"
ROSTER = b"m|roster"
SHARED_SETTINGS = b"m|rules"
SHUT = b"m|shut"
SSO = b"m|sso"

JOB = b"j|"
PAYLOAD = b"y|"
ERROR = b"e|"
PENDING = b"p|"
MEMBER = b"s|"
DUE = b"d|"
LEASE = b"l|"
EXPIRY = b"x|"
ENDED = b"t|"
UNIQUE = b"u|"
UNIQUE_EXPIRY = b"v|"
QUEUE = b"q|"
WORKER = b"w|"
IDEMPOTENCY = b"i|"
IDEMPOTENCY_EXPIRY = b"k|"
EVENTS = b"ev|"
BATCH = b"b|"
BATCH_OVER = b"g|"
DEPENDENT = b"f|"
RESOLVING = b"r|"
RATE = b"n|"
BULK = b"o|"
BULK_IDS = b"h|"
BULK_ENDED = b"z|"
SCHEDULE = b"sc|"
SCHEDULE_NAME = b"sn|"
SCHEDULE_DUE = b"c|"
WEBHOOK = b"wh|"
RELATIVE = b"rel|"
API_KEY = b"ak|"
ROLE = b"ar|"
NAMESPACE = b"ns|"
SESSION = b"as|"
AUDIT = b"au|"
AUDIT_TIME = b"av|"
AUDIT_BOUNDS = b"an|"

#: Families ordered by time, whose heads tell the scheduler when there is work.
TIMED = (
    DUE,
    LEASE,
    EXPIRY,
    ENDED,
    UNIQUE_EXPIRY,
    IDEMPOTENCY_EXPIRY,
    BATCH_OVER,
    RESOLVING,
    BULK_ENDED,
    SCHEDULE_DUE,
)

#: Stands in a member key where a state stands otherwise: pending, but waiting for other jobs.
PARKED = 100


def after(prefix: bytes) -> bytes:
    """The first key that is past every key with this prefix."""
    return prefix[:-1] + bytes((prefix[-1] + 1,))


# Jobs.


def job(job_id: str) -> bytes:
    return JOB + job_id.encode()


def parse_job(key: bytes) -> str:
    return key[len(JOB) :].decode()


def payload(job_id: str) -> bytes:
    return PAYLOAD + job_id.encode()


def error_prefix(job_id: str) -> bytes:
    return ERROR + job_id.encode() + b"\0"


def error(job_id: str, number: int) -> bytes:
    return error_prefix(job_id) + _U32.pack(number)


def parse_error(key: bytes) -> tuple[str, int]:
    return key[len(ERROR) : -5].decode(), _U32.unpack(key[-4:])[0]


# Jobs by queue.


def pending_prefix(queue: Qualified) -> bytes:
    return PENDING + queue.encode() + b"\0"


def pending_sort(priority: int, order_ns: int, job_id: str) -> bytes:
    """The part that orders a queue's pending jobs. Comparing two of them compares across queues, too."""
    return _PENDING_SORT.pack(priority, order_ns) + job_id.encode()


def pending_sort_start(priority: int, order_ns: int) -> bytes:
    """The first sort key of this priority that is not before this time."""
    return _PENDING_SORT.pack(priority, order_ns)


def parse_pending_sort(sort: bytes) -> tuple[int, int, str]:
    priority, order_ns = _PENDING_SORT.unpack_from(sort)
    return priority, order_ns, sort[_PENDING_SORT.size :].decode()


def job_id_of_pending_sort(sort: bytes) -> str:
    return sort[_PENDING_SORT.size :].decode()


def jobs_of_pending_sorts(sorts: list[bytes]) -> list[bytes]:
    """The keys of the job documents that these sort keys name."""
    past_place = slice(_PENDING_SORT.size, None)
    return [JOB + sort[past_place] for sort in sorts]


def pending(queue: Qualified, priority: int, order_ns: int, job_id: str) -> bytes:
    return pending_prefix(queue) + pending_sort(priority, order_ns, job_id)


def parse_pending(key: bytes) -> tuple[Qualified, int, int, str]:
    end = key.index(b"\0", len(PENDING))
    return (Qualified(key[len(PENDING) : end].decode()), *parse_pending_sort(key[end + 1 :]))


def member_prefix(queue: Qualified) -> bytes:
    return MEMBER + queue.encode() + b"\0"


def member_state_prefix(queue: Qualified, state: int) -> bytes:
    return member_prefix(queue) + bytes((state,))


def member(queue: Qualified, state: int, job_id: str) -> bytes:
    return member_prefix(queue) + bytes((state,)) + job_id.encode()


def parse_member(key: bytes) -> tuple[Qualified, int, str]:
    """Queue, state or PARKED, job id."""
    end = key.index(b"\0", len(MEMBER))
    return Qualified(key[len(MEMBER) : end].decode()), key[end + 1], key[end + 2 :].decode()


# Jobs by time. All of these families share one shape.


def timed(family: bytes, at_ns: int, name: str) -> bytes:
    return family + _U64.pack(at_ns) + name.encode()


def timed_start(family: bytes, at_ns: int) -> bytes:
    """The first key of the family that is not before this time."""
    return family + _U64.pack(at_ns)


def parse_timed(family: bytes, key: bytes) -> tuple[int, str]:
    start = len(family)
    return _U64.unpack_from(key, start)[0], key[start + 8 :].decode()


# Locks, queues, workers, requests.


def unique(queue: Qualified, unique_key: str) -> bytes:
    return UNIQUE + queue.encode() + b"\0" + unique_key.encode()


def parse_unique(key: bytes) -> tuple[Qualified, str]:
    queue, _, unique_key = key[len(UNIQUE) :].decode().partition("\0")
    return Qualified(queue), unique_key


def queue(name: Qualified) -> bytes:
    return QUEUE + name.encode()


def parse_queue(key: bytes) -> Qualified:
    return Qualified(key[len(QUEUE) :].decode())


def worker(worker_id: Qualified) -> bytes:
    return WORKER + worker_id.encode()


def idempotency(key: Qualified) -> bytes:
    return IDEMPOTENCY + key.encode()


# Events.


def events(index: int) -> bytes:
    return EVENTS + _U64.pack(index)


def parse_events(key: bytes) -> int:
    index: int = _U64.unpack(key[len(EVENTS) :])[0]
    return index


# Flows and limits.


def batch(batch_id: Qualified) -> bytes:
    return BATCH + batch_id.encode()


def dependents_prefix(job_id: str) -> bytes:
    return DEPENDENT + job_id.encode() + b"\0"


def dependent(job_id: str, dependent_id: str) -> bytes:
    return dependents_prefix(job_id) + dependent_id.encode()


def parse_dependent(key: bytes) -> tuple[str, str]:
    job_id, _, dependent_id = key[len(DEPENDENT) :].decode().partition("\0")
    return job_id, dependent_id


def rate_prefix(queue: Qualified) -> bytes:
    return RATE + queue.encode() + b"\0"


def rate(queue: Qualified, claimed_ns: int, number: int) -> bytes:
    return rate_prefix(queue) + _RATE.pack(claimed_ns, number)


def parse_rate(key: bytes) -> tuple[int, int]:
    claimed_ns, number = _RATE.unpack(key[-_RATE.size :])
    return claimed_ns, number


# Bulk tasks.


def bulk(task_id: str) -> bytes:
    return BULK + task_id.encode()


def bulk_ids(task_id: str, step: int) -> bytes:
    return BULK_IDS + task_id.encode() + b"\0" + _U32.pack(step)


# Schedules.


def schedule(schedule_id: str) -> bytes:
    return SCHEDULE + schedule_id.encode()


def parse_schedule(key: bytes) -> str:
    return key[len(SCHEDULE) :].decode()


def schedule_name(name: Qualified) -> bytes:
    return SCHEDULE_NAME + name.encode()


def parse_schedule_name(key: bytes) -> Qualified:
    return Qualified(key[len(SCHEDULE_NAME) :].decode())


# Webhooks.


def webhook(webhook_id: Qualified) -> bytes:
    return WEBHOOK + webhook_id.encode()


def parse_webhook(key: bytes) -> Qualified:
    return Qualified(key[len(WEBHOOK) :].decode())


# Access.


def api_key(key_id: str) -> bytes:
    return API_KEY + key_id.encode()


def role(name: str) -> bytes:
    return ROLE + name.encode()


def session(session_id: str) -> bytes:
    return SESSION + session_id.encode()


# Namespaces.


def namespace(name: str) -> bytes:
    return NAMESPACE + name.encode()


def parse_namespace(key: bytes) -> str:
    return key[len(NAMESPACE) :].decode()


# Relatives.


def relatives_prefix(named_id: Qualified) -> bytes:
    return RELATIVE + named_id.encode() + b"\0"


def relative(named_id: Qualified, job_id: str) -> bytes:
    return relatives_prefix(named_id) + job_id.encode()


def parse_relative(key: bytes) -> tuple[Qualified, str]:
    named_id, _, job_id = key[len(RELATIVE) :].decode().rpartition("\0")
    return Qualified(named_id), job_id
