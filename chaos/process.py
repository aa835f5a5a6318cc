"""A Corvo process that can be started, killed and asked how it is."""

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

#: Where a node answers: a port of this machine, or a host and a port.
Address = int | tuple[str, int]


#: Handed out by this process; who has one may not listen yet, or not just now.
_handed_out: set[int] = set()


def free_port() -> int:
    """One that the kernel gives to no outgoing connection: it would be gone when a node wants it back."""
    first_of_kernel = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.SystemRandom().randrange(max(1_024, first_of_kernel - 20_000), first_of_kernel)
        if port not in _handed_out and _is_free(port):
            _handed_out.add(port)
            return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


class Server:
    """One node. The command is what a user would type, maybe behind one that prepares the ground."""

    def __init__(
        self,
        data_dir: Path,
        port: int,
        *flags: str,
        python: str = sys.executable,
        before: tuple[str, ...] = (),
        host: str = "127.0.0.1",
        api_key: str | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        self.data_dir = data_dir
        #: Shown with every request to it.
        self.api_key = api_key
        #: Beside what this process has.
        self.environment = dict(environment or {})
        self.port = port
        self.address: Address = port if host == "127.0.0.1" else (host, port)
        self.command = [
            *before,
            python,
            "-m",
            "corvo",
            "serve",
            "--data-dir",
            str(data_dir),
            "--bind",
            f"{host}:{port}",
        ]
        if host != "127.0.0.1" and api_key is None:
            # A network of the test's own, which nobody else is on.
            self.command.append("--insecure-open")
        self.command += flags
        self._python = python
        self._log = (data_dir.parent / f"{data_dir.name}.log").open("ab")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, wait_s: float = 30.0) -> float:
        """Seconds until it answered."""
        self.begin()
        return self.wait_until_healthy(wait_s)

    def wait_until_healthy(self, wait_s: float = 30.0) -> float:
        """Seconds until it answered."""
        assert self._process is not None
        began = time.monotonic()
        while time.monotonic() - began < wait_s:
            if self._process.poll() is not None:
                raise RuntimeError(f"the server ended with {self._process.returncode}; see {self._log.name}")
            if self.is_healthy():
                return time.monotonic() - began
            time.sleep(0.01)
        raise RuntimeError(f"the server did not answer within {wait_s:g} s; see {self._log.name}")

    def begin(self) -> None:
        """Start it, and do not wait until it answers."""
        environment = {**os.environ, **self.environment}
        self._process = subprocess.Popen(self.command, stdout=self._log, stderr=self._log, env=environment)

    def is_healthy(self) -> bool:
        try:
            return self.get("/healthz")[0] == 200
        except OSError:
            return False

    def kill(self) -> None:
        """kill -9, between any two lines."""
        self._signal(signal.SIGKILL)

    def pause(self) -> None:
        """It stops in the middle of whatever it does, and does not know."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def terminate(self, wait_s: float = 10.0) -> int:
        """Ask it to stop; its exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(wait_s)

    def _signal(self, number: int) -> None:
        assert self._process is not None
        os.kill(self._process.pid, number)
        self._process.wait()

    def doctor(self, *compare: Path) -> tuple[int, str]:
        """Exit code and words of `corvo doctor` on this node's folder, and against these others."""
        comparing = [word for other in compare for word in ("--compare", str(other))]
        done = subprocess.run(
            [self._python, "-m", "corvo", "doctor", str(self.data_dir), *comparing],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def get(self, path: str) -> tuple[int, Any]:
        with Client(self.address, timeout_s=10, api_key=self.api_key) as client:
            return client.call("GET", path)

    def post(self, path: str, body: Any = None) -> tuple[int, Any]:
        with Client(self.address, timeout_s=10, api_key=self.api_key) as client:
            return client.call("POST", path, body)

    def wait_for_end(self, wait_s: float = 10.0) -> int:
        """It is about to end by itself; its exit code."""
        assert self._process is not None
        return self._process.wait(wait_s)

    def last_words(self, lines: int = 5) -> list[str]:
        """The end of what it has logged."""
        return Path(self._log.name).read_text(errors="replace").splitlines()[-lines:]

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()
        self._log.close()


class Client:
    """Blocking JSON calls over one connection. If it breaks, the next one goes to another node."""

    def __init__(self, *addresses: Address, timeout_s: float = 30.0, api_key: str | None = None) -> None:
        self._addresses = list(addresses)
        self._timeout_s = timeout_s
        self._headers = {} if api_key is None else {"X-API-Key": api_key}
        self._connection: http.client.HTTPConnection | None = None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and decoded body. OSError means that nobody knows what happened."""
        if self._connection is None:
            address = self._addresses[0]
            host, port = ("127.0.0.1", address) if isinstance(address, int) else address
            self._connection = http.client.HTTPConnection(host, port, timeout=self._timeout_s)
        data = None if body is None else json.dumps(body)
        sent = self._headers | {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            self._connection.request(method, path, data, sent)
            response = self._connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            self._addresses.append(self._addresses.pop(0))
            raise OSError(str(error)) from error
        return response.status, json.loads(text) if text else None

    def __del__(self) -> None:
        """Many are used for one call; none leaves its socket behind."""
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
