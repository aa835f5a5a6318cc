"""Three nodes under load: every other second one is killed, paused, restarted, cut off. Nothing may be lost.

    python -m chaos.cluster --rounds 60

Producers and workers go on all the time, each at the node that answers. In the end all nodes must hold the
same, everything accepted must be there, and neither the checkers nor `corvo doctor` may have anything to say.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from chaos.checkers import ALL
from chaos.checkers.no_lost_job import Documents
from chaos.crash import fetch_documents
from chaos.gaps import Gaps
from chaos.group import Group
from chaos.history import History
from chaos.load import Load, drain
from chaos.process import Server

Nemesis = Callable[[Group, str, random.Random], str]


def kill(group: Group, victim: str, chance: random.Random) -> str:
    server = group.servers[victim]
    server.kill()
    time.sleep(chance.uniform(0.0, 1.0))
    took_s = server.start()
    return f"killed {victim}, up again in {took_s:.2f} s"


def pause(group: Group, victim: str, chance: random.Random) -> str:
    """It will wake up believing that it still leads, if it did."""
    seconds = chance.uniform(0.2, 4.0)
    group.servers[victim].pause()
    time.sleep(seconds)
    group.servers[victim].resume()
    return f"paused {victim} for {seconds:.1f} s"


def restart(group: Group, victim: str, _: random.Random) -> str:
    code = group.servers[victim].terminate(wait_s=20)
    group.servers[victim].start()
    return f"restarted {victim}, which ended with {code}"


def kill_all(group: Group, _victim: str, _: random.Random) -> str:
    for server in group.servers.values():
        server.kill()
    _start_all(group)
    return "killed all nodes at once"


def isolate(group: Group, victim: str, chance: random.Random) -> str:
    others = [node_id for node_id in group.servers if node_id != victim]
    both = {(victim, other) for other in others} | {(other, victim) for other in others}
    return f"cut {victim} off for {_cut(group, both, chance):.1f} s"


def cut_one_way(group: Group, victim: str, chance: random.Random) -> str:
    """It hears the others and is not heard, or the other way round."""
    others = [node_id for node_id in group.servers if node_id != victim]
    is_mute = chance.random() < 0.5
    ways = {(victim, other) if is_mute else (other, victim) for other in others}
    return f"made {victim} {'mute' if is_mute else 'deaf'} for {_cut(group, ways, chance):.1f} s"


def cut_pair(group: Group, victim: str, chance: random.Random) -> str:
    other = chance.choice([node_id for node_id in group.servers if node_id != victim])
    seconds = _cut(group, {(victim, other), (other, victim)}, chance)
    return f"cut {victim} and {other} apart for {seconds:.1f} s"


def slow_links(group: Group, _victim: str, chance: random.Random) -> str:
    group.links.slow(0.05)
    time.sleep(chance.uniform(2.0, 5.0))
    group.links.heal()
    return "had every message between nodes take 50 ms"


def _cut(group: Group, ways: set[tuple[str, str]], chance: random.Random) -> float:
    seconds = chance.uniform(0.5, 6.0)
    group.links.cut(ways)
    time.sleep(seconds)
    group.links.heal()
    return seconds


NEMESES: dict[str, Nemesis] = {
    "kill": kill,
    "pause": pause,
    "restart": restart,
    "kill_all": kill_all,
    "isolate": isolate,
    "cut_one_way": cut_one_way,
    "cut_pair": cut_pair,
    "slow_links": slow_links,
}


def _start_all(group: Group) -> None:
    for server in group.servers.values():
        if not server.is_running:
            server.start()


def run(rounds: int, seed: int, folder: Path, nemeses: tuple[str, ...] = tuple(NEMESES)) -> list[str]:
    """Sentences about everything that went wrong; none is a pass."""
    chance = random.Random(seed)
    history = History()
    group = Group(folder)
    problems: list[str] = []
    gaps = Gaps(group.ports)
    try:
        group.form()
        load = Load(*group.ports, history=history, producers=2, workers=3, seed=seed)
        load.start()
        gaps.start()
        for number in range(1, rounds + 1):
            time.sleep(chance.uniform(0.3, 2.0))
            leader = group.until_leading()
            victim = leader if chance.random() < 0.6 else chance.choice(sorted(group.servers))
            did = NEMESES[chance.choice(nemeses)](group, victim, chance)
            print(f"round {number}: {did}; {len(history.accepted)} accepted, {len(history.acked)} acked")
        gaps.stop()
        problems += load.stop()
        problems += _judge(group, history)
    finally:
        group.close()
    print(
        f"{len(history.accepted)} jobs accepted, {len(history.claims)} claims, {history.unknown} lost answers"
    )
    print(gaps.sentence())
    return problems


def _judge(group: Group, history: History) -> list[str]:
    problems: list[str] = []
    _start_all(group)
    group.until_leading()
    if not drain(history, *group.ports):
        problems.append("jobs were left over that nobody could finish")
    group.until_level()
    views: dict[str, Documents] = {}
    for node_id, server in group.servers.items():
        views[node_id] = fetch_documents(server.port, list(history.accepted))
        for check in ALL:
            problems += [f"on {node_id}: {sentence}" for sentence in check(history, views[node_id])]
    if len({str(sorted(view.items())) for view in views.values()}) != 1:
        problems.append("the nodes show different jobs")
    for server in group.servers.values():
        problems += _doctor(server, "running")
    group.until_level()
    # What is applied reaches the disk a moment later. Then all end at once: who is asked to stop one after
    # the other elects leaders meanwhile, and those write.
    time.sleep(1.0)
    for server in group.servers.values():
        server.kill()
    first, *others = group.servers.values()
    problems += _doctor(first, "stopped", *(other.data_dir for other in others))
    for server in others:
        problems += _doctor(server, "stopped")
    return problems


def _doctor(server: Server, how: str, *compare: Path) -> list[str]:
    code, words = server.doctor(*compare)
    return [] if code == 0 else [f"corvo doctor on {how} {server.data_dir.name}: {words}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--nemeses", default=",".join(NEMESES), help="of: " + ", ".join(NEMESES))
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 30)
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory(prefix="corvo-cluster-") as folder:
        problems = run(arguments.rounds, seed, Path(folder), tuple(arguments.nemeses.split(",")))
    for problem in problems[:50]:
        print(problem)
    print("PASS" if not problems else f"FAIL: {len(problems)} problems (seed {seed})")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
