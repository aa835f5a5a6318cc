"""How long nobody could write: a client per node that enqueues all the time; the pauses they share count."""

import threading
import time
from uuid import uuid4

from chaos.process import Address, Client

_NOTICEABLE_S = 0.3
_JOB = {"queue": "gaps", "payload": 1}


class Gaps:
    def __init__(self, addresses: list[Address]) -> None:
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(address,), daemon=True) for address in addresses
        ]
        self._lock = threading.Lock()
        self._last_s = 0.0
        #: From one accepted write to the next, at whatever node, where that took noticeably long.
        self.pauses: list[tuple[float, float]] = []

    def start(self) -> None:
        self._last_s = time.monotonic()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(30)

    def _run(self, address: Address) -> None:
        client = Client(address, timeout_s=5)
        while not self._stop.is_set():
            try:
                # With a key, so that a node may send it to the next leader if the last one does not answer.
                status, _ = client.call("POST", "/api/v1/enqueue", _JOB, Idempotency_Key=uuid4().hex)
            except OSError:
                status = 0
            if status == 201:
                self._accepted()
            self._stop.wait(0.05)

    def _accepted(self) -> None:
        with self._lock:
            now_s = time.monotonic()
            if now_s - self._last_s > _NOTICEABLE_S:
                self.pauses.append((self._last_s, now_s))
            self._last_s = now_s

    def sentence(self) -> str:
        if not self.pauses:
            return f"no pause in writing longer than {_NOTICEABLE_S:g} s was seen"
        ordered = sorted(end_s - begin_s for begin_s, end_s in self.pauses)
        middle = ordered[len(ordered) // 2]
        return f"{len(ordered)} pauses in all writing: median {middle:.2f} s, longest {ordered[-1]:.2f} s"
