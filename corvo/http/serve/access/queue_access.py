"""Queue access: from the name of a queue as a client writes it to the queue it means, if it may touch it."""

from functools import lru_cache

from corvo.core.errors import Forbidden, ValidationFailed
from corvo.core.limits import QUEUE_NAME_CHARS_MAX
from corvo.core.namespace import ALL, SEPARATOR, Qualified, Reach, covers, name_of, qualified
from corvo.http.wire.message import Request


def queue_for(request: Request, name: str | None) -> Qualified:
    """The queue that the client of this request means. Raises Forbidden if it is not within its scope."""
    return within(request.namespace, request.reach, name)


def worker_for(request: Request, worker_id: str | None) -> Qualified:
    """The worker of this name in the client's namespace."""
    return qualified(request.namespace, (worker_id or "").replace(SEPARATOR, "?"))


@lru_cache(maxsize=4_096)
def within(namespace: str, reach: Reach | None, name: str | None) -> Qualified:
    queue = qualified(namespace, queue_name(name))
    if not covers(reach, queue):
        assert reach is not None
        raise Forbidden(f"queue {name_of(queue)} is not within the scope {', '.join(reach.scope)}")
    return queue


def sees_everything(request: Request) -> bool:
    """Whether the client belongs to all namespaces, to all queues of them, and has not chosen one."""
    principal = request.principal
    return principal.namespace == ALL and not principal.scope and b"x-corvo-namespace" not in request.headers


def check_scope(request: Request, name: str) -> None:
    """Raises Forbidden if a queue of this name is not within the client's scope."""
    if request.reach is not None and not request.reach.covers(qualified(request.namespace, name)):
        raise Forbidden(f"queue {name[:200]} is not within the scope {', '.join(request.reach.scope)}")


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
