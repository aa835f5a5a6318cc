"""A chain: each step finds what the one before returned; when a step dies, somebody is told."""

from corvo_sdk import Client, Dead, Worker

worker = Worker()


@worker.task("example.fetch")
def fetch(job):
    if job.payload["page"] == "missing":
        raise Dead("404")
    return {"text": f"all about {job.payload['page']}"}


@worker.task("example.count")
def count(job):
    return {"words": len(job.payload["previous_result"]["text"].split())}


@worker.task("example.publish")
def publish(job):
    return f"{job.payload['previous_result']['words']} words for {job.payload['audience']}"


@worker.task("example.apologise")
def apologise(job):
    return f"step {job.payload['failed_step']} failed: {job.payload['error']}"


def run(client: Client, page: str) -> str:
    first = client.enqueue_chain(
        [
            ("example.fetch", {"page": page}),
            ("example.count", None),
            ("example.publish", {"audience": "everybody"}),
        ],
        on_failure="example.apologise",
    )
    chain_id = client.get(first.job_id).chain_id
    # The last job of the chain, or the one that stands in for it.
    events = client.events(after=0, queues=["example.publish", "example.apologise"], types=["completed"])
    for event in events:
        job = client.get(event.job_id)
        if job.chain_id == chain_id:
            events.close()
            return str(job.result)
    raise AssertionError("the stream of events does not end")


def main() -> None:
    with Client() as client, worker.running():
        print(run(client, "corvids"))
        print(run(client, "missing"))


if __name__ == "__main__":
    main()
