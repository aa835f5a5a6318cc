"""Patterns: which queues are sealed, as the setting `--seal` has them.

acme/*, default/payments, */secret-*
"""

from functools import lru_cache
from typing import Final

from corvo.core.namespace import Qualified, matches, name_of, namespace_of

_REMEMBERED: Final = 65_536


class Patterns:
    def __init__(self, text: str) -> None:
        """Raises ValueError for what is no pattern."""
        self._pairs = tuple(_pair(part.strip()) for part in text.split(",") if part.strip())
        self._known = lru_cache(_REMEMBERED)(self._match)

    def __bool__(self) -> bool:
        return bool(self._pairs)

    def covers(self, queue: str) -> bool:
        return self._known(queue)

    def _match(self, queue: str) -> bool:
        namespace, name = namespace_of(Qualified(queue)), name_of(Qualified(queue))
        return any(matches(namespace, (left,)) and matches(name, (right,)) for left, right in self._pairs)


def _pair(text: str) -> tuple[str, str]:
    namespace, slash, queue = text.partition("/")
    if not slash or not namespace or not queue or "/" in queue:
        raise ValueError(f"{text!r} is not a namespace and a queue, such as default/payments or acme/*")
    return namespace, queue
