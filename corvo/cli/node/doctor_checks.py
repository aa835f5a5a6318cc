"""Doctor checks: what `corvo doctor` looks at, and what it says about it."""

import http.client
import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from corvo.consensus.journal.inspection import inspect
from corvo.core.wording import count as number_of
from corvo.fsm.state import FormatUnknown
from corvo.storage import datadir, keys
from corvo.storage.invariants import check
from corvo.storage.leveldb import LevelDbKv, StoreBusy, StoreDamaged
from corvo.storage.meta import GENESIS, Meta, decode_meta
from corvo.storage.mirror import files
from corvo.storage.mirror.compare import compare_open, open_still
from corvo.storage.mirror.database import Unusable, read_state
from corvo.storage.sealed_keys import keys_in_use

_CHECK_S_MAX = 600


class CheckLine(NamedTuple):
    text: str
    is_problem: bool = False


def examine(data_dir: Path, api_key: str | None = None) -> Iterator[CheckLine]:
    """`api_key` is shown to a node that runs and wants one."""
    try:
        marker = datadir.read_marker(data_dir)
        if marker is None:
            yield CheckLine(f"{data_dir} is not a Corvo folder: it has no corvo.json", is_problem=True)
            return
        yield CheckLine(f"node {marker['node_id']}, folder format {marker['format']}")
        if datadir.is_locked(data_dir):
            yield from _examine_running(data_dir, api_key)
        else:
            yield from _examine_stopped(data_dir)
    except (datadir.DataDirProblem, StoreBusy, StoreDamaged, FormatUnknown, OSError) as problem:
        yield CheckLine(str(problem), is_problem=True)


# A running node checks itself: only it may read its own store.


def _examine_running(data_dir: Path, api_key: str | None) -> Iterator[CheckLine]:
    running = datadir.read_running(data_dir)
    if running is None:
        yield CheckLine(f"{data_dir} is in use, but by no node that says where it listens", is_problem=True)
        return
    yield CheckLine(f"running as process {running['pid']} on {running['http']}")
    try:
        found = _ask(running["http"], api_key, running.get("tls_cert", ""))
    except (OSError, http.client.HTTPException, ValueError) as error:
        yield CheckLine(f"the node did not answer: {error}", is_problem=True)
        return
    yield CheckLine(f"checked at entry {found['index']} in {found['duration_ms']} ms")
    yield from _keys_in_use(found.get("seal_keys", {}))
    for problem in found["problems"]:
        yield CheckLine(problem, is_problem=True)


def _ask(address: str, api_key: str | None, certificate: str) -> dict[str, Any]:
    connection = _connection(address, certificate)
    try:
        headers = {} if api_key is None else {"X-API-Key": api_key}
        connection.request("POST", "/api/v1/admin/check", headers=headers)
        response = connection.getresponse()
        text = response.read()
    finally:
        connection.close()
    if response.status in (401, 403):
        raise OSError(
            "it wants the key of an admin or operator; give it by --api-key-file or CORVO_API_KEY_FILE"
        )
    if response.status != 200:
        raise OSError(f"{response.status}: {text[:200].decode(errors='replace')}")
    body: dict[str, Any] = json.loads(text)
    return body


def _connection(address: str, certificate: str) -> http.client.HTTPConnection:
    if not certificate:
        return http.client.HTTPConnection(address, timeout=_CHECK_S_MAX)
    # Whoever shows the very certificate that the node has noted is the node, whatever name is in it.
    context = ssl.create_default_context(cafile=certificate)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return http.client.HTTPSConnection(address, timeout=_CHECK_S_MAX, context=context)


# A stopped node is looked at from outside; nothing is changed.


def _examine_stopped(data_dir: Path) -> Iterator[CheckLine]:
    store = datadir.current_store(data_dir)
    journal = inspect(data_dir / "journal")
    if journal.problem is not None:
        yield CheckLine(f"journal: {journal.problem}", is_problem=True)
    else:
        yield CheckLine(f"journal: entries {journal.first_index} to {journal.last_index}")
    if journal.damage is not None:
        damage = journal.damage
        yield CheckLine(
            f"journal: the last {damage.bytes_dropped} bytes of {damage.file} are unfinished and will be "
            f"dropped at the next start; they were never acknowledged"
        )
    kv = LevelDbKv(store, create=False)
    try:
        meta = _meta(kv)
        yield CheckLine(f"store: {store.name}, applied up to entry {meta.index}")
        if journal.problem is None and journal.first_index > meta.index:
            gap = f"the store ends at {meta.index} and the journal begins behind {journal.first_index}"
            yield CheckLine(f"{gap}: the entries between them are missing", is_problem=True)
        for problem in check(kv):
            yield CheckLine(problem, is_problem=True)
        yield from _keys_in_use(keys_in_use(kv))
        yield from _examine_mirror(data_dir / "mirror", kv, meta)
    finally:
        kv.close()


def _keys_in_use(counts: Mapping[str, int]) -> Iterator[CheckLine]:
    """So that people know which keys of `--seal-keys` they must not give up."""
    for key_id, count in sorted(counts.items()):
        yield CheckLine(f"sealed with key {key_id!r}: {number_of(count, 'value')}")


def _examine_mirror(folder: Path, kv: LevelDbKv, meta: Meta) -> Iterator[CheckLine]:
    """A mirror may be missing, behind or damaged: the node rebuilds it. It may not be different."""
    mirror = files.current(folder)
    if mirror is None:
        yield CheckLine("mirror: there is none; it will be built at the next start")
        return
    try:
        with closing(open_still(mirror)) as db:
            state = read_state(db)
            if state.applied_index != meta.index:
                yield CheckLine(f"mirror: {mirror.name}, at entry {state.applied_index}; it will catch up")
                return
            yield CheckLine(f"mirror: {mirror.name}, at entry {state.applied_index}")
            for problem in compare_open(kv, db):
                yield CheckLine(problem, is_problem=True)
    except Unusable as reason:
        yield CheckLine(f"mirror: {reason}; it will be rebuilt at the next start")


def _meta(kv: LevelDbKv) -> Meta:
    stored = kv.get(keys.META)
    return GENESIS if stored is None else decode_meta(stored)
