"""Servers under test, each in a process of its own."""

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chaos.process import Server, free_port


@contextmanager
def corvo(*flags: str, folder: Path | None = None) -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="corvo-bench-") as temporary:
        server = Server((folder or Path(temporary)) / "data", free_port(), *flags)
        server.start()
        try:
            yield server
        finally:
            server.close()


@contextmanager
def baseline(kind: str, edge: str, answer_bytes: int) -> Iterator[int]:
    """A server of bench.baseline; its port."""
    port = free_port()
    arguments = [str(port), kind, edge, str(answer_bytes)]
    process = subprocess.Popen([sys.executable, "-m", "bench.baseline", *arguments])
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert process.poll() is None, f"the {kind} baseline on {edge} did not start"
                time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait()
