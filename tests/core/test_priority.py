import pytest

from corvo.core.errors import ValidationFailed
from corvo.core.priority import LABELS, Priority, priority_of
from corvo.core.queue import Queue, decode_queue, encode_queue


def test_there_are_four_and_the_first_goes_first():
    assert LABELS == ("critical", "high", "normal", "low")
    assert sorted(Priority) == [priority_of(label) for label in LABELS] == list(range(4))


@pytest.mark.parametrize("given", ["urgent", "LOW", "", "3", 4, -1, "1.0"])
def test_an_unknown_one_never_means_another(given):
    with pytest.raises(ValidationFailed, match="is not one of critical, high, normal, low"):
        priority_of(given)


def test_a_queue_from_before_there_were_four_has_room_for_the_fourth():
    old = Queue("q", 1)
    old.floors = [5, 6, 7]
    assert decode_queue(encode_queue(old)).floors == [5, 6, 7, 0]
