"""Names: the keys of a family that holds qualified names, those of one namespace, in order.

The names of `default` lie between those of other namespaces. A name of another one is a reason to skip to the
end of that namespace, so it costs one step however much is in it.
"""

from collections.abc import Iterator

from corvo.core.namespace import ALL, DEFAULT, SEPARATOR, Reach, namespace_in, qualified
from corvo.storage import keys
from corvo.storage.kv import KvReader

_SEPARATOR = SEPARATOR.encode()


def names_within(reader: KvReader, family: bytes, reach: Reach | None, after: str = "") -> Iterator[bytes]:
    """The values under names of the namespace in reach, from behind this name on."""
    everywhere = reach is not None and reach.namespace == ALL
    namespace = namespace_in(reach)
    start = family + qualified(namespace, after).encode() + (b"\0" if after else b"")
    if everywhere or namespace == DEFAULT:
        end = keys.after(family)
    else:
        end = keys.after(family + qualified(namespace, "").encode())
    while True:
        for key, value in reader.scan(start, end):
            foreign = key.find(_SEPARATOR, len(family)) if namespace == DEFAULT and not everywhere else -1
            if foreign >= 0:
                start = keys.after(key[: foreign + 1])
                break
            yield value
        else:
            return
