"""A job that comes by the clock."""

from corvo_sdk import Client, Worker
from corvo_sdk.errors import Conflict

worker = Worker()


@worker.task("example.nightly")
def clean_up(job):
    return f"cleaned {job.payload['what']}"


def ensure_schedule(client: Client) -> str:
    """Safe to call whenever the program starts."""
    try:
        made = client.schedules.create(
            "example nightly clean-up",
            "example.nightly",
            "30 3 * * *",
            timezone="Europe/Berlin",
            payload={"what": "the attic"},
            dst_gap="shift",
            misfire="once",
            overlap="skip",
        )
    except Conflict:
        (made,) = [s for s in client.schedules.all() if s.name == "example nightly clean-up"]
    return made.id


def main() -> None:
    with Client() as client, worker.running():
        schedule_id = ensure_schedule(client)
        assert ensure_schedule(client) == schedule_id
        schedule = client.schedules.get(schedule_id)
        print("next at half past three:", schedule.next_run is not None and schedule.next_run.minute == 30)
        job = client.schedules.run(schedule_id)  # Not only tonight, but also now.
        print(client.result(job.job_id, timeout="30s"))


if __name__ == "__main__":
    main()
