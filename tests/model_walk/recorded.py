"""What was written down once: a log and what it came to, and the fields of everything that is kept.

`python -m tests.model_walk.recorded` writes down new fields, and a new log for a new STATE_MACHINE_REVISION.

The log is of random histories of every op (tests/model). It is kept as bytes, so that it stays the same
whatever becomes of the code that made it up.
"""

import gzip
import hashlib
import json
from pathlib import Path

import msgspec

from corvo.core import batch, bulk, job, namespace, queue, schedule, webhook, worker
from corvo.core.access import api_key, audit, role
from corvo.core.limits import STATE_MACHINE_REVISION
from corvo.core.sealing import form
from corvo.fsm.machine import Machine
from corvo.ops.base import BY_NUMBER
from corvo.ops.entry import decode
from corvo.storage.memory import MemoryKv
from tests.model import history

LOGS = Path(__file__).with_name("recorded_logs.gz")
DIGESTS = Path(__file__).with_name("recorded_digests.json")
FIELDS = Path(__file__).with_name("recorded_fields.json")
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


def arrays() -> dict[str, str]:
    """Structs that are written as arrays, to the log or to the store: their fields in order."""
    found = set(BY_NUMBER.values())
    waiting = [
        *found,
        *(job.Job, job.JobError, queue.Queue, batch.Batch, schedule.Schedule),
        *(webhook.Webhook, worker.Worker, bulk.BulkTask, namespace.Namespace, form.Part),
        *(api_key.ApiKey, role.CustomRole),
        *(audit.AuditRecord, audit.AuditBounds),
    ]
    while waiting:
        struct = waiting.pop()
        found.add(struct)
        for field in msgspec.structs.fields(struct):
            named = msgspec.inspect.type_info(field.type)
            waiting += [cls for cls in structs_in(named) if cls not in found]
    return {
        cls.__name__: " ".join(cls.__struct_fields__) for cls in sorted(found, key=lambda cls: cls.__name__)
    }


def structs_in(kind: msgspec.inspect.Type) -> list[type]:
    if isinstance(kind, msgspec.inspect.StructType):
        return [kind.cls] if kind.array_like else []
    parts = getattr(kind, "types", ()) or getattr(kind, "item_types", ()) or ()
    if isinstance(kind, msgspec.inspect.DictType):
        parts = (kind.key_type, kind.value_type)
    elif hasattr(kind, "item_type"):
        parts = (kind.item_type,)
    return [cls for part in parts for cls in structs_in(part)]


def record() -> None:
    LOGS.write_bytes(
        gzip.compress(msgspec.msgpack.encode([history.record(seed, STEPS) for seed in SEEDS]), mtime=0)
    )


def main() -> None:
    FIELDS.write_text(json.dumps(arrays(), indent=2) + "\n")
    known = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}
    if str(STATE_MACHINE_REVISION) not in known:
        # A new revision may know new ops, which its log should have.
        record()
        known[str(STATE_MACHINE_REVISION)] = digest(logs())
        DIGESTS.write_text(json.dumps(known, indent=2) + "\n")


if __name__ == "__main__":
    main()
