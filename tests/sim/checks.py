"""What must hold, checked while the simulation runs and once more when it has come to rest."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from corvo.consensus.api import Position, Role
from corvo.consensus.roster import Roster, Seat
from tests.sim.machine import Row
from tests.sim.timeline import Timeline, Violation

_TRACE_LINES = 400


class History:
    """Sees every fact of a run. Raises on the first that contradicts another."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._log: dict[int, Row] = {}
        self._leaders: dict[int, str] = {}
        self._rosters: dict[int, bytes] = {}
        #: Ticket -> how it was answered, or None while it is open.
        self.tickets: dict[int, str | None] = {}
        self.acknowledged_values: set[int] = set()
        self.counts: Counter[str] = Counter()
        self._trace: list[str] = []
        #: Told of every change of role.
        self.on_role: Callable[[str, Role], None] = lambda node_id, role: None

    def note(self, text: str) -> None:
        self._trace.append(f"{self._timeline.now() - 1_000:9.4f}  {text}")
        del self._trace[:-_TRACE_LINES]

    def trace(self, lines: int) -> str:
        return "\n".join(self._trace[-lines:])

    # From the state machines

    def committed(self, node_id: str, row: Row) -> None:
        known = self._log.setdefault(row[0], row)
        if known != row:
            raise Violation(
                f"state machine safety: entry {row[0]} is {known} on one node and {row} on {node_id}"
            )
        self.counts["committed"] += 1

    def configured(self, node_id: str, position: Position, roster: bytes) -> None:
        if self._rosters.setdefault(position.index, roster) != roster or position.index in self._log:
            raise Violation(f"state machine safety: entry {position.index} is another roster on {node_id}")
        seats = Roster.decode(roster).seats
        self.note(f"{node_id} has roster {position.index}: {_spell(seats)}")
        self.counts["rosters"] += 1

    def acknowledged(self, ticket: int, value: int) -> None:
        self._answer(ticket, "committed")
        if ticket != value:
            raise Violation(f"ticket {ticket} was answered with the entry of ticket {value}")
        self.acknowledged_values.add(value)

    def lost(self, ticket: int) -> None:
        self._answer(ticket, "lost")

    def role_changed(self, node_id: str, role: Role, term: int, leader_id: str | None) -> None:
        self.note(f"{node_id} is {role.value} in term {term}, leader {leader_id}")
        if leader_id == node_id:
            self._elected(node_id, term)
        self.on_role(node_id, role)

    def installed(self, node_id: str, before: Position, after: Position) -> None:
        self.counts["snapshots"] += 1
        self.note(f"{node_id} installed a snapshot: {before} -> {after}")

    # From the world

    def died(self, tickets: Iterable[int]) -> None:
        """The process is gone and with it whoever waited."""
        for ticket in tickets:
            if self.tickets[ticket] is None:
                self.tickets[ticket] = "died"

    def _elected(self, node_id: str, term: int) -> None:
        if self._leaders.setdefault(term, node_id) != node_id:
            raise Violation(f"election safety: {self._leaders[term]} and {node_id} both lead term {term}")

    def _answer(self, ticket: int, outcome: str) -> None:
        before = self.tickets[ticket]
        if before is not None:
            raise Violation(f"ticket {ticket} was answered twice: {before}, then {outcome}")
        self.tickets[ticket] = outcome
        self.counts[outcome + " tickets"] += 1


def _spell(seats: Mapping[str, Seat]) -> str:
    return " ".join(node_id if seat.is_voter else f"({node_id})" for node_id, seat in sorted(seats.items()))


def at_rest(history: History, states: dict[str, list[Row]]) -> Iterator[str]:
    """Yield one sentence per violation, once everything has healed and had time to converge."""
    lengths = {node_id: len(rows) for node_id, rows in states.items()}
    if len({tuple(rows) for rows in states.values()}) != 1:
        yield f"no convergence: states differ, with lengths {lengths}"
    for node_id, rows in states.items():
        values = Counter(value for _, _, value in rows)
        missing = history.acknowledged_values - values.keys()
        if missing:
            yield f"{node_id} lacks {len(missing)} acknowledged commands, e.g. {sorted(missing)[:5]}"
        twice = [value for value, times in values.items() if times > 1]
        if twice:
            yield f"{node_id} has commands twice, e.g. {sorted(twice)[:5]}"
    unanswered = [ticket for ticket, outcome in history.tickets.items() if outcome is None]
    if unanswered:
        yield f"{len(unanswered)} tickets were never answered, e.g. {unanswered[:5]}"
