"""Data folder of a node: what lies where, which process holds it, and whether it is whole.

    corvo.json       the marker: format, node id, and whether the folder was finished being made
    LOCK             held by the process that uses the folder
    run.json         while a node runs: its process id and HTTP address
    STORE            the name of the LevelDB folder in use; swapped atomically when a snapshot is installed
    condemned.json   why the data must not be used any more, if so
    first-key.json   a key made by `corvo init` that the node has not taken in yet; admin.key is for people
    joined.json      the members that took this node in, if it did not begin its cluster
    node.key         the private key by which its cluster knows the node (consensus/identity.py)
    kv-<n>/          LevelDB
    journal/         the log of consensus
    mirror/          SQLite, can always be rebuilt

A database is created only together with its marker. Without that rule a folder that lost a file would be
opened as an empty one, and every job would be gone without a word.
"""

import contextlib
import fcntl
import json
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import structlog

from corvo.storage.first_key import DRAFTS, SHOWN, WAITING, give_to_owner
from corvo.storage.leveldb import LevelDbKv

log = structlog.get_logger()

FORMAT = 1

_MARKER = "corvo.json"
_POINTER = "STORE"
_JOINED = "joined.json"
_CONDEMNED = "condemned.json"
#: May lie in a folder that is otherwise empty: our own lock, what a fresh file system brings along, the draft
#: of a marker that a node was killed over, and the first key.
_HARMLESS = frozenset(
    {"LOCK", "run.json", "lost+found", Path(_MARKER).with_suffix(".tmp").name, WAITING, SHOWN, *DRAFTS}
)


#: What nobody but the owner may do with our files: jobs hold what their producers know.
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class DataDirProblem(Exception):
    """The folder cannot be used; the message says why and what to do."""


class DataDir:
    """A node's folder, locked for this process until closed."""

    def __init__(self, path: Path, *, node_id: str) -> None:
        self.path = path
        # All that this process will make is for its owner only.
        os.umask(os.umask(_OTHERS) | _OTHERS)
        path.mkdir(parents=True, exist_ok=True)
        self._lock = _lock(path)
        try:
            self.is_new = self._prepare(node_id)
            self._make_private()
        except BaseException:
            self._lock.close()
            raise

    @property
    def journal(self) -> Path:
        return self.path / "journal"

    @property
    def mirror(self) -> Path:
        return self.path / "mirror"

    def open_store(self) -> LevelDbKv:
        self._sweep()
        return LevelDbKv(current_store(self.path), create=False)

    # Being taken in by a cluster

    def note_joining(self, members: dict[str, str], index: int) -> None:
        """This folder belongs to a node that was taken in by these members, as of this entry. It must never
        begin a cluster itself."""
        write_durably(self.path / _JOINED, {"members": members, "index": index})

    def joined(self) -> dict[str, str] | None:
        """The members that `note_joining` was told, or None for a node that began its cluster."""
        return self._joined()[0]

    def joined_index(self) -> int:
        """The entry as of which the node was taken in; 0 for one that began its cluster."""
        return self._joined()[1]

    def _joined(self) -> tuple[dict[str, str] | None, int]:
        try:
            noted = json.loads((self.path / _JOINED).read_text())
            return noted["members"], int(noted.get("index", 0))
        except FileNotFoundError:
            return None, 0
        except (ValueError, KeyError, TypeError) as error:
            raise DataDirProblem(f"{self.path / _JOINED} is damaged ({error})") from None

    # A state that must not be used any more

    def condemn(self, reason: str) -> None:
        """What is in this folder is wrong. No node is ever started with it again."""
        write_durably(self.path / _CONDEMNED, {"reason": reason})

    # A store that is to take the place of the one in use

    def begin_store(self) -> tuple[str, LevelDbKv]:
        """A new, empty store beside the one in use, and its name."""
        used = [int(child.name[3:]) for child in self.path.glob("kv-*") if child.name[3:].isdigit()]
        name = f"kv-{max(used, default=0) + 1}"
        return name, LevelDbKv(self.path / name, create=True)

    def use_store(self, name: str) -> None:
        """From the next start on this is the store, whatever happens in between."""
        _sync_folder(self.path / name)
        point_store(self.path, name)

    def drop_store(self, name: str) -> None:
        shutil.rmtree(self.path / name, ignore_errors=True)

    def _sweep(self) -> None:
        """Remove stores that were replaced, or never finished."""
        in_use = current_store(self.path)
        for child in self.path.glob("kv-*"):
            if child != in_use:
                shutil.rmtree(child)

    def note_running(self, http_address: str, tls_cert: str = "") -> None:
        """Note process, address and the file of the certificate that is shown there, so that `corvo doctor`
        finds a node that runs, and knows it."""
        certificate = os.path.abspath(tls_cert) if tls_cert else ""
        noted = {"pid": os.getpid(), "http": http_address, "tls_cert": certificate}
        write_durably(self.path / "run.json", noted)

    def close(self) -> None:
        (self.path / "run.json").unlink(missing_ok=True)
        self._lock.close()

    # Making the folder

    def _prepare(self, node_id: str) -> bool:
        marker = read_marker(self.path)
        if marker is None:
            _must_be_empty(self.path)
            self._create(node_id)
            return True
        if marker["format"] != FORMAT:
            raise DataDirProblem(
                f"{self.path} has format {marker['format']}; this version of Corvo reads format {FORMAT}"
            )
        if (self.path / _CONDEMNED).exists():
            reason = json.loads((self.path / _CONDEMNED).read_text()).get("reason")
            raise DataDirProblem(
                f"{self.path} must not be used: {reason}. Remove this node from its cluster (corvo cluster "
                f"remove {marker['node_id']}), move the folder away, and start it anew with --join."
            )
        if marker["state"] == "creating":
            # The process died while making the folder; nothing was promised to any client yet.
            self._create(node_id)
            return True
        if marker["node_id"] != node_id:
            raise DataDirProblem(
                f"{self.path} belongs to node {marker['node_id']!r}, not {node_id!r}. Start it with "
                f"--node-id {marker['node_id']} or choose another folder."
            )
        return False

    def _make_private(self) -> None:
        """Files that were made by an older version, or restored, may be for everybody to read."""
        loose = [each for each in (self.path, *self.path.rglob("*")) if _is_loose(each)]
        try:
            for each in loose:
                each.chmod(stat.S_IMODE(each.stat().st_mode) & ~_OTHERS)
        except OSError as error:
            # The folder may be of somebody else who lets us in, as volumes of containers sometimes are.
            log.warning("data.not_private", folder=str(self.path), reason=str(error))
            return
        if loose and not self.is_new:
            log.warning("data.made_private", folder=str(self.path), changed=len(loose))

    def _create(self, node_id: str) -> None:
        marker = {"format": FORMAT, "state": "creating", "node_id": node_id}
        write_durably(self.path / _MARKER, marker)
        for child in self.path.iterdir():
            if child.is_dir():
                shutil.rmtree(child)
        LevelDbKv(self.path / "kv-1", create=True).close()
        self.journal.mkdir()
        self.mirror.mkdir()
        point_store(self.path, "kv-1")
        write_durably(self.path / _MARKER, marker | {"state": "ready"})


def _must_be_empty(path: Path) -> None:
    found = sorted({child.name for child in path.iterdir()} - _HARMLESS)
    if found:
        raise DataDirProblem(
            f"{path} has {', '.join(found[:5])} but no {_MARKER}: it is not a Corvo folder, or it lost its "
            f"marker. Choose an empty folder, or restore {_MARKER} from a backup."
        )


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """While this lasts no node runs on the folder, which is a node's or may become one's."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if read_marker(path) is None:
        # Before the lock is made: nothing is left in a folder that is somebody else's.
        _must_be_empty(path)
    with _lock(path) as lock:
        give_to_owner(lock.fileno(), path)
        yield


def read_marker(path: Path) -> dict[str, Any] | None:
    try:
        text = (path / _MARKER).read_text()
    except FileNotFoundError:
        return None
    try:
        marker: dict[str, Any] = json.loads(text)
        return {key: marker[key] for key in ("format", "state", "node_id")}
    except (ValueError, KeyError, TypeError) as error:
        raise DataDirProblem(f"{path / _MARKER} is damaged ({error}); restore it from a backup") from None


def current_store(path: Path) -> Path:
    """The LevelDB folder in use."""
    try:
        name = (path / _POINTER).read_text().strip()
    except FileNotFoundError:
        raise DataDirProblem(
            f"{path / _POINTER} is missing; it names the store in use, such as kv-1"
        ) from None
    if not name.startswith("kv-") or not (path / name).is_dir():
        raise DataDirProblem(f"{path / _POINTER} names {name!r}, which is no store in {path}")
    return path / name


def point_store(path: Path, name: str) -> None:
    """From now on this is the store in use."""
    _replace_durably(path / _POINTER, name + "\n")


def read_running(path: Path) -> dict[str, Any] | None:
    """How to reach the node that holds the folder, if one does."""
    try:
        running: dict[str, Any] = json.loads((path / "run.json").read_text())
    except (FileNotFoundError, ValueError):
        return None
    return running


def _is_loose(path: Path) -> bool:
    try:
        return not path.is_symlink() and bool(path.stat().st_mode & _OTHERS)
    except FileNotFoundError:
        return False


def is_locked(path: Path) -> bool:
    try:
        lock = _lock(path)
    except DataDirProblem:
        return True
    lock.close()
    return False


def write_durably(file: Path, document: dict[str, Any]) -> None:
    _replace_durably(file, json.dumps(document) + "\n")


def _replace_durably(file: Path, text: str) -> None:
    """The whole new text or the whole old one, whatever happens in between."""
    draft = file.with_suffix(".tmp")
    with draft.open("w") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    draft.rename(file)
    _sync_folder(file.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _lock(path: Path) -> Any:
    stream = (path / "LOCK").open("a")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        stream.close()
        running = read_running(path)
        by = f" by process {running['pid']}" if running else ""
        raise DataDirProblem(f"{path} is in use{by}. One folder serves one node at a time.") from None
    except BaseException:
        with contextlib.suppress(OSError):
            stream.close()
        raise
    return stream
