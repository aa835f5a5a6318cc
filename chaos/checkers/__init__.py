"""Checkers: each looks at a history and what the server says now, and yields a sentence per violation."""

from chaos.checkers.acked_is_final import check as acked_is_final
from chaos.checkers.no_lost_job import check as no_lost_job
from chaos.checkers.one_lease_at_a_time import check as one_lease_at_a_time

ALL = (no_lost_job, acked_is_final, one_lease_at_a_time)
