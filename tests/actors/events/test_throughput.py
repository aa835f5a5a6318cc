from corvo.actors.events.messages import GetQueueMinutes, GetRates, GetThroughput
from corvo.actors.events.throughput import Throughput
from corvo.core.namespace import ANYWHERE, Reach, qualified
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


def test_each_namespace_has_its_own_figures(path):
    names = ("mail", qualified("acme", "mail"), qualified("acme", "sms"), qualified("bolt", "mail"))
    for count, name in enumerate(names, 1):
        path.do(*(Enqueue(path.new_job(queue=name)) for _ in range(count)))
    path.settle()

    def figures(reach):
        minutes = path.system.ask(path.throughput, GetThroughput(reach)).result().minutes
        rates = path.system.ask(path.throughput, GetRates(reach)).result().by_queue
        hours = path.system.ask(path.throughput, GetQueueMinutes(reach)).result().by_queue
        assert rates.keys() == hours.keys()
        return minutes[-1].enqueued, {name: rate.hour[0] for name, rate in rates.items()}

    assert figures(None) == (1, {"mail": 1})
    assert figures(Reach("acme")) == (5, {names[1]: 2, names[2]: 3})
    assert figures(Reach("acme", ("s*",))) == (3, {names[2]: 3})
    assert figures(Reach("nobody")) == (0, {})
    assert figures(ANYWHERE) == (10, {name: count for count, name in enumerate(names, 1)})
