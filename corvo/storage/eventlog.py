"""Reading the event log by sequence number.

Records are stored by the index of their entry; sequence numbers grow with it. So a number is found by
halving the range of entries, a handful of seeks, and no second index has to be kept.
"""

from collections.abc import Iterator

from corvo.core.events import EventRecord, decode_record
from corvo.storage import keys
from corvo.storage.kv import KvReader
from corvo.storage.meta import Meta


def records_from(reader: KvReader, meta: Meta, seq: int) -> Iterator[tuple[int, EventRecord]]:
    """Records from the one that holds event `seq` on, each with the index of its entry."""
    if seq > meta.last_seq:
        return
    start = _find(reader, meta, seq)
    for key, value in reader.scan(keys.events(start), keys.after(keys.EVENTS)):
        yield keys.parse_events(key), decode_record(value)


def _find(reader: KvReader, meta: Meta, seq: int) -> int:
    """The index of an entry at or before the one that holds the event, as close as halving gets."""
    low, high = meta.first_event_index, meta.index
    while low < high:
        middle = (low + high + 1) // 2
        found = next(iter(reader.scan(keys.events(middle), keys.after(keys.EVENTS))), None)
        if found is None or decode_record(found[1]).first_seq > seq:
            high = middle - 1
        else:
            low = middle
    return low
