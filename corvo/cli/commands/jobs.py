"""`corvo jobs`: the commands about jobs once more, for those who look for them under their noun."""

from corvo.cli.lazy import LazyGroup

_ACTS = "corvo.cli.commands.job_actions"

command = LazyGroup(
    "jobs",
    help="The commands about jobs under one name: `corvo jobs show ID` is `corvo inspect ID`.",
    sections={
        "Commands": {
            "list": ("corvo.cli.commands.search:command", "Find jobs, as `corvo search`."),
            "show": ("corvo.cli.commands.inspect:inspect", "Show everything, as `corvo inspect`."),
            "why": ("corvo.cli.commands.inspect:why", "Say why a job is not running."),
            "history": ("corvo.cli.commands.inspect:history", "Show what happened to a job."),
            "wait": ("corvo.cli.commands.inspect:wait", "Wait until jobs have ended."),
            "retry": (f"{_ACTS}:retry", "Run ended jobs again."),
            "cancel": (f"{_ACTS}:cancel", "Cancel jobs."),
            "hold": (f"{_ACTS}:hold", "Keep jobs from running."),
            "approve": (f"{_ACTS}:approve", "Let held jobs go on."),
            "reject": (f"{_ACTS}:reject", "Give up held jobs."),
            "move": (f"{_ACTS}:move", "Move jobs to another queue."),
            "priority": (f"{_ACTS}:priority", "Change the priority of jobs."),
            "delete": (f"{_ACTS}:delete", "Remove jobs."),
        }
    },
)
