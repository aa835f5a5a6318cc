"""Namespaces: a queue, a worker or a key of one tenant is another thing than one of the same name elsewhere.

    (default, emails)  ->  "emails"                  as it always was
    (acme, emails)     ->  "acme" + SEPARATOR + "emails"

The pair is one value with this one encoding. Clients cannot write it: no name they may give holds the
separator, so what a client sends becomes a qualified name only here, with the namespace the server chose.
A job never changes its namespace.
"""

import re
from typing import Final, NewType

import msgspec

#: A name together with its namespace. Only `qualified` makes one.
Qualified = NewType("Qualified", str)

DEFAULT: Final = "default"
#: Stands for every namespace, where a principal or the server itself may act in any.
ALL: Final = "*"
SEPARATOR: Final = "\x1f"

_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def is_namespace(name: str) -> bool:
    """Whether a namespace may be called so: lower-case letters, digits and inner hyphens, 63 at most."""
    return _NAME.fullmatch(name) is not None


def qualified(namespace: str, name: str) -> Qualified:
    """A name with a separator in it, which only somebody with bad intentions writes, stays what it is not:
    a name of another namespace."""
    if SEPARATOR in name:
        name = name.replace(SEPARATOR, "\N{REPLACEMENT CHARACTER}")
    return Qualified(name if namespace == DEFAULT else f"{namespace}{SEPARATOR}{name}")


def namespace_of(name: Qualified) -> str:
    namespace, separator, _ = name.partition(SEPARATOR)
    return namespace if separator else DEFAULT


def name_of(name: Qualified) -> str:
    """The name as its owner knows it."""
    return name[name.find(SEPARATOR) + 1 :]


class Reach(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a caller may touch: one namespace or ALL, and in it the queues that a glob names, or any queue.

    Where an op has no reach it reaches the namespace `default`, and all of it: nothing is stored for that.
    """

    namespace: str = DEFAULT
    #: Globs of queue names, where `*` stands for any characters; none for all queues.
    scope: tuple[str, ...] = ()

    def covers(self, queue: Qualified) -> bool:
        if self.namespace != ALL and namespace_of(queue) != self.namespace:
            return False
        return not self.scope or matches(name_of(queue), self.scope)

    def within(self) -> str:
        """The namespace that a name means which says nothing of one."""
        return DEFAULT if self.namespace == ALL else self.namespace


#: The server itself.
ANYWHERE: Final = Reach(ALL)
_DEFAULT_REACH: Final = Reach()


def covers(reach: Reach | None, queue: Qualified) -> bool:
    return SEPARATOR not in queue if reach is None else reach.covers(queue)


def namespace_in(reach: Reach | None) -> str:
    """The namespace in which a caller with this reach makes things, and looks for them."""
    return DEFAULT if reach is None else reach.within()


def includes(outer: Reach | None, inner: Reach | None) -> bool:
    """Whether all that the inner one covers is covered by the outer one, as far as the globs tell."""
    outer, inner = outer or _DEFAULT_REACH, inner or _DEFAULT_REACH
    if outer.namespace not in (ALL, inner.namespace):
        return False
    return not outer.scope or (bool(inner.scope) and set(inner.scope) <= set(outer.scope))


def matches(name: str, globs: tuple[str, ...]) -> bool:
    return any(_matches(name, glob) for glob in globs)


def _matches(name: str, glob: str) -> bool:
    """Piece by piece, each as early as it comes: the time does not grow with the number of stars."""
    first, *rest = glob.split("*")
    if not rest:
        return name == first
    *inner, last = rest
    if len(name) < len(first) + len(last) or not (name.startswith(first) and name.endswith(last)):
        return False
    at, end = len(first), len(name) - len(last)
    for piece in inner:
        found = name.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


# What is kept about a namespace


class Quotas(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How much a namespace may have; None for any amount.

    The first three are kept exactly, by the state machine. The others are for the nodes to keep, each for the
    requests that it takes.
    """

    max_queues: int | None = None
    #: Jobs in any state, ended ones included for as long as they are kept.
    max_jobs: int | None = None
    #: Of the payloads of these jobs.
    max_payload_bytes: int | None = None
    read_rps: float | None = None
    read_burst: int | None = None
    write_rps: float | None = None
    write_burst: int | None = None
    max_streams: int | None = None
    max_waiting_fetches: int | None = None

    @property
    def is_counted(self) -> bool:
        """Whether the state machine has something to keep."""
        return (self.max_queues, self.max_jobs, self.max_payload_bytes) != (None, None, None)


class Namespace(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A namespace that somebody has set up. One that is merely used has no document."""

    name: str
    created_ns: int
    quotas: Quotas = Quotas()
    #: The bulk task that is deleting it: nothing new may come in.
    deleting: str | None = None

    @property
    def is_guarded(self) -> bool:
        """Whether something may have to be refused."""
        return self.deleting is not None or self.quotas.is_counted


_decoder: Final = msgspec.msgpack.Decoder(Namespace)
encode_namespace = msgspec.msgpack.Encoder().encode
decode_namespace = _decoder.decode
