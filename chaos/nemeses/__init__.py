"""Nemeses: the things that go wrong. A scenario names them."""

from chaos.nemeses.actor import KillActor, KillVital
from chaos.nemeses.base import Nemesis
from chaos.nemeses.clock import ClockJumps
from chaos.nemeses.disk import DiskFull
from chaos.nemeses.kill import Kill, KillAll, Restart
from chaos.nemeses.partition import CutOneWay, CutPair, Isolate
from chaos.nemeses.pause import Pause
from chaos.nemeses.weather import LossyLinks, SlowLinks

NEMESES: dict[str, type[Nemesis]] = {
    "kill": Kill,
    "restart": Restart,
    "kill_all": KillAll,
    "pause": Pause,
    "isolate": Isolate,
    "cut_one_way": CutOneWay,
    "cut_pair": CutPair,
    "slow_links": SlowLinks,
    "lossy_links": LossyLinks,
    "disk_full": DiskFull,
    "clock_jumps": ClockJumps,
    "kill_actor": KillActor,
    "kill_vital": KillVital,
}
