"""The API of a node from another process: plain HTTP, one connection per thread."""

import http.client
import json
import threading
from typing import Any


class Api:
    def __init__(self, address: str) -> None:
        self.address = address
        #: Shown with every request, if the node wants one.
        self.key = ""
        self._local = threading.local()
        self._all: list[http.client.HTTPConnection] = []

    def close(self) -> None:
        for connection in self._all:
            connection.close()

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body)
        for last in (False, True):
            connection = self._connection()
            try:
                headers = {"X-API-Key": self.key} if self.key else {}
                connection.request(method, f"/api/v1{path}", data, headers)
                reply = connection.getresponse()
                text = reply.read()
                break
            except (http.client.HTTPException, OSError):
                # A connection that was idle for too long is closed by the server.
                connection.close()
                self._all.remove(connection)
                del self._local.connection
                if last:
                    raise
        assert reply.status < 400, f"{method} {path}: {reply.status} {text[:300]!r}"
        return json.loads(text) if text else None

    def _connection(self) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = http.client.HTTPConnection(self.address, timeout=30)
            self._all.append(connection)
        return connection

    # What tests do all the time

    def enqueue(self, queue: str, payload: Any = None, **fields: Any) -> str:
        job_id: str = self("POST", "/enqueue", {"queue": queue, "payload": payload or {}} | fields)["job_id"]
        return job_id

    def enqueue_many(self, jobs: list[dict[str, Any]]) -> list[str]:
        ids: list[str] = []
        for start in range(0, len(jobs), 2_000):
            ids += self("POST", "/enqueue/batch", {"jobs": jobs[start : start + 2_000]})["job_ids"]
        return ids

    def fetch(self, *queues: str, count: int = 1, worker: str = "w-1", host: str = "pod-1") -> list[Any]:
        asked = {"queues": queues, "count": count, "worker_id": worker, "hostname": host, "timeout": 1}
        jobs: list[Any] = self("POST", "/fetch/batch", asked)["jobs"]
        return jobs

    def fail(self, job_id: str, error: str, **fields: Any) -> None:
        self("POST", f"/fail/{job_id}", {"error": error} | fields)

    def kill(self, queue: str, error: str, payload: Any = None, **fields: Any) -> str:
        """A job that failed for good."""
        job_id = self.enqueue(queue, payload, max_retries=1, priority="critical", **fields)
        (job,) = self.fetch(queue)
        assert job["job_id"] == job_id
        self.fail(job_id, error)
        return job_id

    def job(self, job_id: str) -> Any:
        return self("GET", f"/jobs/{job_id}")
