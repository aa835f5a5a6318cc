import json
from datetime import timedelta

import pytest

from corvo.actors.channel import CHANNEL_BYTES_MAX, Channel
from corvo.actors.events.hub import EventHub
from corvo.actors.events.messages import CloseHub, Filter, Listen, StopListening
from corvo.actors.status import GetStatus
from corvo.core.namespace import ANYWHERE, Reach, namespace_in, qualified
from corvo.http.api.sse import wording
from corvo.ops.enqueue import Enqueue
from corvo.ops.flow import OpenBatch, SealBatch
from corvo.ops.lease import Beat, Heartbeat
from corvo.ops.upkeep import TrimEvents


@pytest.fixture
def hub(path):
    hub = path.system.createActor(EventHub, path.fsm, wording(lambda event: event))
    path.settle()
    return hub


@pytest.fixture
def listen(path, hub):
    def listen(after_seq=None, **fields):
        channel = Channel()
        filter_ = Filter(
            **{
                name: frozenset(fields.pop(name)) for name in ("queues", "job_ids", "types") if name in fields
            },
            reach=fields.pop("reach", None),
        )
        assert path.system.ask(hub, Listen(channel, filter_, after_seq, **fields)).result().accepted
        return channel

    return listen


def heard(channel):
    """All events that have arrived, as (id, type, body)."""
    return [
        (int(lines["id"]) if "id" in lines else None, lines["event"], json.loads(lines["data"]))
        for lines in frames(channel)
        if "event" in lines
    ]


def frames(channel):
    """Everything that has arrived, as it was put, but for comments."""
    text = b"".join(channel._chunks).decode()
    channel._chunks.clear()
    channel._bytes = 0
    found = [
        dict(line.split(": ", 1) for line in frame.splitlines() if ": " in line)
        for frame in text.split("\n\n")
    ]
    return [lines for lines in found if lines]


def numbers(channel):
    return [event_id for event_id, _, _ in heard(channel)]


def enqueue(path, queue="q", count=1):
    outcomes = path.do(*(Enqueue(path.new_job(queue)) for _ in range(count)))
    path.settle()
    return [outcome.job_id for outcome in outcomes]


def test_a_listener_hears_what_happens_from_now_on(path, listen):
    enqueue(path)
    channel = listen()
    (job_id,) = enqueue(path)
    ((event_id, kind, body),) = heard(channel)
    assert (event_id, kind) == (2, "enqueued")
    assert (body["seq"], body["type"], body["job_id"], body["queue"]) == (2, "enqueued", job_id, "q")
    assert body["at_ns"] > 0


def test_a_listener_is_told_first_where_it_begins_so_that_it_can_come_back_to_it(path, listen):
    enqueue(path, count=3)
    channel = listen()
    path.settle()
    assert frames(channel) == [{"id": "3"}]
    enqueue(path, count=2)
    assert numbers(channel) == [4, 5]
    again = listen(after_seq=3)
    path.settle()
    assert frames(again)[0]["id"] == "4", "who says where it was need not be told"


def test_what_is_under_way_when_somebody_comes_is_heard_once_or_is_over(path, listen):
    pending = [path.submit(Enqueue(path.new_job())) for _ in range(5)]
    channel = listen()
    path.settle()
    assert all(each.done() for each in pending)
    position, *events = [int(lines["id"]) for lines in frames(channel)]
    assert events == list(range(position + 1, 6))


def test_a_listener_that_resumes_misses_nothing_and_hears_nothing_twice(path, listen):
    enqueue(path, count=5)
    channel = listen(after_seq=2)
    path.settle()
    enqueue(path, count=3)
    assert numbers(channel) == [3, 4, 5, 6, 7, 8]


def test_resuming_while_much_happens(path, listen):
    for _ in range(30):
        enqueue(path, count=50)
    channel = listen(after_seq=0)
    pending = [path.submit(Enqueue(path.new_job())) for _ in range(200)]
    path.settle()
    enqueue(path, count=10)
    assert all(p.done() for p in pending)
    assert numbers(channel) == list(range(1, 1_711))


def read(path, channel):
    """What a reader gets that reads as fast as it can, until there is nothing left."""
    chunks = []
    path.settle()
    while (chunk := channel.take()) is not None:
        chunks.append(chunk)
        path.settle()
    return b"".join(chunks)


def ids_in(stream):
    return [int(line[4:]) for line in stream.split(b"\n") if line.startswith(b"id: ")]


@pytest.mark.slow
def test_a_long_log_comes_as_fast_as_it_is_read_and_no_faster(path, listen):
    for _ in range(40):
        enqueue(path, count=500)
    channel = listen(after_seq=0)
    path.settle()
    assert channel.unread < CHANNEL_BYTES_MAX / 2
    got = read(path, channel)
    assert ids_in(got) == list(range(1, 20_001))
    assert b"dropped" not in got
    enqueue(path)
    assert ids_in(read(path, channel)) == [20_001]


def test_an_entry_larger_than_a_reader_could_take_at_once_reaches_it_in_parts(path, listen):
    enqueue(path, count=60)
    jobs = ids_of(path.wait(count=60))
    path.settle()
    live, later = listen(), listen(after_seq=120)
    much = b'"' + b"x" * 50_000 + b'"'
    path.do(Heartbeat([Beat(job_id, None, much) for job_id in jobs]))
    path.settle()
    # The first was told where it begins, and had not read that yet.
    assert ids_in(read(path, live)) == list(range(120, 181))
    assert ids_in(read(path, later)) == list(range(121, 181))
    assert ids_in(read(path, listen(after_seq=130))) == list(range(131, 181))
    enqueue(path)
    assert [ids_in(read(path, channel)) for channel in (live, later)] == [[181]] * 2


def test_an_entry_that_does_not_fit_behind_what_is_unread_reaches_the_reader_in_parts(path, listen):
    enqueue(path, count=20)
    jobs = ids_of(path.wait(count=20))
    path.settle()
    channel = listen(after_seq=40)
    much = b'"' + b"x" * 50_000 + b'"'
    for some in (jobs[:4], jobs):
        path.do(Heartbeat([Beat(job_id, None, much) for job_id in some]))
    path.settle()
    assert ids_in(read(path, channel)) == list(range(41, 65))


def ids_of(answer):
    return [whole.job.id for whole in answer.result().jobs]


def test_filters_must_all_fit(path, listen):
    (first,) = enqueue(path, "a")
    by_queue, by_type, by_both = (
        listen(queues=["a"]),
        listen(types=["started"]),
        listen(queues=["b"], types=["started"]),
    )
    by_job = listen(job_ids=[first], after_seq=0)
    enqueue(path, "b")
    path.wait("a").result()
    path.settle()
    assert [kind for _, kind, _ in heard(by_queue)] == ["started"]
    assert [body["queue"] for _, _, body in heard(by_type)] == ["a"]
    assert heard(by_both) == []
    assert [kind for _, kind, _ in heard(by_job)] == ["enqueued", "started"]


def test_a_listener_that_was_away_too_long_is_told_of_the_gap(path, listen):
    enqueue(path, count=10)
    path.do(TrimEvents(keep=0, at_before_ns=path.clock.now_ns() + 1, limit=100))
    enqueue(path, count=2)
    channel = listen(after_seq=4)
    path.settle()
    gap, *rest = heard(channel)
    assert gap == (None, "gap", {"type": "gap", "data": {"from": 5, "to": 10}})
    assert [event_id for event_id, _, _ in rest] == [11, 12]


def test_a_number_from_another_life_of_the_server_is_a_gap_and_not_for_ever(path, listen):
    path.do(Enqueue(path.new_job()))
    path.settle()
    channel = listen(after_seq=1_000)
    path.do(Enqueue(path.new_job()))
    path.advance(2)
    assert heard(channel) == []  # This node might be lagging.
    path.advance(5)
    ((_, kind, body),) = heard(channel)
    assert (kind, body["data"]) == ("gap", {"from": 3, "to": 1_000})
    path.do(Enqueue(path.new_job()))
    path.settle()
    assert numbers(channel) == [3]


def test_idle_listeners_get_a_comment_now_and_then(path, listen):
    channel = listen()
    path.settle()
    frames(channel)
    path.advance(46)
    assert b"".join(channel._chunks) == b":keepalive\n\n" * 3


def test_a_slow_reader_is_let_go_with_a_reason_and_others_are_not_disturbed(path, hub, listen):
    slow, fast = listen(), listen()
    job_ids = enqueue(path, count=2)
    path.wait(count=2).result()
    path.settle()
    big = b'"' + b"x" * 50_000 + b'"'
    for _ in range(CHANNEL_BYTES_MAX // 50_000 + 2):
        path.do(Heartbeat([Beat(job_ids[0], None, progress=big)]))
        path.settle()
        heard(fast)
    assert slow.is_closed
    assert not fast.is_closed
    assert heard(slow)[-1][1] == "dropped"
    figures = path.system.ask(hub, GetStatus()).result()
    assert (figures.listening, figures.dropped_total) == (1, 1)


def test_data_that_is_too_long_for_a_line_is_left_out(path, listen):
    (job_id,) = enqueue(path)
    path.wait().result()
    path.settle()
    channel = listen()
    path.do(Heartbeat([Beat(job_id, None, progress=b'"' + b"x" * 100_000 + b'"')]))
    path.settle()
    ((_, kind, body),) = heard(channel)
    assert (kind, body["data"]) == ("progress", {"truncated": True})


def test_counters_come_together_at_most_four_times_a_second(path, listen):
    channel = listen(events=False, counters=True)
    for _ in range(20):
        enqueue(path, "a")
        enqueue(path, "b")
    path.system.advance(timedelta(milliseconds=260))
    ((_, kind, body),) = heard(channel)
    assert kind == "counters"
    assert {queue["name"]: queue["pending"] for queue in body["queues"]} == {"a": 20, "b": 20}
    path.advance(5)
    assert heard(channel) == []
    enqueue(path, "a")
    path.advance(0.3)
    assert [queue["name"] for queue in heard(channel)[0][2]["queues"]] == ["a"]


def test_who_is_gone_is_forgotten_and_closing_ends_all_streams(path, hub, listen):
    gone, stays = listen(), listen()
    path.system.tell(hub, StopListening(gone))
    enqueue(path)
    assert heard(gone) == []
    path.system.tell(hub, CloseHub())
    path.settle()
    assert stays.is_closed


def test_who_wants_counters_only_hears_of_no_events_from_the_past_either(path, listen):
    enqueue(path)
    channel = listen(after_seq=0, events=False, counters=True)
    path.settle()
    assert heard(channel) == []


@pytest.mark.slow
def test_counters_of_very_many_queues_come_in_lines_and_turns_of_bounded_length(path, listen):
    names = [f"{n:04}" + "\u00fc" * 196 for n in range(2_500)]
    channel = listen(events=False, counters=True)
    for start in range(0, len(names), 500):
        path.do(*(Enqueue(path.new_job(name)) for name in names[start : start + 500]))
    told = []
    for _ in range(12):
        path.advance(0.25)
        told += heard(channel)
    assert {queue["name"] for _, _, body in told for queue in body["queues"]} == set(names)
    assert max(len(json.dumps(body, ensure_ascii=False).encode()) for _, _, body in told) < 64 * 1024


# Namespaces


SPACES = (None, Reach("acme"), Reach("bolt"))


def queue_in(reach, name="q"):
    return qualified(namespace_in(reach), name)


@pytest.mark.parametrize("late", [False, True])
def test_a_listener_hears_of_its_own_namespace_only(path, listen, late):
    """Live as well as out of the log, and whatever else it asks for."""
    early = [] if late else [listen(0, reach=reach) for reach in SPACES]
    jobs = [path.do(Enqueue(path.new_job(queue=queue_in(reach))))[0].job_id for reach in SPACES]
    path.do(*(OpenBatch(f"batch_{n}", None, None, namespace_in(reach)) for n, reach in enumerate(SPACES)))
    path.do(*(SealBatch(f"batch_{n}", namespace_in(reach)) for n, reach in enumerate(SPACES)))
    path.settle()
    channels = early or [listen(0, reach=reach) for reach in SPACES]
    prying = listen(0, reach=SPACES[1], job_ids=jobs)
    scoped = listen(0, reach=Reach("acme", ("other",)))
    path.settle()
    for n, channel in enumerate(channels):
        found = heard(channel)
        assert [event["job_id"] for _, kind, event in found if kind == "enqueued"] == [jobs[n]]
        assert [event["data"]["batch_id"] for _, kind, event in found if kind == "batch.completed"] == [
            f"batch_{n}"
        ]
    assert [event["job_id"] for _, _, event in heard(prying)] == [jobs[1]]
    assert heard(scoped) == []


def test_counters_are_told_to_those_who_may_see_the_queue(path, listen):
    reaches = (*SPACES, Reach("acme", ("x",)), ANYWHERE)
    channels = [listen(reach=reach, events=False, counters=True) for reach in reaches]
    for number, reach in enumerate(SPACES, 1):
        path.do(*(Enqueue(path.new_job(queue=queue_in(reach))) for _ in range(number)))
    path.advance(1)
    told = [
        sorted(queue["pending"] for _, _, body in heard(channel) for queue in body["queues"])
        for channel in channels
    ]
    assert told == [[1], [2], [3], [], [1, 2, 3]]


def test_many_listeners_are_told_in_groups_and_each_hears_all_in_order(path, listen, monkeypatch):
    monkeypatch.setattr("corvo.actors.events.hub._LISTENERS_AT_ONCE", 2)
    channels = [listen() for _ in range(7)]
    for _ in range(5):
        path.do(Enqueue(path.new_job("q")), Enqueue(path.new_job("q")))
    late = listen(after_seq=3)
    path.settle()
    assert [numbers(channel) for channel in channels] == [list(range(1, 11))] * 7
    assert numbers(late) == list(range(4, 11))


def test_what_happens_faster_than_it_can_be_told_is_told_at_once(path, listen, monkeypatch):
    monkeypatch.setattr("corvo.actors.events.hub._LISTENERS_AT_ONCE", 1)
    monkeypatch.setattr("corvo.actors.events.hub._UNTOLD_MAX", 2)
    channels = [listen() for _ in range(4)]
    for _ in range(20):
        path.do(Enqueue(path.new_job("q")))
    path.settle()
    assert [numbers(channel) for channel in channels] == [list(range(1, 21))] * 4
