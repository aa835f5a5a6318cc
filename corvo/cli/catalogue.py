"""Every command: its name, where it is, and what it does. Nothing here imports any of them."""

from typing import Final

from corvo.cli.lazy import Sections

_JOBS: Final = "corvo.cli.commands.job_actions"
_QUEUES: Final = "corvo.cli.commands.queue_actions"

#: Heading -> command -> where it is, as `module:name`, and what it does: help must not import them all.
SECTIONS: Final[Sections] = {
    "Jobs": {
        "enqueue": ("corvo.cli.commands.enqueue:command", "Add jobs to a queue."),
        "inspect": ("corvo.cli.commands.inspect:inspect", "Show everything about jobs."),
        "why": ("corvo.cli.commands.inspect:why", "Say why a job is not running."),
        "history": ("corvo.cli.commands.inspect:history", "Show what happened to a job."),
        "graph": ("corvo.cli.commands.graph:command", "Show what a job belongs to, and what comes of it."),
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
        "failures": ("corvo.cli.commands.failures:command", "Failed jobs, grouped by error."),
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
        "webhooks": ("corvo.cli.commands.webhooks:command", "Tell others what happens, by HTTP."),
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
ALIASES: Final = {
    "server": "serve",
    "job": "jobs",
    "cron": "schedules",
    "queue": "queues",
    "webhook": "webhooks",
}
