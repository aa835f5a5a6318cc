"""A resumable report: the first worker is stopped halfway, the second goes on from the checkpoint."""

import threading

from corvo_sdk import Client, Worker

ROWS = list(range(1_000))
halfway = threading.Event()


def make_worker() -> Worker:
    worker = Worker(concurrency=1, grace="2s")

    @worker.task("example.reports")
    def report(job, ctx):
        at = job.checkpoint or {"row": 0, "sum": 0}
        began = at["row"]
        for row in range(began, len(ROWS), 100):
            at = {"row": row + 100, "sum": at["sum"] + sum(ROWS[row : row + 100])}
            ctx.checkpoint(at)
            ctx.progress({"percent": at["row"] * 100 // len(ROWS)})
            if at["row"] >= 500 and began == 0:
                halfway.set()
                ctx.sleep(0.05)
            ctx.check()  # Leaves here if the worker stops or the job is cancelled; the checkpoint is safe.
        return {"sum": at["sum"], "began_at_row": began}

    return worker


def main() -> None:
    with Client() as client:
        job_id = client.enqueue("example.reports").job_id
        with make_worker().running():
            halfway.wait(30)
        between = client.get(job_id)
        print(
            "between:", between.state, "with", between.checkpoint["row"] >= 500, "attempts", between.attempt
        )
        with make_worker().running():
            result = client.result(job_id, timeout="30s")
        print("sum:", result["sum"], "resumed:", result["began_at_row"] >= 500)


if __name__ == "__main__":
    main()
