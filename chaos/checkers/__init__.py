"""Checkers: each looks at a history and what the server says now, and yields a sentence per violation."""

from chaos.checkers.acked_is_final import check as acked_is_final
from chaos.checkers.no_lost_job import check as no_lost_job
from chaos.checkers.one_lease_at_a_time import check as one_lease_at_a_time
from chaos.checkers.tokens_never_repeat import check as tokens_never_repeat

#: By the names that scenarios know them by. Those that look at nodes and not at histories: see judge.py.
ALL = {
    "no_lost_job": no_lost_job,
    "acked_is_final": acked_is_final,
    "one_lease_at_a_time": one_lease_at_a_time,
    "tokens_never_repeat": tokens_never_repeat,
}
