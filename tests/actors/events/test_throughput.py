from corvo.actors.events.messages import GetQueueMinutes, GetThroughput
from corvo.actors.events.throughput import Throughput
from corvo.ops.enqueue import Enqueue
from corvo.ops.finish import Ack


def test_each_minute_counts_what_was_applied_in_it(path):
    path.do(*(Enqueue(path.new_job()) for _ in range(3)))
    (whole,) = path.wait(lease_ms=600_000).result().jobs
    path.settle()
    path.advance(60)
    path.do(Ack(whole.job.id, None))
    path.settle()

    minutes = path.system.ask(path.throughput, GetThroughput()).result().minutes

    assert len(minutes) == 60
    assert [m.start_ns for m in minutes] == sorted(m.start_ns for m in minutes)
    assert (minutes[-2].enqueued, minutes[-2].completed) == (3, 0)
    assert (minutes[-1].enqueued, minutes[-1].completed) == (0, 1)


def test_each_queue_has_its_own_hour(path):
    path.do(
        Enqueue(path.new_job(queue="a")), Enqueue(path.new_job(queue="b")), Enqueue(path.new_job(queue="b"))
    )
    path.settle()

    found = path.system.ask(path.throughput, GetQueueMinutes()).result()

    assert {queue: minutes[-1].enqueued for queue, minutes in found.by_queue.items()} == {"a": 1, "b": 2}
    assert {len(minutes) for minutes in found.by_queue.values()} == {60}
    assert found.by_queue["a"][0].start_ns == found.start_ns


def test_queues_in_which_nothing_happens_any_more_are_forgotten_though_nobody_asks(path):
    made = []

    class Watched(Throughput):
        def started(self):
            super().started()
            made.append(self)

    path.system.createActor(Watched, path.fsm, path.clock)
    path.do(*(Enqueue(path.new_job(queue=f"once-{n}")) for n in range(5)))
    path.settle()
    path.advance(2 * 3_600)
    path.do(Enqueue(path.new_job(queue="now")))
    path.settle()
    assert list(made[0]._by_queue) == ["now"]
