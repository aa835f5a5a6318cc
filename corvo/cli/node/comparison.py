"""`corvo doctor --compare`: whether two stopped nodes of a cluster hold the same, byte for byte."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from corvo.cli.node.doctor_checks import CheckLine
from corvo.storage import datadir, keys
from corvo.storage.kv import KvReader
from corvo.storage.leveldb import LevelDbKv, StoreBusy, StoreDamaged
from corvo.storage.meta import GENESIS, decode_meta


def compare(data_dir: Path, other_dir: Path) -> Iterator[CheckLine]:
    try:
        with (
            closing(LevelDbKv(datadir.current_store(data_dir), create=False)) as one,
            closing(LevelDbKv(datadir.current_store(other_dir), create=False)) as other,
        ):
            yield from _compare(one, other, str(other_dir))
    except (datadir.DataDirProblem, StoreBusy, StoreDamaged, OSError) as problem:
        yield CheckLine(str(problem), is_problem=True)


def _compare(one: KvReader, other: KvReader, name: str) -> Iterator[CheckLine]:
    ends = _index(one), _index(other)
    if ends[0] != ends[1]:
        text = f"compared with {name}: one has applied entry {ends[0]}, the other {ends[1]}"
        yield CheckLine(f"{text}; let the nodes catch up before they are stopped", is_problem=True)
        return
    pairs = 0
    ours, theirs = one.scan(b"\0", b"\xff"), other.scan(b"\0", b"\xff")
    our, their = next(ours, None), next(theirs, None)
    while our is not None or their is not None:
        pairs += 1
        if our == their:
            our, their = next(ours, None), next(theirs, None)
        elif their is None or (our is not None and our[0] < their[0]):
            assert our is not None
            yield CheckLine(f"{our[0]!r} is not in {name}", is_problem=True)
            our = next(ours, None)
        elif our is None or their[0] < our[0]:
            yield CheckLine(f"{their[0]!r} is only in {name}", is_problem=True)
            their = next(theirs, None)
        else:
            yield CheckLine(f"{our[0]!r} has another value in {name}", is_problem=True)
            our, their = next(ours, None), next(theirs, None)
    yield CheckLine(f"compared with {name}: {pairs} pairs at entry {ends[0]}")


def _index(kv: KvReader) -> int:
    stored = kv.get(keys.META)
    return (GENESIS if stored is None else decode_meta(stored)).index
