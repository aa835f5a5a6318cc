"""The worker stream with clients that are careless, or gone."""

from tests.http.test_stream import Http1, Http2, _is_waiting
from tests.support.node import until


async def test_a_client_that_said_all_and_hung_up_gets_no_job(client):
    """Its request is complete, so only the connection can say that it is gone."""

    async def nobody_waits():
        return not await _is_waiting(client)

    for kind in (Http1, Http2):
        async with kind(client) as http:
            http.send(b'{"request_id":1,"queues":["q"],"worker_id":"w","fetch_count":1,"wait_ms":30000}\n')
            http.end()
            await until(lambda: _is_waiting(client))
        await until(nobody_waits)
    job_id = await client.enqueue("q")
    assert (await client.get(f"/api/v1/jobs/{job_id}")).json()["state"] == "pending"
