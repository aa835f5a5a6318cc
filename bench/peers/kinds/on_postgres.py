"""Procrastinate, pg-boss and River: their server is PostgreSQL."""

import os
import shutil
import subprocess
from abc import abstractmethod
from pathlib import Path

from bench.peers import install
from bench.peers.install import HOME, PROGRAMS
from bench.peers.peer import Peer, python_versions, version_of

USER = "postgres"


def _as_user(command: list[str]) -> list[str]:
    """PostgreSQL refuses to run as root."""
    return (
        ["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups", *command] if _is_root() else command
    )


def _is_root() -> bool:
    return os.geteuid() == 0


class OnPostgres(Peer):
    #: SQL that counts jobs which are not done.
    count = ""
    #: Where it counts them.
    database = "postgres"
    durability = "fsync at each commit (synchronous_commit on), defaults but shared_buffers 256MB"

    def install(self) -> str:
        self._initdb = install.debian("postgresql", "initdb")
        self._postgres = install.debian("postgresql", "postgres")
        self._isready = install.debian("postgresql", "pg_isready")
        version = version_of([self._postgres, "--version"]).split()[2]
        return f"PostgreSQL {version}, {self._install_client()}"

    @abstractmethod
    def _install_client(self) -> str:
        """What speaks to it, and its version."""

    def start(self) -> None:
        shutil.rmtree(self._data, ignore_errors=True)
        super().start()

    @property
    def _data(self) -> Path:
        return HOME / "run" / f"{self.slug}-data"

    def serve(self) -> list[list[str]]:
        if not self._data.exists():
            self._data.mkdir()
            if _is_root():
                shutil.chown(self._data, USER, USER)
            options = ["-A", "trust", "-U", USER, "--no-sync", "-E", "UTF8"]
            command = _as_user([self._initdb, "-D", str(self._data), *options])
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")
        settings = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "shared_buffers": "256MB",
        }
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return [_as_user([self._postgres, "-D", str(self._data), *words])]

    def is_up(self) -> bool:
        assert all(server.is_running for server in self._servers), f"see {self._servers[0].log}"
        command = [self._isready, "-h", "127.0.0.1", "-p", str(self.port), "-q"]
        return subprocess.run(command, check=False).returncode == 0

    @property
    def server(self) -> str:
        return self.url

    @property
    def url(self) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{self.database}"

    def held(self) -> int:
        psql = install.debian("postgresql", "psql")
        return int(version_of([psql, self.url, "-tAc", self.count]))

    def prepare(self) -> None:
        self.call([*self.produce(), "schema"])

    def work(self) -> list[list[str]]:
        return [[*self.produce(), "work"]]


class Procrastinate(OnPostgres):
    name = "procrastinate"
    title = "Procrastinate, PostgreSQL"
    count = "select count(*) from procrastinate_jobs where status in ('todo', 'doing')"
    setting = "bulks of 50; 1 process of 8 tasks, woken by NOTIFY"

    def _install_client(self) -> str:
        self.bin = install.pypi("procrastinate", "procrastinate==3.10.0", "psycopg[binary,pool]")
        return python_versions(self.bin, "procrastinate")

    def produce(self) -> list[str]:
        return [str(self.bin / "python"), str(PROGRAMS / "procrastinate_app.py")]


class PgBoss(OnPostgres):
    name = "pg-boss"
    title = "pg-boss, PostgreSQL"
    count = "select count(*) from pgboss.job where name = 'bench' and state < 'completed'"
    setting = "bulks of 50; 1 process of 8 workers, batches of 500, polling every 0.5 s (its shortest)"

    def _install_client(self) -> str:
        self._folder: Path = install.npm("pg-boss@10.4.2")
        return "pg-boss 10.4.2 (the last for Node 20)"

    def produce(self) -> list[str]:
        return ["node", str(self._folder / "pgboss.js")]


class River(OnPostgres):
    name = "river"
    title = "River, PostgreSQL"
    count = "select count(*) from river_job where finalized_at is null"
    setting = (
        "bulks of 50 (COPY); 1 process of 8 goroutines, woken by NOTIFY, at least 1 ms between fetches "
        "(its shortest), polling every 20 ms"
    )

    def _install_client(self) -> str:
        self._binary = install.go_program("river")
        return f"River {install.go_pinned('github.com/riverqueue/river')}"

    def produce(self) -> list[str]:
        return [str(self._binary)]
