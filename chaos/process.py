"""A Corvo process that can be started, killed and asked how it is."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """One node. The command is what a user would type, maybe behind one that prepares the ground."""

    def __init__(
        self,
        data_dir: Path,
        port: int,
        *flags: str,
        python: str = sys.executable,
        before: tuple[str, ...] = (),
    ) -> None:
        self.data_dir = data_dir
        self.port = port
        self.command = [
            *before,
            python,
            "-m",
            "corvo",
            "serve",
            "--data-dir",
            str(data_dir),
            "--bind",
            f"127.0.0.1:{port}",
        ]
        self.command += flags
        self._python = python
        self._log = (data_dir.parent / f"{data_dir.name}.log").open("ab")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, wait_s: float = 30.0) -> float:
        """Seconds until it answered."""
        began = time.monotonic()
        self._process = subprocess.Popen(self.command, stdout=self._log, stderr=self._log)
        while time.monotonic() - began < wait_s:
            if self._process.poll() is not None:
                raise RuntimeError(f"the server ended with {self._process.returncode}; see {self._log.name}")
            if self.is_healthy():
                return time.monotonic() - began
            time.sleep(0.01)
        raise RuntimeError(f"the server did not answer within {wait_s:g} s; see {self._log.name}")

    def is_healthy(self) -> bool:
        try:
            return self.get("/healthz")[0] == 200
        except OSError:
            return False

    def kill(self) -> None:
        """kill -9, between any two lines."""
        self._signal(signal.SIGKILL)

    def terminate(self, wait_s: float = 10.0) -> int:
        """Ask it to stop; its exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(wait_s)

    def _signal(self, number: int) -> None:
        assert self._process is not None
        os.kill(self._process.pid, number)
        self._process.wait()

    def doctor(self) -> tuple[int, str]:
        """Exit code and words of `corvo doctor` on this node's folder."""
        done = subprocess.run(
            [self._python, "-m", "corvo", "doctor", str(self.data_dir)],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def get(self, path: str) -> tuple[int, Any]:
        with Client(self.port, timeout_s=10) as client:
            return client.call("GET", path)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()
        self._log.close()


class Client:
    """Blocking JSON calls over one connection, opened anew when it breaks."""

    def __init__(self, port: int, timeout_s: float = 30.0) -> None:
        self._port = port
        self._timeout_s = timeout_s
        self._connection: http.client.HTTPConnection | None = None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and decoded body. OSError means that nobody knows what happened."""
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=self._timeout_s)
        data = None if body is None else json.dumps(body)
        try:
            self._connection.request(method, path, data, {k.replace("_", "-"): v for k, v in headers.items()})
            response = self._connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise OSError(str(error)) from error
        return response.status, json.loads(text) if text else None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
