"""`corvo seed`: demo data."""

from random import Random

import click

from corvo.cli.demo.seed import Seeding
from corvo.cli.output.progress import ProgressLine
from corvo.cli.request.session import Session, talks_to_server
from corvo.core.clock import NS_PER_S
from corvo.core.times import format_time_ns
from corvo.core.wording import count as number_of


@click.command("seed")
@click.argument("what", type=click.Choice(["demo"]), default="demo", expose_value=False)
@click.option("--count", type=click.IntRange(0, 100_000), default=48, help="Jobs to make.")
@click.option("--prefix", default="demo.", help="Put before the names of queues and schedules.")
@click.option("--fixed", is_flag=True, help="The same jobs every time; ids and times still differ.")
@talks_to_server
def command(session: Session, count: int, prefix: str, fixed: bool) -> None:
    """Fill a server with demo data: jobs in every state, a batch, a chain, schedules, limits.

    Only queues that begin with the prefix are touched. Without a prefix, other jobs may be taken for
    demo jobs: use that on a server of your own.
    """
    random = Random(7) if fixed else Random()  # noqa: S311 - made-up jobs, not secrets
    in_an_hour = format_time_ns(session.clock.now_ns() + 3_600 * NS_PER_S)
    with ProgressLine("seeded", count, quiet=session.quiet) as progress:
        made = Seeding(session.api, prefix, random, in_an_hour).run(count, progress.to)
    session.out.one(
        {"id": made, "jobs": made, "prefix": prefix}, f"{number_of(made, 'job')} in queues {prefix}*"
    )
