"""Clients that keep asking while nodes are restarted one after the other."""

import threading
import time

from chaos.process import Client


class Requests:
    """Clients that count every answer that is not a success. They repeat only what no answer came to."""

    def __init__(self, ports, threads=4):
        self._stop = threading.Event()
        self.failures = []
        self.accepted = []
        self.connection_errors = 0
        self._threads = [
            threading.Thread(target=self._run, args=(ports[n % 3 :] + ports[: n % 3], n), daemon=True)
            for n in range(threads)
        ]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join(30)

    def _run(self, ports, number):
        client = Client(*ports)
        sent = 0
        while not self._stop.is_set():
            sent += 1
            for path, body in (
                ("/api/v1/enqueue", {"queue": "rolling", "payload": {"n": sent}}),
                ("/api/v1/fetch", {"queues": ["rolling"], "timeout": 1, "worker_id": f"w{number}"}),
            ):
                status, answer = self._ask(client, path, body)
                if status not in (200, 201, 204):
                    self.failures.append((path, status, answer))
                elif path.endswith("enqueue"):
                    self.accepted.append(answer["job_id"])

    def _ask(self, client, path, body):
        while True:
            try:
                return client.call("POST", path, body)
            except OSError:
                self.connection_errors += 1
                time.sleep(0.02)


def all_connected(group):
    """Whether every node of a group has a connection to every other."""
    bodies = [group.status(node_id) for node_id in group.servers]
    return all(
        body is not None and all(node["self"] or node["connected"] for node in body["nodes"])
        for body in bodies
    )
