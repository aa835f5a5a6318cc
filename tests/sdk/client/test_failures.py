"""Groups of failures from the SDK, and acting on one."""


def fail(client, queue, error):
    client.enqueue(queue, max_retries=1)
    (claim,) = client.protocol.fetch([queue])
    client.protocol.fail(claim.job_id, error, lease_token=claim.lease_token)
    return claim.job_id


def test_a_group_is_found_and_retried(client, queue):
    users = [fail(client, queue, f"user {n} not found") for n in range(2)]
    fail(client, queue, "disk full")
    found = client.jobs.failures(queue)

    assert (found.total, found.jobs) == (2, 3)
    assert found.since < found.until
    group = found.failures[0]
    assert (group.failure, group.count, group.dead, group.queues) == ("user … not found", 2, 2, {queue: 2})
    assert [job.id for job in group.sample] == users[::-1]
    done = client.bulk("retry", filter={"queue": queue, "failure": group.failure})
    assert done.affected == 2
    assert [group.failure for group in client.jobs.failures(query=f"queue:{queue}").failures] == ["disk full"]
