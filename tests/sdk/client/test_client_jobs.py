"""What people do to jobs, against a real server: act, search, change many."""

import pytest

from corvo_sdk import new_job
from corvo_sdk.errors import (
    CancelRefused,
    NotFound,
    RetryRefused,
    ValidationFailed,
)


def test_people_can_do_to_a_job_what_the_server_allows(client, queue):
    job_id = client.enqueue(queue).job_id

    assert client.jobs.hold(job_id, "look at it") == "held"
    assert client.get(job_id).hold_reason == "look at it"
    assert client.jobs.approve(job_id) == "pending"
    assert client.jobs.change_priority(job_id, "critical") == "changed"
    assert client.jobs.move(job_id, f"{queue}-2") == "moved"
    assert client.jobs.cancel(job_id) == "cancelled"
    assert client.jobs.retry(job_id) == "retried"
    assert client.jobs.hold(job_id) == "held"
    assert client.jobs.reject(job_id, "no") == "dead"
    assert client.jobs.delete(job_id) == "deleted"
    with pytest.raises(NotFound):
        client.get(job_id)


def test_what_is_not_possible_is_an_error_of_its_own_kind(client, queue):
    job_id = client.enqueue(queue).job_id
    with pytest.raises(RetryRefused) as refused:
        client.jobs.retry(job_id)
    assert refused.value.status == 400
    assert refused.value.hint
    assert refused.value.request_id
    client.jobs.cancel(job_id)
    with pytest.raises(CancelRefused):
        client.jobs.cancel(job_id)


def test_a_job_explains_itself_and_has_a_history(client, queue):
    client.queues.pause(queue)
    job_id = client.enqueue(queue).job_id

    why = client.jobs.why(job_id)
    history = client.jobs.history(job_id)

    assert "paused" in {reason.code for reason in why.reasons}
    assert [event.type for event in history.events] == ["enqueued"]


def test_all_errors_of_a_job_are_read_page_by_page(client, queue):
    job_id = client.enqueue(queue, max_retries=200, retry_backoff="none", retry_base_delay="1ms").job_id
    for number in range(103):
        (claimed,) = client.protocol.fetch([queue])
        client.protocol.fail(job_id, f"e{number}", lease_token=claimed.lease_token, retry_after="0s")

    job = client.get(job_id)

    assert (len(job.errors), job.errors_total, job.errors[-1].error) == (100, 103, "e102")
    assert [error.error for error in client.jobs.errors(job_id)] == [f"e{n}" for n in reversed(range(103))]


def test_jobs_are_found_by_filter_page_by_page(client, queue):
    client.enqueue_many([new_job(queue, {"n": n}, tags={"odd": str(n % 2)}) for n in range(7)])

    page = client.jobs.search(queue=queue, state="pending", limit=3)
    odd = list(client.jobs.find(queue=queue, tags={"odd": "1"}, payload_jq=".n > 1", order="asc"))

    assert (page.total, len(page.jobs), page.has_more) == (7, 3, True)
    assert len(client.jobs.search(queue=queue, state="pending", cursor=page.cursor).jobs) == 4
    assert [job.payload["n"] for job in odd] == [3, 5]
    with pytest.raises(ValidationFailed):
        client.jobs.search(payload_jq="nonsense")


def test_many_jobs_are_changed_at_once(client, queue):
    made = client.enqueue_many([new_job(queue, {"n": n}) for n in range(4)])

    dry = client.bulk("cancel", filter={"queue": queue}, dry_run=True)
    assert client.queues.get(queue).pending == 4
    done = client.bulk("cancel", job_ids=made.job_ids[:3])
    begun = client.bulk("move", filter={"queue": queue}, move_to_queue=f"{queue}-2", background=True)
    task = client.bulk.wait(begun.bulk_operation_id)

    assert (dry.dry_run, dry.count, dry.by_state, len(dry.sample)) == (True, 4, {"pending": 4}, 4)
    assert (done.affected, client.queues.get(queue).cancelled) == (3, 0)
    assert (task.status, task.total) == ("completed", 4)
    assert client.queues.get(f"{queue}-2").pending == 1


def test_a_bulk_task_tells_how_far_it_is(client, queue):
    client.enqueue_many([new_job(queue) for _ in range(30)])
    begun = client.bulk("delete", filter={"queue": queue}, background=True, rate=1_000)

    last = list(client.bulk.progress(begun.bulk_operation_id))[-1]

    assert (last.status, last.processed) == ("completed", 30)
    assert begun.bulk_operation_id in {task.id for task in client.bulk.all()}


def test_dead_jobs_and_words_are_found(client, queue):
    job_id = client.enqueue(queue, {"note": f"raven{queue}"}).job_id
    (job,) = client.protocol.fetch([queue])
    client.protocol.fail(job.job_id, "no", lease_token=job.lease_token, retry=False)

    assert [job.id for job in client.jobs.dead(queue).jobs] == [job_id]
    assert [found.id for found in client.jobs.full_text(f"raven{queue}")] == [job_id]
