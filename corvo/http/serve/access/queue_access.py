"""Queue access: from the name of a queue as a client writes it to the queue it means, if it may touch it."""

from functools import lru_cache

from corvo.core.errors import Forbidden, ValidationFailed
from corvo.core.limits import QUEUE_NAME_CHARS_MAX
from corvo.core.namespace import Qualified, Reach, covers, name_of, qualified
from corvo.http.wire.message import Request


def queue_for(request: Request, name: str | None) -> Qualified:
    """The queue that the client of this request means. Raises Forbidden if it is not within its scope."""
    return within(request.namespace, request.reach, name)


@lru_cache(maxsize=4_096)
def within(namespace: str, reach: Reach | None, name: str | None) -> Qualified:
    queue = qualified(namespace, queue_name(name))
    if not covers(reach, queue):
        assert reach is not None
        raise Forbidden(f"queue {name_of(queue)} is not within the scope {', '.join(reach.scope)}")
    return queue


def queue_name(name: str | None) -> str:
    """A name that may stand in a key and in a path."""
    if not name:
        raise ValidationFailed("queue is required")
    if len(name) > QUEUE_NAME_CHARS_MAX:
        raise ValidationFailed(f"queue is longer than {QUEUE_NAME_CHARS_MAX} characters")
    if "/" in name or "::" in name or not name.isprintable():
        raise ValidationFailed("queue may not contain '/', '::' or control characters")
    if name in (".", ".."):
        raise ValidationFailed("queue may not be '.' or '..': browsers leave them out of an address")
    return name
