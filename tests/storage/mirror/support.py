"""A mirror of a state machine under test, without actors, and a connection to ask it on."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from corvo.storage.memory import MemoryKv
from corvo.storage.mirror import database, files, rebuild
from corvo.storage.mirror.compare import compare
from corvo.storage.mirror.mirror import Mirror
from corvo.storage.mirror.search import search
from corvo.storage.mirror.search.fulltext import full_text
from corvo.storage.mirror.search.query import Query


def build(kv, folder: Path) -> Path:
    """A new mirror of the store, published."""
    *_, last = rebuild.build(kv, folder)
    return files.publish(folder, last.path)


@cache
def _empty_mirror() -> bytes:
    """The file of a mirror of nothing. Making one takes 20 ms, and nearly every test begins with one."""
    with TemporaryDirectory() as folder:
        return build(MemoryKv(), Path(folder)).read_bytes()


def build_empty(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mirror-1.db").write_bytes(_empty_mirror())


def hold(conversation, db, *, out_of_budget=()):
    """Run a conversation on sqlite3. Statements with a budget whose number is given run out of it."""
    budgeted = 0
    try:
        statement = next(conversation)
        while True:
            rows = db.execute(statement.sql, statement.values).fetchall()
            if statement.budget_ms is not None:
                if budgeted in out_of_budget:
                    rows = None
                budgeted += 1
            statement = conversation.send(rows)
    except StopIteration as answer:
        return answer.value


def plans(conversation, db):
    """How SQLite means to run each statement of a conversation."""
    found = []
    try:
        statement = next(conversation)
        while True:
            explained = db.execute("EXPLAIN QUERY PLAN " + statement.sql, statement.values)
            found.append([row[3] for row in explained])
            statement = conversation.send(db.execute(statement.sql, statement.values).fetchall())
    except StopIteration:
        return found


class Mirrored:
    """A state machine and its mirror, brought up to date on demand."""

    def __init__(self, fsm, folder: Path) -> None:
        self.fsm = fsm
        self.folder = folder
        build_empty(folder)
        self.mirror = Mirror(folder)
        self.mirror.open()
        self._fed = 0
        self._db = None

    def feed(self) -> None:
        """Hand over what was applied since the last time, as the state machine would."""
        for applied in self.fsm.applied[self._fed :]:
            self.mirror.add(applied.index, applied.rows, applied.writes, applied.record)
        self._fed = len(self.fsm.applied)

    def flush(self) -> None:
        self.feed()
        self.mirror.flush()

    def index_words(self) -> None:
        while self.mirror.index_words():
            pass

    def differences(self):
        assert self.mirror.path is not None
        return list(compare(self.fsm.kv, self.mirror.path))

    # Asking

    @property
    def db(self):
        if self._db is None:
            self._db = database.open_reader(self.mirror.path)
        return self._db

    def search(self, known_total=None, **members):
        self.flush()
        return hold(search.search(Query(**members), known_total), self.db)

    def ids(self, **members):
        """Ids of one page."""
        return [hit.job.id for hit in self.search(**members).hits]

    def all_ids(self, **members):
        """Ids of all pages, in order."""
        found, cursor = [], None
        while True:
            page = self.search(cursor=cursor, **members)
            found += [hit.job.id for hit in page.hits]
            cursor = page.cursor
            if cursor is None:
                return found

    def text(self, asked, limit=50, **members):
        self.flush()
        return hold(full_text(asked, limit, **members), self.db)

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
        self.mirror.close()
