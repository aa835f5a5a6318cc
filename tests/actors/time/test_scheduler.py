from corvo.actors.status import GetStatus
from corvo.core.errors import Overloaded
from corvo.ops.enqueue import Enqueue
from corvo.ops.finish import Ack
from corvo.storage import audit_keys, keys
from tests.fsm.handlers.test_audit import record

SECOND = 1_000_000_000


def enqueue(path, **fields):
    (outcome,) = path.do(Enqueue(path.new_job(**fields)))
    path.settle()
    return outcome.job_id


def state(path, job_id):
    from corvo.core.job import decode_job

    path.settle()
    stored = path.kv.get(keys.job(job_id))
    return None if stored is None else decode_job(stored).state.label


def test_an_idle_node_writes_nothing(path):
    enqueue(path)
    entries = path.entries
    path.advance(600)
    assert path.entries == entries


def test_a_delayed_job_becomes_pending_within_fifty_milliseconds(path):
    job_id = enqueue(path, scheduled_ns=path.clock.now_ns() + 10 * SECOND)
    path.advance(9.99)
    assert state(path, job_id) == "scheduled"
    path.advance(0.05)
    assert state(path, job_id) == "pending"


def test_an_earlier_time_wakes_a_scheduler_that_sleeps_for_a_later_one(path):
    late = enqueue(path, scheduled_ns=path.clock.now_ns() + 1_000 * SECOND)
    path.advance(1)
    soon = enqueue(path, scheduled_ns=path.clock.now_ns() + SECOND)
    path.advance(1.05)
    assert state(path, soon) == "pending"
    assert state(path, late) == "scheduled"


def test_a_waiting_worker_gets_a_delayed_job_when_it_is_due(path):
    job_id = enqueue(path, scheduled_ns=path.clock.now_ns() + 2 * SECOND)
    wait = path.wait(wait_s=30)
    path.advance(2.1)
    assert [whole.job.id for whole in wait.result().jobs] == [job_id]


def test_a_lost_lease_is_reclaimed_and_one_that_was_given_back_costs_nothing(path):
    lost = enqueue(path)
    done = enqueue(path)
    path.wait(lease_ms=1_000).result()
    (other,) = path.wait(lease_ms=1_000).result().jobs
    path.do(Ack(done, other.job.lease.token))
    entries = path.entries

    path.advance(1.2)

    assert state(path, lost) == "pending"
    assert path.entries == entries + 1


def test_a_lease_that_was_given_back_in_time_leads_to_no_entry(path):
    job_id = enqueue(path)
    (whole,) = path.wait(lease_ms=1_000).result().jobs
    path.do(Ack(job_id, whole.job.lease.token))
    entries = path.entries
    path.advance(30)
    assert path.entries == entries


def test_expired_jobs_are_killed_on_time(path):
    job_id = enqueue(path, expire_after_ms=3_000)
    path.advance(3.1)
    assert state(path, job_id) == "dead"


def test_ended_jobs_are_purged_after_their_retention(path):
    job_id = enqueue(path)
    (whole,) = path.wait().result().jobs
    path.do(Ack(job_id, whole.job.lease.token))
    path.advance(3_500)
    assert state(path, job_id) == "completed"
    path.advance(200)
    assert state(path, job_id) is None


def test_a_backlog_of_due_jobs_is_worked_off_in_bounded_entries(path):
    due = path.clock.now_ns() + 5 * SECOND
    for _ in range(5):
        path.do(*(Enqueue(path.new_job(scheduled_ns=due)) for _ in range(500)))
    entries = path.entries
    path.advance(6)
    assert path.machine.state.queues["q"].doc.pending == 2_500
    assert path.entries == entries + 3


def test_a_refused_round_is_tried_again(path):
    job_id = enqueue(path, scheduled_ns=path.clock.now_ns() + SECOND)
    path.consensus.refusal = Overloaded("busy", retry_after_ms=1)
    path.advance(2)
    assert state(path, job_id) == "scheduled"
    path.consensus.refusal = None
    path.advance(1)
    assert state(path, job_id) == "pending"
    figures = path.system.ask(path.scheduler, GetStatus()).result()
    assert figures.tasks["promote"].errors_total >= 1
    assert figures.tasks["promote"].done_total == 1


def test_a_clock_that_jumps_ahead_is_noticed_within_seconds(path):
    job_id = enqueue(path, scheduled_ns=path.clock.now_ns() + 3_600 * SECOND)
    path.advance(1)
    path.clock.advance(s=3_600)
    path.advance(6)
    assert state(path, job_id) == "pending"


def test_a_restarted_scheduler_picks_up_what_is_due(path):
    job_id = enqueue(path, scheduled_ns=path.clock.now_ns() + 2 * SECOND)
    path.system.crash(path.scheduler)
    path.advance(3)
    assert state(path, job_id) == "pending"
    path.system.supervisor.crashes = 0


def test_a_follower_does_no_upkeep(path):
    from corvo.consensus.api import Role

    job_id = enqueue(path, scheduled_ns=path.clock.now_ns() + SECOND)
    path.feed.role_changed(Role.FOLLOWER, 2, "other")
    path.advance(5)
    assert state(path, job_id) == "scheduled"
    path.feed.role_changed(Role.LEADER, 3, "n1")
    path.advance(0.1)
    assert state(path, job_id) == "pending"


def audit_numbers(path):
    path.settle()
    prefix = audit_keys.prefix("default")
    return [audit_keys.parse_record(key)[1] for key, _ in path.kv.scan(prefix, keys.after(prefix))]


def test_old_audit_records_are_deleted_and_nothing_is_written_before(path):
    for _ in range(2):
        path.do(record())
        path.advance(3_600)
    entries = path.entries
    path.advance(21 * 3_600)
    assert (audit_numbers(path), path.entries) == ([1, 2], entries)
    path.advance(1.1 * 3_600)
    assert audit_numbers(path) == [2]
    path.advance(3_600)
    assert audit_numbers(path) == []
    entries = path.entries
    path.advance(24 * 3_600)
    assert path.entries == entries


def test_audit_records_beyond_the_number_that_is_kept_are_deleted(path):
    for _ in range(9):
        path.do(record())
    path.advance(130)
    assert audit_numbers(path) == [5, 6, 7, 8, 9]
