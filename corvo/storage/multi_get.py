"""Multi-get: many keys at once, by walking from one to the next.

Each lookup releases the interpreter lock, and beside a busy loop gets it back a millisecond later; a step of
an iterator keeps it. Jobs that are read together mostly lie together, because their ids begin with the time.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from corvo.storage.kv import KvReader

#: Steps from one wanted key to the next before it is looked up after all.
_STEPS_MAX: Final = 64


def get_many(reader: KvReader, wanted: Iterable[bytes]) -> Iterator[tuple[bytes, bytes | None]]:
    """Keys and values in the order of the keys; None where there is none."""
    keys = sorted(wanted)
    if not keys:
        return
    end = keys[-1] + b"\0"
    pairs = reader.scan(keys[0], end)
    found = next(pairs, None)
    for key in keys:
        for _ in range(_STEPS_MAX):
            if found is None or found[0] >= key:
                break
            found = next(pairs, None)
        else:
            pairs = reader.scan(key, end)
            found = next(pairs, None)
        yield key, found[1] if found is not None and found[0] == key else None
