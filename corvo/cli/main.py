"""The `corvo` command. Subcommands are imported when they are called, so that each starts fast."""

import sys
from typing import Any

import click

from corvo import __version__
from corvo.cli.exit_codes import ExitCode
from corvo.cli.lazy import LazyGroup
from corvo.cli.problems import Problem

_JOBS = "corvo.cli.commands.job_actions"
_QUEUES = "corvo.cli.commands.queue_actions"

#: Heading -> command -> where it is, as `module:name`, and what it does: help must not import them all.
_SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Jobs": {
        "enqueue": ("corvo.cli.commands.enqueue:command", "Add jobs to a queue."),
        "inspect": ("corvo.cli.commands.inspect:inspect", "Show everything about jobs."),
        "why": ("corvo.cli.commands.inspect:why", "Say why a job is not running."),
        "history": ("corvo.cli.commands.inspect:history", "Show what happened to a job."),
        "wait": ("corvo.cli.commands.inspect:wait", "Wait until jobs have ended."),
        "retry": (f"{_JOBS}:retry", "Run ended jobs again."),
        "cancel": (f"{_JOBS}:cancel", "Cancel jobs."),
        "hold": (f"{_JOBS}:hold", "Keep jobs from running."),
        "approve": (f"{_JOBS}:approve", "Let held jobs go on."),
        "reject": (f"{_JOBS}:reject", "Give up held jobs."),
        "move": (f"{_JOBS}:move", "Move jobs to another queue."),
        "priority": (f"{_JOBS}:priority", "Change the priority of jobs."),
        "delete": (f"{_JOBS}:delete", "Remove jobs."),
        "search": ("corvo.cli.commands.search:command", "Find jobs."),
        "held": ("corvo.cli.commands.search:held", "List the jobs that wait for approval."),
        "jobs": ("corvo.cli.commands.jobs:command", "The same under one name: list, show, retry, ..."),
        "bulk": ("corvo.cli.commands.bulk:command", "Do something to many jobs at once."),
    },
    "Queues": {
        "queues": ("corvo.cli.commands.queues:command", "List queues."),
        "pause": (f"{_QUEUES}:pause", "Hand out no more jobs of queues."),
        "resume": (f"{_QUEUES}:resume", "Hand out jobs of queues again."),
        "drain": (f"{_QUEUES}:drain", "Pause queues and let active jobs finish."),
        "limit": (f"{_QUEUES}:limit", "Limit how many jobs of a queue are active at once."),
        "throttle": (f"{_QUEUES}:throttle", "Limit how fast jobs of a queue are handed out."),
        "clear": (f"{_QUEUES}:clear", "Remove the waiting jobs of queues."),
        "destroy": (f"{_QUEUES}:destroy", "Remove queues with all their jobs."),
        "schedules": ("corvo.cli.commands.schedules:command", "Jobs that come by the clock."),
    },
    "Watching": {
        "status": ("corvo.cli.commands.status:command", "Show how the server and its queues are doing."),
        "top": ("corvo.cli.commands.top:command", "Live dashboard in the terminal."),
        "events": ("corvo.cli.commands.events:command", "Show what happens, as it happens."),
        "workers": ("corvo.cli.commands.workers:command", "List workers."),
        "cluster": ("corvo.cli.commands.cluster:command", "The nodes and how far they are."),
        "check": ("corvo.cli.commands.check:command", "Answer monitoring: ready, backlog, lag."),
    },
    "Server": {
        "serve": ("corvo.cli.commands.serve:command", "Run a node."),
        "dev": ("corvo.cli.commands.dev:command", "Run a throw-away node where everything moves."),
        "doctor": ("corvo.cli.commands.doctor:command", "Check a node's folder."),
        "seed": ("corvo.cli.commands.seed:command", "Fill a server with demo data."),
        "bench": ("corvo.cli.commands.bench:command", "Measure a server, and check that nothing is lost."),
    },
    "Help": {
        "errors": ("corvo.cli.commands.errors:command", "Explain an error code."),
        "profile": ("corvo.cli.commands.profile:command", "Servers with names."),
        "completion": ("corvo.cli.commands.completion:command", "Make the shell complete commands."),
        "version": ("corvo.cli.commands.version:command", "Print the version."),
    },
}
_ALIASES = {"server": "serve", "job": "jobs", "cron": "schedules", "queue": "queues"}


class _Root(LazyGroup):
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Problem as problem:
            problem.show()
            ctx.exit(problem.exit_code)
        except KeyboardInterrupt:
            click.echo(err=True)
            ctx.exit(ExitCode.INTERRUPTED)


@click.group(
    cls=_Root,
    sections=_SECTIONS,
    aliases=_ALIASES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every command has --help with examples. Exit codes and more: docs/cli.md.",
)
@click.version_option(__version__, message="corvo %(version)s")
def main() -> None:
    """Corvo: a job server for any language. `corvo serve` runs one, `corvo dev` shows one."""
    if not __debug__:
        # Assertions are how a node notices that it can no longer be trusted.
        click.echo("Error: Corvo does not run under python -O: its assertions must stay on", err=True)
        sys.exit(2)
