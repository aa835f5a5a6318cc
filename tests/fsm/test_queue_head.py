"""The window must answer like a search of the whole index would, whatever is added and removed."""

from hypothesis import given
from hypothesis import strategies as st

from corvo.fsm import queue_head as window_module
from corvo.fsm.queue_head import QueueHead


class Index:
    """The truth the window is a cache of."""

    def __init__(self):
        self.keys = set()
        self.reads = 0

    def scan_from(self, sort):
        for key in sorted(key for key in self.keys if key >= sort):
            self.reads += 1
            yield key


steps = st.lists(st.tuples(st.sampled_from(["add", "take", "discard"]), st.integers(0, 400)), max_size=300)


@given(steps, st.sets(st.integers(0, 400), max_size=60))
def test_the_first_key_is_always_the_smallest_pending_one(steps, stored):
    index = Index()
    index.keys = {b"%04d" % number for number in stored}
    window = QueueHead(b"")
    original, window_module.WINDOW_KEYS = window_module.WINDOW_KEYS, 8
    try:
        for action, number in steps:
            key = b"%04d" % number
            if action == "add" and key not in index.keys:
                index.keys.add(key)
                window.add(key)
            elif action == "discard" and key in index.keys:
                index.keys.discard(key)
                window.discard(key)
            elif action == "take" and index.keys:
                first = window.first(index.scan_from, refilled=lambda keys: None)
                assert first == min(index.keys)
                index.keys.discard(first)
                window.discard(first)
            assert window.first(index.scan_from, refilled=lambda keys: None) == min(index.keys, default=None)
    finally:
        window_module.WINDOW_KEYS = original


def test_taking_a_long_backlog_reads_each_key_about_once():
    index = Index()
    index.keys = {b"%06d" % number for number in range(5_000)}
    window = QueueHead(b"")
    for _ in range(5_000):
        first = window.first(index.scan_from, refilled=lambda keys: None)
        index.keys.discard(first)
        window.discard(first)

    assert window.first(index.scan_from, refilled=lambda keys: None) is None
    assert index.reads < 5_100
