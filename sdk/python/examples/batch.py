"""A batch: many thumbnails, and one message when all of them have ended."""

from corvo_sdk import Client, Dead, Worker, new_job

worker = Worker(concurrency=8)


@worker.task("example.thumbnails")
async def shrink(job):
    if job.payload["image"] == "broken.png":
        raise Dead("not an image")
    return {"file": f"small-{job.payload['image']}"}


@worker.task("example.albums")
def announce(job):
    batch = job.payload["batch"]
    counts = f"{batch['succeeded']} of {batch['total']} images, {batch['failed']} broken"
    return f"album {job.payload['album']}: {counts}"


def main() -> None:
    images = [f"{n}.png" for n in range(20)] + ["broken.png"]
    with Client() as client, worker.running():
        made = client.enqueue_many(
            [new_job("example.thumbnails", {"image": image}) for image in images],
            callback_queue="example.albums",
            callback_payload={"album": "holidays"},
        )
        for job_id in made.job_ids:
            client.wait(job_id, timeout="30s")
        callback = client.batches.get(made.batch_id).callback_job_id
        print(client.result(callback, timeout="30s"))


if __name__ == "__main__":
    main()
