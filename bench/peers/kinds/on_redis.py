"""Celery, Dramatiq, RQ, arq and BullMQ: their server is Redis."""

from pathlib import Path

from bench.peers import install
from bench.peers.install import PROGRAMS
from bench.peers.peer import Peer, python_versions, version_of

FSYNCS = {"everysec": "fsync every second", "always": "fsync before each answer"}


class OnRedis(Peer):
    label = ""
    requirements: tuple[str, ...] = ()
    #: Redis commands that count jobs which are not done.
    counts: tuple[str, ...] = ()

    def __init__(self, fsync: str) -> None:
        self.fsync = fsync
        self.title = f"{self.label}, Redis {fsync}"
        self.durability = f"AOF, {FSYNCS[fsync]}; no snapshots"
        super().__init__()

    def install(self) -> str:
        self._redis = install.debian("redis-server", "redis-server")
        version = version_of([self._redis, "--version"]).split("v=")[1].split()[0]
        return f"Redis {version}, {self._install_client()}"

    def _install_client(self) -> str:
        self.bin = install.pypi(self.name, *self.requirements)
        return python_versions(self.bin, self.name)

    def serve(self) -> list[list[str]]:
        options = {
            "--port": str(self.port),
            "--bind": "127.0.0.1",
            "--dir": str(self.folder),
            "--appendonly": "yes",
            "--appendfsync": self.fsync,
            "--save": "",
        }
        return [[self._redis, *(word for option in options.items() for word in option)]]

    @property
    def server(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def held(self) -> int:
        ask = [install.debian("redis-tools", "redis-cli"), "-p", str(self.port)]
        return sum(int(version_of([*ask, *command.split()])) for command in self.counts)

    def produce(self) -> list[str]:
        return [str(self.bin / "python"), str(PROGRAMS / f"{self.name}_app.py")]


class Celery(OnRedis):
    name = "celery"
    label = "Celery"
    requirements = ("celery[redis]==5.7.0",)
    counts = ("LLEN bench", "HLEN unacked")
    setting = "one by one; 8 processes, prefetch 64, results ignored, acks early (its default)"

    def work(self) -> list[list[str]]:
        quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat", "-l", "WARNING"]
        return [[str(self.bin / "celery"), "-A", "celery_app", "worker", "-c", "8", "-Q", "bench", *quiet]]


class Dramatiq(OnRedis):
    name = "dramatiq"
    label = "Dramatiq"
    requirements = ("dramatiq[redis]==2.2.1",)
    counts = ("HLEN dramatiq:bench.msgs",)
    setting = "one by one; 2 processes of 4 threads"

    def work(self) -> list[list[str]]:
        return [[str(self.bin / "dramatiq"), "dramatiq_app", "--processes", "2", "--threads", "4"]]


class Rq(OnRedis):
    name = "rq"
    label = "RQ"
    requirements = ("rq==2.12.0",)
    counts = ("LLEN rq:queue:bench", "ZCARD rq:wip:bench", "ZCARD rq:failed:bench")
    setting = "bulks of 50; 8 processes of SimpleWorker (no fork per job), results not kept"

    def work(self) -> list[list[str]]:
        command = [str(self.bin / "rq"), "worker-pool", "bench", "-n", "8", "-u", self.server]
        return [[*command, "-w", "rq.worker.SimpleWorker", "--quiet"]]


class Arq(OnRedis):
    name = "arq"
    label = "arq"
    requirements = ("arq==0.28.0",)
    counts = ("ZCARD bench",)
    setting = "8 at once; 1 process of 8 tasks, looks every 10 ms, results not kept"

    def work(self) -> list[list[str]]:
        return [[str(self.bin / "arq"), "arq_app.WorkerSettings"]]


class BullMq(OnRedis):
    name = "bullmq"
    label = "BullMQ"
    counts = ("LLEN bull:bench:wait", "LLEN bull:bench:active")
    setting = "bulks of 50; 1 process of 8 at once, completed jobs removed"

    def _install_client(self) -> str:
        self._folder: Path = install.npm("bullmq@6.7.0", "ioredis@5")
        return "bullmq 6.7.0"

    def produce(self) -> list[str]:
        return ["node", str(self._folder / "bullmq.js")]

    def work(self) -> list[list[str]]:
        return [[*self.produce(), "work"]]
