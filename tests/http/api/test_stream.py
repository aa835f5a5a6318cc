"""The worker stream, over HTTP/1.1 and over HTTP/2, against a real node."""

import asyncio
import json
from collections import defaultdict
from contextlib import AsyncExitStack

import h2.connection
import h2.events
import pytest

from tests.support.client import hang_up
from tests.support.node import running, until

PATH = "/api/v1/stream"


class Http1:
    """A stream over a chunked request."""

    def __init__(self, client):
        self._client = client
        self._lines = asyncio.Queue()

    async def __aenter__(self):
        self._reader, self._writer = await self._client.open()
        head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        self._writer.write(head.encode())
        self._task = None
        return self

    async def __aexit__(self, *_):
        if self._task is not None:
            self._task.cancel()
        await hang_up(self._writer)

    def send(self, text):
        self._writer.write(b"%x\r\n%s\r\n" % (len(text), text))

    def end(self):
        self._writer.write(b"0\r\n\r\n")

    async def next(self):
        if self._task is None:
            status = await self._reader.readline()
            assert b" 200 " in status, status
            while await self._reader.readline() != b"\r\n":
                pass
            self._task = asyncio.ensure_future(self._read())
        return await asyncio.wait_for(self._lines.get(), 20)

    async def _read(self):
        pending = b""
        while True:
            size = int(await self._reader.readline(), 16)
            data = await self._reader.readexactly(size)
            await self._reader.readexactly(2)
            if not size:
                self._lines.put_nowait(None)
                return
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                self._lines.put_nowait(json.loads(line))


class Http2:
    """The same over one HTTP/2 request."""

    def __init__(self, client):
        self._client = client
        #: By request, because a connection may carry several.
        self._lines = defaultdict(asyncio.Queue)
        self._h2 = h2.connection.H2Connection()
        #: Requests whose answers the client does not take; the rest of the connection is open.
        self.stalled = set()

    async def __aenter__(self):
        self._reader, self._writer = await self._client.open("h2")
        self._h2.initiate_connection()
        self.open()
        self._task = asyncio.ensure_future(self._read())
        return self

    def open(self, path=PATH):
        """One more request on the same connection; lines go there from now on."""
        self._stream = self._h2.get_next_available_stream_id()
        headers = [(":method", "POST"), (":path", path), (":scheme", "http"), (":authority", "localhost")]
        self._h2.send_headers(self._stream, headers)
        self._flush()
        return self._stream

    async def __aexit__(self, *_):
        self._task.cancel()
        await hang_up(self._writer)

    def _flush(self):
        self._writer.write(self._h2.data_to_send())

    def send(self, text):
        self._h2.send_data(self._stream, text)
        self._flush()

    def end(self):
        self._h2.end_stream(self._stream)
        self._flush()

    async def next(self):
        return await asyncio.wait_for(self._lines[self._stream].get(), 20)

    async def _read(self):
        pending = defaultdict(bytes)
        while data := await self._reader.read(65_536):
            for event in self._h2.receive_data(data):
                if isinstance(event, h2.events.DataReceived):
                    size = event.flow_controlled_length
                    if event.stream_id in self.stalled:
                        self._h2.increment_flow_control_window(size)
                    else:
                        self._h2.acknowledge_received_data(size, event.stream_id)
                    stream = event.stream_id
                    *lines, pending[stream] = (pending[stream] + event.data).split(b"\n")
                    for line in lines:
                        self._lines[stream].put_nowait(json.loads(line))
                elif isinstance(event, h2.events.StreamEnded):
                    self._lines[event.stream_id].put_nowait(None)
            self._flush()


@pytest.fixture(params=[Http1, Http2], ids=["http1", "http2"])
async def stream(request, client):
    async with request.param(client) as stream:
        yield Talker(stream)


class Talker:
    def __init__(self, stream):
        self.stream = stream
        self.number = 0

    def say(self, **members):
        self.number += 1
        self.stream.send(json.dumps({"request_id": self.number} | members).encode() + b"\n")
        return self.number

    async def hear(self):
        return await self.stream.next()

    async def ask(self, **members):
        number = self.say(**members)
        answer = await self.hear()
        assert answer["request_id"] == number, answer
        return answer


async def test_members_that_nobody_knows_are_named_in_the_answer(stream):
    answer = await stream.ask(enqueues=[{"queue": "q", "priorty": "high"}], workerid="w")
    assert answer["enqueue_results"][0]["status"] == "pending"
    assert answer["warnings"] == [
        "unknown member enqueues[0].priorty; did you mean priority?",
        "unknown member workerid; did you mean worker_id?",
    ]
    assert "warnings" not in await stream.ask()


async def test_a_whole_life_in_three_lines(stream, client):
    answer = await stream.ask(enqueues=[{"queue": "q", "payload": {"n": n}} for n in range(3)])
    assert len(answer["enqueued_job_ids"]) == 3
    assert [result["status"] for result in answer["enqueue_results"]] == ["pending"] * 3
    answer = await stream.ask(queues=["q"], worker_id="w", fetch_count=2)
    assert [job["payload"]["n"] for job in answer["jobs"]] == [0, 1]
    acks = [{"job_id": job["job_id"], "lease_token": job["lease_token"]} for job in answer["jobs"]]
    answer = await stream.ask(acks=acks, fetch_count=5)  # Queue and worker are remembered.
    assert answer["acked"] == 2
    assert [result["status"] for result in answer["ack_results"]] == ["ok", "ok"]
    assert [job["payload"]["n"] for job in answer["jobs"]] == [2]
    for ack in acks:
        assert (await client.get(f"/api/v1/jobs/{ack['job_id']}")).json()["state"] == "completed"


async def test_a_job_may_be_delayed_in_a_line(stream):
    answer = await stream.ask(enqueues=[{"queue": "q"}, {"queue": "q", "delay": "1h"}])
    assert [result["status"] for result in answer["enqueue_results"]] == ["pending", "scheduled"]
    answer = await stream.ask(enqueues=[{"queue": "q", "delay": "soon"}])
    assert answer["error"].startswith("enqueues[0]: delay")


async def test_a_payload_of_several_lines_is_handed_out_in_one(stream, client):
    await client.post("/api/v1/enqueue", b'{"queue": "q", "payload": {\n\r\n  "text": "a\\nb"\n}}')
    (job,) = (await stream.ask(queues=["q"], worker_id="w", fetch_count=1))["jobs"]
    assert job["payload"] == {"text": "a\nb"}


async def test_heartbeats_fails_and_releases(stream, client):
    await stream.ask(enqueues=[{"queue": "q"}] * 3)
    jobs = (await stream.ask(queues=["q"], worker_id="w", fetch_count=3))["jobs"]
    first, second, third = jobs
    answer = await stream.ask(
        heartbeats={first["job_id"]: {"progress": 40, "lease_token": first["lease_token"]}, "job_none": {}},
        fails=[{"job_id": second["job_id"], "lease_token": second["lease_token"], "error": "no"}],
        releases=[
            {"job_id": third["job_id"], "lease_token": third["lease_token"]},
            {"job_id": third["job_id"], "lease_token": "77"},
        ],
    )
    assert answer["heartbeats"][first["job_id"]] == {"status": "ok"}
    assert answer["cancel"] == ["job_none"]
    (failed,) = answer["failed"]
    assert (failed["status"], failed["attempts_remaining"]) == ("retrying", 2)
    assert [result["status"] for result in answer["released"]] == ["released", "refused"]
    assert (await client.get(f"/api/v1/jobs/{first['job_id']}")).json()["progress"] == 40


async def test_a_waiting_fetch_is_woken_and_does_not_hold_up_the_lines_behind_it(stream, client):
    waiting = stream.say(queues=["q"], worker_id="w", fetch_count=1, wait_ms=30_000)
    await until(lambda: _is_waiting(client))
    job_id = await client.enqueue("q")
    answer = await stream.hear()
    assert (answer["request_id"], answer["jobs"][0]["job_id"]) == (waiting, job_id)

    waiting = stream.say(fetch_count=1, wait_ms=30_000)
    await until(lambda: _is_waiting(client))
    behind = stream.say(enqueues=[{"queue": "other"}])
    first, second = await stream.hear(), await stream.hear()
    assert (first["request_id"], first["jobs"]) == (waiting, [])
    assert (second["request_id"], len(second["enqueued_job_ids"])) == (behind, 1)


async def _is_waiting(client):
    body = (await client.get("/api/v1/metrics")).body
    return b"corvo_fetch_waiting 1.0" in body


async def test_lines_are_answered_in_order_however_many_come_at_once(stream):
    numbers = [stream.say(enqueues=[{"queue": "q"}] * 3) for _ in range(100)]
    answers = [await stream.hear() for _ in numbers]
    assert [answer["request_id"] for answer in answers] == numbers
    assert sum(len(answer["enqueued_job_ids"]) for answer in answers) == 300


async def test_a_line_that_is_refused_has_no_effect(stream, client):
    answer = await stream.ask(enqueues=[{"queue": "q"}, {"queue": ""}])
    assert answer["code"] == "VALIDATION_ERROR"
    answer = await stream.ask(acks=[{"lease_token": "1"}], enqueues=[{"queue": "q"}])
    assert answer["code"] == "VALIDATION_ERROR"
    answer = await stream.ask(fetch_count=1)
    assert answer["code"] == "VALIDATION_ERROR"  # Nobody said from which queue.
    assert (await client.get("/api/v1/queues")).json() == []


async def test_what_is_no_frame_is_answered_and_ten_in_a_row_end_the_stream(stream):
    stream.stream.send(b"nonsense\n\n  \n")
    assert (await stream.hear())["code"] == "BAD_FRAME"
    assert (await stream.ask(enqueues=[{"queue": "q"}]))["enqueued_job_ids"]
    for _ in range(10):
        stream.stream.send(b'{"request_id":"x"}\n')
    codes = [(await stream.hear())["code"] for _ in range(11)]
    assert codes == ["BAD_FRAME"] * 11
    assert await stream.hear() is None


async def test_a_job_that_is_taken_away_is_told_at_once(stream, client):
    await stream.ask(enqueues=[{"queue": "q"}])
    ((job),) = (await stream.ask(queues=["q"], worker_id="w", fetch_count=1))["jobs"]
    assert (await client.post(f"/api/v1/jobs/{job['job_id']}/cancel")).json()["status"] == "cancelling"
    assert await stream.hear() == {"cancel": [job["job_id"]]}


async def test_a_finite_body_gets_one_line_for_each_line(client):
    lines = b"".join(b'{"request_id":%d,"enqueues":[{"queue":"q"}]}\n' % n for n in range(5))
    reply = await client.request("POST", PATH, lines + b'{"request_id":5}')
    answers = [json.loads(line) for line in reply.body.splitlines()]
    assert [answer["request_id"] for answer in answers] == list(range(6))


async def test_the_end_of_the_body_ends_the_stream_after_the_last_answer(stream):
    number = stream.say(enqueues=[{"queue": "q"}])
    stream.stream.end()
    assert (await stream.hear())["request_id"] == number
    assert await stream.hear() is None


async def test_a_client_that_vanishes_while_it_waits_gets_no_job(client):
    async with Http1(client) as http:
        talker = Talker(http)
        await talker.ask(enqueues=[])
        talker.say(queues=["q"], worker_id="w", fetch_count=1, wait_ms=30_000)
        await until(lambda: _is_waiting(client))

    async def nobody_waits():
        return not await _is_waiting(client)

    await until(nobody_waits)
    job_id = await client.enqueue("q")
    assert (await client.get(f"/api/v1/jobs/{job_id}")).json()["state"] == "pending"


async def test_a_line_that_is_too_long_ends_the_stream(tmp_path):
    async with running(tmp_path, max_body_size=10_000) as node, Http1(node.client) as http:
        http.send(b'{"request_id":1,"enqueues":[]}\n')
        assert (await http.next())["request_id"] == 1
        http.send(b'{"request_id":2,"worker_id":"' + b"x" * 20_000)
        assert (await http.next())["code"] == "LINE_TOO_LONG"
        assert await http.next() is None


@pytest.mark.parametrize("kind", [Http1, Http2])
async def test_a_node_that_stops_says_so_and_answers_what_was_asked(tmp_path, kind):
    async with AsyncExitStack() as stack:
        node = await stack.enter_async_context(running(tmp_path))
        client = node.client
        stream = kind(client)
        async with stream:
            talker = Talker(stream)
            await talker.ask(enqueues=[{"queue": "other"}])
            waiting = talker.say(queues=["q"], worker_id="w", fetch_count=1, wait_ms=30_000)
            await until(lambda: _is_waiting(client))
            stopping = asyncio.ensure_future(stack.aclose())
            answer = await talker.hear()
            assert (answer["request_id"], answer["jobs"]) == (waiting, [])
            assert (await talker.hear())["code"] == "SHUTTING_DOWN"
            assert await talker.hear() is None
            await stopping


async def test_streams_are_in_the_metrics(stream, client):
    await stream.ask(enqueues=[{"queue": "q"}])
    await stream.ask(queues=["empty"], worker_id="w", fetch_count=1)
    text = (await client.get("/api/v1/metrics")).body.decode()
    for line in (
        "corvo_lifecycle_streams_open 1.0",
        "corvo_lifecycle_streams_max 2048.0",
        "corvo_lifecycle_streams_total 1.0",
        "corvo_lifecycle_frames_inflight 0.0",
        "corvo_lifecycle_frames_max_inflight 32768.0",
        "corvo_lifecycle_frames_total 2.0",
        "corvo_lifecycle_overload_total 0.0",
        "corvo_lifecycle_idle_fetch_total 1.0",
    ):
        assert f"\n{line}\n" in text, line


async def test_one_exchange_as_older_clients_send_it(client):
    path = "/corvo.v1.WorkerService/StreamLifecycle"
    body = {"requestId": 7, "enqueues": [{"queue": "q", "payloadJson": '{"n":1}'}]}
    answer = (await client.post(path, body)).json()
    (job_id,) = answer["enqueuedJobIds"]
    assert answer == {"requestId": 7, "jobs": [], "acked": 0, "enqueuedJobIds": [job_id]}
    body = {"requestId": 8, "queues": ["q"], "workerId": "w", "leaseDuration": 30, "fetchCount": 4}
    (job,) = (await client.post(path, body)).json()["jobs"]
    assert (job["jobId"], job["payloadJson"], job["leaseDuration"]) == (job_id, '{"n":1}', 30)
    body = {"requestId": 9, "acks": [{"jobId": job_id, "resultJson": '{"ok":true}'}]}
    assert (await client.post(path, body)).json()["acked"] == 1
    assert (await client.get(f"/api/v1/jobs/{job_id}")).json()["result"] == {"ok": True}
    body = {"requestId": 10, "enqueues": [{"queue": "q", "payloadJson": "{"}]}
    assert (await client.post(path, body)).code == "PARSE_ERROR"


async def test_an_exchange_that_is_repeated_under_its_key_gets_the_same_answer(client):
    path = "/corvo.v1.WorkerService/StreamLifecycle"
    done = await client.enqueue()
    job = await client.fetch()
    body = {
        "requestId": 7,
        "queues": ["q"],
        "workerId": "w",
        "fetchCount": 4,
        "acks": [{"jobId": done}],
        "enqueues": [{"queue": "q", "payloadJson": '{"n":1}'}],
    }
    first, again = [await client.post(path, body, idempotency_key="k") for _ in range(2)]
    assert first.json() == again.json()
    assert (job["job_id"], first.json()["acked"], len(first.json()["jobs"])) == (done, 1, 1)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    other = await client.post(path, body | {"fetchCount": 5}, idempotency_key="k")
    assert (other.status, other.code) == (409, "IDEMPOTENCY_MISMATCH")


async def test_every_answer_has_a_list_of_jobs(stream):
    assert (await stream.ask())["jobs"] == []
    assert (await stream.ask(enqueues=[{"queue": ""}]))["jobs"] == []
