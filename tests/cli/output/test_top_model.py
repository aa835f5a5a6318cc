"""What `corvo top` knows and shows, without a terminal."""

from corvo.cli.top.model import Model, sparkline


def queue(name, **counts):
    states = ("pending", "active", "retrying", "dead", "completed_total")
    return {"name": name, "paused": False} | dict.fromkeys(states, 0) | counts


def test_counters_replace_what_was_known_and_keep_the_rates():
    model = Model()
    model.hear("queues", [queue("a") | {"rates": {"minute": 1}}, queue("b")])
    model.hear("counters", [queue("a", pending=3), queue("c", pending=1)])
    assert model.queues["a"]["pending"] == 3
    assert model.queues["a"]["rates"] == {"minute": 1}
    assert [row["name"] for row in model.queue_rows("")] == ["a", "b", "c"]
    model.hear("queues", [queue("b")])
    assert list(model.queues) == ["b"]


def test_a_deleted_queue_goes_at_once():
    model = Model()
    model.hear("queues", [queue("a")])
    model.hear("event", {"seq": 1, "type": "queue.deleted", "queue": "a"})
    model.tick()
    assert model.queue_rows("") == []


def test_the_pace_is_what_was_completed_in_each_second():
    model = Model()
    for total in (100, 104, 104, 106):
        model.hear("queues", [queue("a", completed_total=total)])
        model.tick()
    assert model.per_second() == 6 / 4
    assert model.spark("a") == model.spark()
    assert len(model.spark("a")) == 4


def test_events_are_kept_up_to_a_number_newest_first():
    model = Model()
    for seq in range(1_000):
        model.hear("event", {"seq": seq, "type": "enqueued", "queue": f"q{seq % 2}"})
    rows = model.event_rows("q1")
    assert rows[0]["seq"] == 999
    assert len(rows) == 250


def test_sparklines_reach_from_the_floor_to_the_top():
    assert sparkline([]) == ""
    assert sparkline([0, 0]) == "▁▁"
    assert sparkline([0, 1, 100]) == "▁▁█"
    assert sparkline([5, 5]) == "▇▇"


def test_the_heading_sums_up_and_says_what_is_wrong():
    model = Model()
    model.hear("cluster", {"status": "healthy"})
    model.hear("queues", [queue("a", pending=1_000, dead=2), queue("b", pending=5)])
    model.hear("trouble", "no answer")
    assert model.heading().startswith("healthy  1,005 pending  0 active  0 retrying  2 dead  0.0/s")
    assert model.heading().endswith("no answer")


def test_a_queue_that_is_gone_is_neither_paused_nor_at_work():
    model = Model()
    model.hear("queues", [queue("a", paused=True), queue("b", paused=False)])
    model.hear("event", {"seq": 1, "type": "queue.deleted", "queue": "a"})
    assert model.is_paused("b") is False
    assert model.is_paused("a") is None
