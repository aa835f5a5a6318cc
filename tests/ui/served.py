"""A node as users run it: `corvo serve` in a process of its own, on a free port, with a folder of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.ui.api import Api

#: A node starts within a second; on a machine with much else to do it may take longer.
_START_S_MAX = 90

#: A disk that needs this long for every sync, in front of the node that waits for it.
_SLOW_DISK = """
import os, time
from corvo.cli.main import main
swift = os.fdatasync
os.fdatasync = lambda fd: (time.sleep({seconds}), swift(fd))
main(prog_name="corvo")
"""


class Served:
    """Syncs nothing, unless it is told how slow its disk is."""

    def __init__(self, folder: Path, bind: str = "127.0.0.1:0", *, sync_s: float | None = None) -> None:
        self._folder = folder
        self._bind = bind
        self._sync_s = sync_s
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        log = self._folder.parent / f"{self._folder.name}.log"
        program = ["-m", "corvo"] if self._sync_s is None else ["-c", _SLOW_DISK.format(seconds=self._sync_s)]
        command = [sys.executable, *program, "serve", "--bind", self._bind]
        command += ["--data-dir", str(self._folder), "--durable", "off" if self._sync_s is None else "on"]
        with log.open("ab") as out:
            self._process = subprocess.Popen(command, stdout=out, stderr=out)
        run = self._folder / "run.json"
        deadline = time.monotonic() + _START_S_MAX
        while not (run.exists() and json.loads(run.read_text())["pid"] == self._process.pid):
            assert self._process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, f"the node did not start: {log.read_text()}"
            time.sleep(0.05)
        self.address: str = json.loads(run.read_text())["http"]
        self._bind = self.address
        self.api = Api(self.address)

    @property
    def ui(self) -> str:
        return f"http://{self.address}/ui/"

    def kill(self) -> None:
        """As a crash would: at once, and without a word."""
        assert self._process is not None
        self.api.close()
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        assert self._process is not None
        self.api.close()
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait(10)
