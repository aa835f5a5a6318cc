"""Emails with retries: a busy mail server is asked again, a wrong address is given up at once."""

from corvo_sdk import Client, Dead, Retry, Worker
from corvo_sdk.errors import Ended

worker = Worker(concurrency=4)


class MailServerBusy(Exception):
    """What a mail library might raise."""


def deliver(to: str, attempt: int) -> str:
    """Stands for the mail server: busy at first, and strict about addresses."""
    if "@" not in to:
        raise ValueError(f"{to!r} is not an address")
    if attempt < 3:
        raise MailServerBusy("try again later")
    return f"250 OK {to}"


@worker.middleware
def mail_errors(job, ctx):
    """One place that knows what the errors of the mail library mean for a job."""
    try:
        yield
    except MailServerBusy as error:
        raise Retry(str(error), after="50ms") from error
    except ValueError as error:
        raise Dead(str(error)) from error


@worker.task("example.emails")
def send(job, ctx):
    ctx.log.info("attempt %d", ctx.attempt)
    return {"answer": deliver(job.payload["to"], ctx.attempt), "attempts": ctx.attempt}


def main() -> None:
    with Client() as client, worker.running():
        good = client.enqueue("example.emails", {"to": "ann@example.com"}, max_retries=5)
        wrong = client.enqueue("example.emails", {"to": "nowhere"}, max_retries=5)
        print("sent:", client.result(good.job_id, timeout="30s"))
        try:
            client.result(wrong.job_id, timeout="30s")
        except Ended as ended:
            print("given up:", ended.job.last_error, "after", ended.job.attempt, "attempt")


if __name__ == "__main__":
    main()
