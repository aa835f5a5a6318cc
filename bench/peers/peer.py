"""What every peer offers: a server that can be started anew, killed and started again, producers, workers."""

import os
import shutil
import socket
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path

from bench.peers.install import HOME, PROGRAMS
from bench.peers.processes import Process, until
from chaos.process import free_port

WORKERS = 8


class Peer(ABC):
    #: As in --only.
    name: str
    #: As in the table.
    title: str
    #: What its server promises, and what it was told.
    durability: str
    #: How its producers and workers are set up.
    setting: str

    def __init__(self) -> None:
        self.folder = HOME / "run" / self.slug
        self.port = 0
        self._servers: list[Process] = []

    @property
    def slug(self) -> str:
        return "".join(c if c.isalnum() else "-" for c in self.title.lower())

    # What a kind of peer says about itself

    @abstractmethod
    def install(self) -> str:
        """Its versions. Raises NotInstallable."""

    @abstractmethod
    def serve(self) -> list[list[str]]:
        """Commands that start its server on `self.port`, with its data in `self.folder`."""

    @abstractmethod
    def produce(self) -> list[str]:
        """The command of one producer, to which the harness adds how much."""

    @abstractmethod
    def work(self) -> list[list[str]]:
        """Commands that run eight workers in all."""

    @property
    def server(self) -> str:
        """Its address, in the words of its clients."""
        return f"127.0.0.1:{self.port}"

    def prepare(self) -> None:  # noqa: B027 - most have nothing to prepare
        """After a server was started anew: tables and the like."""

    def held(self) -> int:
        """Jobs that the server has and that are not done: late, because of some timeout, but not lost."""
        return 0

    # The server

    def start(self) -> None:
        """With nothing in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.port = free_port()
        self.restart()
        self.prepare()

    def restart(self) -> None:
        """With whatever it has saved."""
        log = self.folder.with_suffix(".log")
        self._servers = [Process(command, log, folder=self.folder) for command in self.serve()]
        until(self.is_up, 30, f"{self.title} to answer; see {log}")

    def is_up(self) -> bool:
        assert all(server.is_running for server in self._servers), f"see {self._servers[0].log}"
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def kill(self) -> None:
        """kill -9."""
        for server in self._servers:
            server.kill()
        self._servers = []

    def memory_mb(self) -> float:
        return sum(server.memory_mb() for server in self._servers)

    # Its clients

    def run(self, command: list[str]) -> Process:
        return Process(command, self.folder.with_suffix(".log"), folder=PROGRAMS, **self._clients())

    def call(self, command: list[str]) -> str:
        """A program that ends by itself; what it printed."""
        done = subprocess.run(
            command,
            cwd=PROGRAMS,
            env=os.environ | self._clients(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert not done.returncode, done.stderr
        return done.stdout

    def _clients(self) -> dict[str, str]:
        return {
            "PEER_SERVER": self.server,
            "PEER_QUEUE": "bench",
            "PEER_DONE": str(self.done),
            "PYTHONPATH": str(PROGRAMS),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    @property
    def done(self) -> Path:
        return self.folder.parent / f"{self.slug}.done"

    @property
    def accepted(self) -> Path:
        return self.folder.parent / f"{self.slug}.accepted"


def version_of(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def python_versions(folder: Path, *packages: str) -> str:
    """Versions of what is in a virtual environment."""
    code = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    versions = version_of([str(folder / "python"), "-c", code, *packages]).split()
    return ", ".join(f"{name} {version}" for name, version in zip(packages, versions, strict=True))
