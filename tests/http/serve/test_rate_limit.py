"""How fast one client may be, if somebody wants to limit that."""

import json

import pytest

from corvo.config import Config, ConfigError, load
from corvo.core.clock import NS_PER_S
from corvo.core.errors import RateLimited
from corvo.http.serve.rate_limit import Rate, RateLimiter
from corvo.http.wire.message import Request
from tests.support.node import running

LIMITED = {"rate_limit_enabled": True, "rate_limit_write_rps": 1, "rate_limit_write_burst": 5}


def test_a_bucket_fills_with_time_and_never_above_its_size():
    rate = Rate(per_second=10, burst=3)
    assert [rate.take(b"a", 1, 0) for _ in range(4)] == [True, True, True, False]
    assert rate.take(b"b", 1, 0)
    assert [rate.take(b"a", 1, NS_PER_S // 5) for _ in range(3)] == [True, True, False]
    assert [rate.take(b"a", 1, 99 * NS_PER_S) for _ in range(4)] == [True, True, True, False]


def test_what_is_larger_than_the_bucket_is_let_through_once_and_paid_for_afterwards():
    rate = Rate(per_second=10, burst=5)
    assert rate.take(b"a", 20, 0)
    assert not rate.take(b"a", 1, NS_PER_S)
    assert not rate.take(b"a", 20, 2 * NS_PER_S - 1)
    assert rate.take(b"a", 20, 2 * NS_PER_S)


def test_what_was_paid_for_a_request_does_not_stand_against_the_rest_of_it():
    """A batch larger than the bucket was refused even when the bucket had been full."""
    rate = Rate(per_second=10, burst=5)
    assert rate.take(b"a", 1, 0)
    assert rate.take(b"a", 19, 0, paid=1)
    assert not rate.take(b"a", 1, NS_PER_S)


def test_clients_that_are_silent_are_forgotten():
    rate = Rate(per_second=1, burst=1)
    for n in range(100):
        rate.take(b"%d" % n, 1, 0)
    for n in range(200, 300):
        rate.take(b"%d" % n, 1, 601 * NS_PER_S)
    assert len(rate) == 100


class Still:
    def monotonic_ns(self):
        return 0


def request(peer="10.0.0.1", **headers):
    fields = {name.replace("_", "-").encode(): value.encode() for name, value in headers.items()}
    return Request("POST", "/x", {}, fields, b"", {}, 0, peer)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (request(), request(), True),
        (request(), request(peer="10.0.0.2"), False),
        (request(x_api_key="a"), request(peer="10.0.0.2", x_api_key="a"), True),
        (request(x_api_key="a"), request(x_api_key="b"), False),
        (request(authorization="a"), request(), False),
        # Only a trusted proxy is believed.
        (request(x_forwarded_for="1.1.1.1"), request(x_forwarded_for="2.2.2.2"), True),
        (
            request("192.168.0.1", x_forwarded_for="1.1.1.1"),
            request("192.168.0.2", x_forwarded_for="1.1.1.1"),
            True,
        ),
        # What comes before the last address that is not a trusted proxy's, anybody can have said.
        (
            request("192.168.0.1", x_forwarded_for="1.1.1.1, 9.9.9.9"),
            request("192.168.0.1", x_forwarded_for="2.2.2.2, 9.9.9.9:123"),
            True,
        ),
        (
            request("192.168.0.1", x_forwarded_for="1.1.1.1, 9.9.9.9, 192.168.0.7"),
            request("192.168.0.1", x_forwarded_for="9.9.9.9, [::1]:5"),
            True,
        ),
        (
            request("192.168.0.1", x_forwarded_for="9.9.9.9, 1.1.1.1"),
            request("192.168.0.1", x_forwarded_for="9.9.9.9, 2.2.2.2"),
            False,
        ),
        (
            request("192.168.0.1", x_forwarded_for="1.1.1.1"),
            request("192.168.0.1", x_forwarded_for="2.2.2.2"),
            False,
        ),
        # As it is seen by a node that listens on [::], which takes IPv4 as well.
        (
            request("::ffff:192.168.0.1", x_forwarded_for="1.1.1.1"),
            request("::ffff:192.168.0.1", x_forwarded_for="2.2.2.2"),
            False,
        ),
    ],
)
def test_who_counts_as_one_client(one, other, same):
    config = Config(rate_limit_write_burst=1, trusted_proxies="192.168.0.0/16, ::1")
    limiter = RateLimiter(config, Still())
    limiter.charge(one)
    if same:
        with pytest.raises(RateLimited):
            limiter.charge(other)
    else:
        limiter.charge(other)


def test_guesses_at_keys_have_no_share_of_their_own():
    config = Config(
        rate_limit_write_rps=1, rate_limit_write_burst=1, rate_limit_read_rps=1, rate_limit_read_burst=1
    )
    limiter = RateLimiter(config, Still())
    for guess in range(8):
        limiter.charge_address(request(x_api_key=str(guess)))
    with pytest.raises(RateLimited):
        limiter.charge_address(request(x_api_key="another"))
    limiter.charge_address(request(peer="10.0.0.2"))


def test_networks_that_are_none_are_refused_at_the_start():
    with pytest.raises(ConfigError, match="trusted_proxies"):
        load({"trusted_proxies": "10.0.0.1/8"}, {})


async def test_a_client_that_is_too_fast_is_told_to_wait_and_nothing_happens(tmp_path):
    async with running(tmp_path / "data", **LIMITED) as node:
        client = node.client
        for _ in range(5):
            assert (await client.post("/api/v1/enqueue", {"queue": "q"})).status == 201
        refused = await client.post("/api/v1/enqueue", {"queue": "q"})
        assert (refused.status, refused.code) == (429, "RATE_LIMITED")
        assert refused.headers["retry-after"] == "1"
        # Another credential, reads, health and cross-origin questions are none of its business.
        assert (await client.post("/api/v1/enqueue", {"queue": "q"}, X_API_Key="k")).status == 201
        assert (await client.get("/healthz")).status == 200
        assert (await client.request("OPTIONS", "/api/v1/enqueue")).status == 200
        (queue,) = (await client.get("/api/v1/queues")).json()
        assert queue["pending"] == 6
        metrics = (await client.get("/api/v1/metrics")).body.decode()
        line = 'corvo_rate_limit_throttled_total{method="POST",route="/api/v1/enqueue"} 1.0'
        assert line in metrics


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/v1/enqueue/batch", {"jobs": [{"queue": "q"}] * 5}),
        ("/api/v1/ack/batch", {"acks": [{"job_id": "job_1", "lease_token": "1"}] * 5}),
        ("/api/v1/fetch/batch", {"queues": ["q"], "count": 5, "timeout": 1}),
    ],
)
async def test_what_carries_many_jobs_is_charged_for_each(tmp_path, path, body):
    async with running(tmp_path / "data", **LIMITED) as node:
        # By somebody else, so that nobody has to wait for a job.
        await node.client.post("/api/v1/enqueue", {"queue": "q"}, X_API_Key="k")
        assert (await node.client.post(path, body)).status < 300
        assert (await node.client.post("/api/v1/enqueue", {"queue": "q"})).status == 429


async def test_a_stream_is_charged_line_by_line(tmp_path):
    async with running(tmp_path / "data", **LIMITED) as node:
        line = json.dumps({"request_id": 1, "enqueues": [{"queue": "q"}] * 3}) + "\n"
        reply = await node.client.post("/api/v1/stream", (line * 2).encode())
        first, second = [json.loads(text) for text in reply.body.splitlines()]
        assert len(first["enqueued_job_ids"]) == 3
        assert second["code"] == "RATE_LIMITED"
        assert second["retry_after_ms"] == 1_000
