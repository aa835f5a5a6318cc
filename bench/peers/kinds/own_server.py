"""beanstalkd and Faktory: servers of their own, spoken to by their own protocols."""

import sys

from bench.peers import install
from bench.peers.install import PROGRAMS
from bench.peers.peer import Peer, version_of


class Beanstalkd(Peer):
    name = "beanstalkd"
    setting = "puts pipelined by 8; 2 processes of 4 threads, a delete travels with the next reserve"

    def __init__(self, fsync_ms: int) -> None:
        self._fsync_ms = fsync_ms
        self.title = f"beanstalkd -f{fsync_ms}"
        often = "at each write" if not fsync_ms else f"every {fsync_ms} ms (its default)"
        self.durability = f"binlog, fsync {often}"
        super().__init__()

    def install(self) -> str:
        self._binary = install.debian("beanstalkd", "beanstalkd")
        return version_of([self._binary, "-v"])

    def serve(self) -> list[list[str]]:
        place = ["-l", "127.0.0.1", "-p", str(self.port), "-b", str(self.folder)]
        return [[self._binary, *place, f"-f{self._fsync_ms}"]]

    def produce(self) -> list[str]:
        return [sys.executable, str(PROGRAMS / "beanstalkd_app.py")]

    def work(self) -> list[list[str]]:
        return [[*self.produce(), "work", "4"]] * 2


class Faktory(Peer):
    name = "faktory"
    title = "Faktory"
    durability = "its own Redis with snapshots (RDB), no fsync per job (its default)"
    setting = "bulks of 50; 2 processes of 4 threads, an ack travels with the next fetch"
    _module = "github.com/contribsys/faktory"
    _version = "v1.9.3"

    def install(self) -> str:
        install.debian("redis-server", "redis-server")
        self._binary = install.go("faktory", self._module, self._version, f"{self._module}/cmd/faktory")
        return f"Faktory {self._version.removeprefix('v')}"

    def serve(self) -> list[list[str]]:
        place = ["-b", f"127.0.0.1:{self.port}", "-w", "127.0.0.1:0"]
        return [["env", f"HOME={self.folder}", str(self._binary), *place, "-l", "warn"]]

    def produce(self) -> list[str]:
        return [sys.executable, str(PROGRAMS / "faktory_app.py")]

    def work(self) -> list[list[str]]:
        return [[*self.produce(), "work", "4"]] * 2
