"""Pin: checks that pysyncobj is the exact release whose private methods the adapter overrides.

Any upstream release may rename what is overridden, and then the overrides would silently stop working.
So the version, the names and the very source are compared before the engine is built.
"""

import functools
import hashlib
from pathlib import Path
from typing import Any, Final, NoReturn

import pysyncobj.journal
import pysyncobj.pickle
import pysyncobj.serializer
import pysyncobj.syncobj
import pysyncobj.tcp_connection

from corvo.consensus.errors import PinBroken

VERSION: Final = "0.3.17"
SOURCE_SHA256: Final = "e8bdf06797085d734df86e24ab4802fe87893dff77268565ec036f7ad4a1cfe4"

#: Private methods that are overridden or called, without their `_SyncObj__` prefix.
METHODS: Final = (
    "applyLogEntries",
    "connectedToAnyone",
    "deleteEntriesFrom",
    "doApplyCommand",
    "generateRaftTimeout",
    "getEntries",
    "loadDumpFile",
    "onBecomeLeader",
    "onMessageReceived",
    "onNodeConnected",
    "onNodeDisconnected",
    "sendAppendEntries",
    "sendNextNodeIdx",
    "setCurrentTerm",
    "setState",
    "tryLogCompaction",
)

#: Private attributes that are read or set, without the prefix.
ATTRIBUTES: Final = (
    "connectedNodes",
    "lastResponseTime",
    "needLoadDumpFile",
    "newAppendEntriesTime",
    "otherNodes",
    "raftCommitIndex",
    "raftCurrentTerm",
    "raftElectionDeadline",
    "raftLastApplied",
    "raftLeader",
    "raftLog",
    "raftMatchIndex",
    "raftState",
    "selfNode",
    "serializer",
    "transferInProgress",
)

#: Modules of pysyncobj that would load a pickle, and under which names.
_PICKLE_DOORS: Final = (
    (pysyncobj.syncobj, ("pickle",)),
    (pysyncobj.serializer, ("pickle",)),
    (pysyncobj.tcp_connection, ("pickle",)),
    (pysyncobj.journal, ("loads", "dumps")),
    (pysyncobj.pickle, ("pickle", "load", "loads", "dump", "dumps")),
)


class NoPickle:
    """Stands where pysyncobj expects pickle. A pickle is a program; none is ever run or written here."""

    def __getattr__(self, name: str) -> Any:
        return _refuse_pickle


def _refuse_pickle(*_: object, **__: object) -> NoReturn:
    raise AssertionError("pysyncobj tried to use pickle; the adapter must never let it come to that")


def close_pickle_doors() -> None:
    """Take pickle away from pysyncobj, for the whole process."""
    for module, names in _PICKLE_DOORS:
        for name in names:
            setattr(module, name, NoPickle() if name == "pickle" else _refuse_pickle)


@functools.cache
def check() -> None:
    """Raise PinBroken unless everything the adapter leans on is as it was when it was written."""
    if not __debug__:
        raise PinBroken("Corvo does not run under python -O: its assertions guard the data")
    if pysyncobj.syncobj.VERSION != VERSION:
        raise PinBroken(f"pysyncobj {pysyncobj.syncobj.VERSION} is installed; the adapter needs {VERSION}")
    source = Path(pysyncobj.syncobj.__file__).read_bytes()
    if hashlib.sha256(source).hexdigest() != SOURCE_SHA256:
        raise PinBroken("the source of pysyncobj is not that of its release; install it again")
    for name in METHODS:
        if not callable(getattr(pysyncobj.syncobj.SyncObj, f"_SyncObj__{name}", None)):
            raise PinBroken(f"pysyncobj has no method {name}")


def check_attributes(engine: object) -> None:
    """Raise PinBroken unless the engine has the attributes that pysyncobj sets when it is built."""
    for name in ATTRIBUTES:
        if not hasattr(engine, f"_SyncObj__{name}"):
            raise PinBroken(f"pysyncobj has no attribute {name}")
