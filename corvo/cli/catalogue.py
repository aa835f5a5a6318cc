"""Every command: its name, where it is, and what it does. Nothing here imports any of them."""

from typing import Final

from corvo.cli.lazy import Sections

_JOBS: Final = "corvo.cli.commands.jobs.job_actions"
_QUEUES: Final = "corvo.cli.commands.queues.queue_actions"

#: Heading -> command -> where it is, as `module:name`, and what it does: help must not import them all.
SECTIONS: Final[Sections] = {
    "Jobs": {
        "enqueue": ("corvo.cli.commands.jobs.enqueue:command", "Add jobs to a queue."),
        "inspect": ("corvo.cli.commands.jobs.inspect:inspect", "Show everything about jobs."),
        "why": ("corvo.cli.commands.jobs.inspect:why", "Say why a job is not running."),
        "history": ("corvo.cli.commands.jobs.inspect:history", "Show what happened to a job."),
        "graph": (
            "corvo.cli.commands.jobs.graph:command",
            "Show what a job belongs to, and what comes of it.",
        ),
        "wait": ("corvo.cli.commands.jobs.inspect:wait", "Wait until jobs have ended."),
        "retry": (f"{_JOBS}:retry", "Run ended jobs again."),
        "cancel": (f"{_JOBS}:cancel", "Cancel jobs."),
        "hold": (f"{_JOBS}:hold", "Keep jobs from running."),
        "approve": (f"{_JOBS}:approve", "Let held jobs go on."),
        "reject": (f"{_JOBS}:reject", "Give up held jobs."),
        "move": (f"{_JOBS}:move", "Move jobs to another queue."),
        "priority": (f"{_JOBS}:priority", "Change the priority of jobs."),
        "delete": (f"{_JOBS}:delete", "Remove jobs."),
        "search": ("corvo.cli.commands.jobs.search:command", "Find jobs."),
        "failures": ("corvo.cli.commands.jobs.failures:command", "Show failed jobs, grouped by error."),
        "held": ("corvo.cli.commands.jobs.search:held", "List the jobs that wait for approval."),
        "jobs": (
            "corvo.cli.commands.jobs.jobs:command",
            "These commands under one name: list, show, retry, ...",
        ),
        "batches": ("corvo.cli.commands.jobs.batches:command", "Jobs with a callback when all have ended."),
        "bulk": ("corvo.cli.commands.jobs.bulk:command", "Do something to many jobs at once."),
        "reseal": ("corvo.cli.commands.jobs.reseal:command", "Seal all jobs with the current key."),
    },
    "Queues": {
        "queues": ("corvo.cli.commands.queues.queues:command", "List queues."),
        "pause": (f"{_QUEUES}:pause", "Hand out no more jobs of queues."),
        "resume": (f"{_QUEUES}:resume", "Hand out jobs of queues again."),
        "drain": (f"{_QUEUES}:drain", "Pause queues and let active jobs finish."),
        "limit": (f"{_QUEUES}:limit", "Limit how many jobs of a queue are active at once."),
        "throttle": (f"{_QUEUES}:throttle", "Limit how fast jobs of a queue are handed out."),
        "clear": (f"{_QUEUES}:clear", "Remove the waiting jobs of queues."),
        "destroy": (f"{_QUEUES}:destroy", "Remove queues with all their jobs."),
        "schedules": ("corvo.cli.commands.queues.schedules:command", "Jobs that come by the clock."),
    },
    "Watching": {
        "status": (
            "corvo.cli.commands.server.status:command",
            "Show how the server and its queues are doing.",
        ),
        "top": ("corvo.cli.commands.server.top:command", "Live dashboard in the terminal."),
        "events": ("corvo.cli.commands.jobs.events:command", "Show what happens, as it happens."),
        "audit": ("corvo.cli.commands.server.audit:command", "Show who changed what."),
        "webhooks": (
            "corvo.cli.commands.queues.webhooks:command",
            "Tell other systems what happens, by HTTP.",
        ),
        "workers": ("corvo.cli.commands.queues.workers:command", "List workers."),
        "cluster": ("corvo.cli.commands.server.cluster:command", "Show or change the nodes of the cluster."),
        "check": ("corvo.cli.commands.server.check:command", "Answer monitoring: ready, backlog, lag."),
    },
    "Access": {
        "init": ("corvo.cli.commands.access.init:command", "Make the first key of a node."),
        "keys": ("corvo.cli.commands.access.keys:command", "API keys: who may come in."),
        "roles": ("corvo.cli.commands.access.roles:command", "Roles: what keys may do."),
        "namespaces": (
            "corvo.cli.commands.access.namespaces:command",
            "Tenants: how much each may have, and has.",
        ),
        "whoami": ("corvo.cli.commands.access.whoami:command", "Show who the server takes you for."),
    },
    "Server": {
        "serve": ("corvo.cli.commands.server.serve:command", "Run a node."),
        "dev": ("corvo.cli.commands.server.dev:command", "Run a throw-away node with demo data."),
        "doctor": ("corvo.cli.commands.server.doctor:command", "Check a node's folder."),
        "seed": ("corvo.cli.commands.tools.seed:command", "Fill a server with demo data."),
        "bench": (
            "corvo.cli.commands.tools.bench:command",
            "Measure a server, and check that nothing is lost.",
        ),
    },
    "Help": {
        "help": ("corvo.cli.commands.tools.help:command", "Show how a command is used."),
        "errors": ("corvo.cli.commands.tools.errors:command", "Explain an error code."),
        "profile": ("corvo.cli.commands.tools.profile:command", "Give servers names."),
        "completion": ("corvo.cli.commands.tools.completion:command", "Make the shell complete commands."),
        "version": ("corvo.cli.commands.tools.version:command", "Print the version."),
    },
}
ALIASES: Final = {
    "server": "serve",
    "job": "jobs",
    "batch": "batches",
    "cron": "schedules",
    "queue": "queues",
    "key": "keys",
    "role": "roles",
    "namespace": "namespaces",
    "webhook": "webhooks",
}
