"""A system of actors: what the loop and the simulator share.

    tell, ask --> cells --> (crash) --> supervisor
                        --> (receiver gone) --> dead letters

A runtime adds three things: the time, whose turn it is, and where thread actors run.
"""

from abc import abstractmethod
from collections.abc import Callable
from itertools import count
from typing import Any, ParamSpec

from corvo.actors.kernel.address import ActorAddress
from corvo.actors.kernel.alarms import Alarm, Alarms
from corvo.actors.kernel.api import Actor, ThreadActor, recipe_of
from corvo.actors.kernel.asker import Outside
from corvo.actors.kernel.cell import Cell, CellState, Crash
from corvo.actors.kernel.dead_letters import DeadLetters
from corvo.actors.kernel.stats import ActorStats, Stats
from corvo.actors.kernel.supervise import Supervisor

_P = ParamSpec("_P")


class System:
    """The base of both runtimes. Use it from the thread it was made in; thread actors come in by `enter`."""

    #: Which cells carry ordinary actors, and which carry thread actors.
    cell_class: type[Cell] = Cell
    thread_cell_class: type[Cell]

    def __init__(self, fail_stop: Callable[[str], None], rank: Callable[[], int] | None = None) -> None:
        self.alarms = Alarms(rank)
        self.dead_letters = DeadLetters()
        self.supervisor = Supervisor(self, fail_stop)
        self.outside = Outside(self.dead_letters)
        self.refused = 0
        self._unexpected = 0
        self._delivered_by_the_gone = 0
        self._closed = False
        #: Living actors, in order of creation.
        self._cells: dict[str, Cell] = {}
        self._numbers = count(2)

    # For the world outside

    def createActor(self, actor: Callable[_P, Actor], /, *args: _P.args, **kwargs: _P.kwargs) -> ActorAddress:
        """Create an actor from its class, or from `named(...)`, and the arguments of its constructor."""
        assert not self._closed, "the system is stopping"
        cell = self.make_cell(actor, None, args, kwargs)
        self.adopt(cell)
        return cell

    def tell(self, target: ActorAddress, message: object) -> None:
        """Send a message from outside. Raises MailboxFull if there is no room for it."""
        target.deliver(message, self.outside)

    def order_crash(self, name: str) -> bool:
        """Have the actor of this name crash when its turn comes. False if there is none. For chaos only."""
        cell = self._cells.get(name)
        if cell is not None:
            cell.notify(Crash(), self.outside)
        return cell is not None

    def stats(self) -> Stats:
        """The numbers as of now."""
        actors = {
            cell.name: ActorStats(
                name=cell.name,
                state=cell.state.value,
                delivered=cell.delivered,
                waiting=len(cell.box),
                waiting_max=max(cell.box.waiting_max, len(cell.box)),
            )
            for cell in self._cells.values()
        }
        return Stats(
            delivered=self._delivered_by_the_gone + sum(actor.delivered for actor in actors.values()),
            dead_letters=self.dead_letters.total,
            dead_letters_by_name=dict(self.dead_letters.by_name),
            refused=self.refused,
            unexpected=self._unexpected,
            crashes=self.supervisor.crashes,
            restarts=self.supervisor.restarts,
            alarms=len(self.alarms),
            actors=actors,
        )

    # For cells

    def make_cell(
        self, actor: Callable[..., Actor], parent: Cell | None, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Cell:
        """A cell without an instance yet. It changes nothing in the system, so a thread may do it."""
        recipe = recipe_of(actor)
        kind = self.thread_cell_class if issubclass(recipe.cls, ThreadActor) else self.cell_class
        return kind(self, parent, recipe, (args, kwargs))

    def adopt(self, cell: Cell) -> None:
        """Make a new cell known and let it live."""
        while cell.name in self._cells:
            cell.name = f"{cell.recipe.name}-{next(self._numbers)}"
        self._cells[cell.name] = cell
        if cell.parent is None:
            cell.start()
            return
        cell.parent.children[cell] = None
        if cell.parent.state is CellState.RUNNING:
            cell.start()
        else:
            # Its creator crashed or ended, and some code still held on to the old instance.
            self.supervisor.end(cell)

    def retire(self, cell: Cell) -> None:
        """Forget a cell that has ended."""
        del self._cells[cell.name]
        self._delivered_by_the_gone += cell.delivered

    def count_unexpected(self) -> None:
        self._unexpected += 1

    def _roots(self) -> list[Cell]:
        """The actors created from outside, youngest first: the order in which they are stopped."""
        return [cell for cell in reversed(self._cells.values()) if cell.parent is None]

    # For runtimes

    @abstractmethod
    def now_ns(self) -> int:
        """Monotonic time."""

    @abstractmethod
    def schedule(self, cell: Cell) -> None:
        """Give this cell a turn; it has messages waiting and is not queued yet."""

    @abstractmethod
    def after(self, delay_ns: int, alarm: Alarm) -> None:
        """Let this alarm ring after a while."""

    @abstractmethod
    def enter(self, call: Callable[_P, object], *args: _P.args, **kwargs: _P.kwargs) -> None:
        """Run something on the thread of the system, after all that the same caller entered before."""
