"""How long nobody could write: a client that enqueues all the time and notes every pause."""

import threading
import time

from chaos.process import Client


class Gaps:
    def __init__(self, ports: list[int]) -> None:
        self._client = Client(*ports, timeout_s=5)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        #: Seconds between two writes that were accepted, where that took noticeably long.
        self.seconds: list[float] = []

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(30)

    def _run(self) -> None:
        last_s = time.monotonic()
        while not self._stop.is_set():
            try:
                status, _ = self._client.call("POST", "/api/v1/enqueue", {"queue": "gaps", "payload": 1})
            except OSError:
                status = 0
            now_s = time.monotonic()
            if status == 201:
                if now_s - last_s > 0.3:
                    self.seconds.append(now_s - last_s)
                last_s = now_s
            self._stop.wait(0.02)

    def sentence(self) -> str:
        if not self.seconds:
            return "no pause longer than 0.3 s was seen"
        ordered = sorted(self.seconds)
        middle = ordered[len(ordered) // 2]
        return f"{len(ordered)} pauses in writing: median {middle:.2f} s, longest {ordered[-1]:.2f} s"
