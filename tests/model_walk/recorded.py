"""A log that was written once, and what it came to: `python -m tests.model_walk.recorded` writes both anew.

The log is of random histories of every op (tests/model). It is kept as bytes, so that it stays the same
whatever becomes of the code that made it up.
"""

import gzip
import hashlib
import json
from pathlib import Path

import msgspec

from corvo.core.limits import STATE_MACHINE_REVISION
from corvo.fsm.machine import Machine
from corvo.ops.entry import decode
from corvo.storage.memory import MemoryKv
from tests.model import history

LOGS = Path(__file__).with_name("recorded_logs.gz")
DIGESTS = Path(__file__).with_name("recorded_digests.json")
SEEDS = range(24)
STEPS = 120


def logs() -> list[list[bytes]]:
    return msgspec.msgpack.decode(gzip.decompress(LOGS.read_bytes()), type=list[list[bytes]])


def digest(recorded: list[list[bytes]]) -> str:
    """Of every byte that the logs leave in a store."""
    total = hashlib.sha256()
    for log in recorded:
        kv = MemoryKv()
        machine = Machine(kv)
        for data in log:
            applied = machine.apply(machine.index + 1, 1, decode(data))
            kv.write(applied.writes, sync=False)
            machine.state.store.landed(applied.index)
        for key, value in kv.scan(b"", b"\xff" * 32):
            total.update(b"%d %d " % (len(key), len(value)) + key + value)
    return total.hexdigest()


def record() -> None:
    LOGS.write_bytes(
        gzip.compress(msgspec.msgpack.encode([history.record(seed, STEPS) for seed in SEEDS]), mtime=0)
    )


def main() -> None:
    record()
    known = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}
    known[str(STATE_MACHINE_REVISION)] = digest(logs())
    DIGESTS.write_text(json.dumps(known, indent=2) + "\n")


if __name__ == "__main__":
    main()
