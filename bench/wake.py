"""From enqueue to a waiting worker that has the job: low load, fsync on."""

import threading
import time

from bench.servers import corvo
from chaos.process import Client

JOBS = 400


def main() -> None:
    with corvo() as server:
        arrived: dict[str, float] = {}
        ready = threading.Semaphore(0)

        def work() -> None:
            client = Client(server.port)
            while len(arrived) < JOBS:
                ready.release()
                status, body = client.call("POST", "/api/v1/fetch", {"queues": ["q"], "timeout": 10})
                if status == 200:
                    arrived[body["job_id"]] = time.perf_counter()
                    client.call("POST", f"/api/v1/ack/{body['job_id']}", {"lease_token": body["lease_token"]})

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        producer = Client(server.port)
        sent: dict[str, float] = {}
        for _ in range(JOBS):
            ready.acquire()
            time.sleep(0.004)  # The worker's poll is on its way to the server.
            began = time.perf_counter()
            _, body = producer.call("POST", "/api/v1/enqueue", {"queue": "q", "payload": {"n": 1}})
            sent[body["job_id"]] = began
        worker.join(30)
    waits = sorted((arrived[job_id] - began) * 1_000 for job_id, began in sent.items() if job_id in arrived)
    print(f"enqueue sent -> waiting worker has the job, {len(waits)} jobs one by one, fsync on:")
    print(f"  p50 {waits[len(waits) // 2]:.2f} ms   target < 3")
    print(f"  p99 {waits[int(len(waits) * 0.99)]:.2f} ms   target < 10")
    print(f"  max {waits[-1]:.2f} ms")


if __name__ == "__main__":
    main()
