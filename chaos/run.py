"""Runs a scenario: nodes, load, blows, verdict."""

import random
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from chaos.gaps import Gaps
from chaos.group import Group
from chaos.history import History
from chaos.judge import fetch_documents, judge
from chaos.load import Load
from chaos.namespaces import Namespaces
from chaos.nemeses import NEMESES, Nemesis
from chaos.scenario import Scenario
from chaos.timeline import Blow, Timeline, Watcher
from chaos.trial import Trial

#: Blows that hit everybody.
_EVERYBODY = frozenset({"kill_all", "slow_links", "lossy_links"})


@dataclass
class Outcome:
    scenario: Scenario
    seed: int
    #: A sentence for everything that went wrong; none is a pass.
    problems: list[str] = field(default_factory=list)
    #: Sentences about how it went.
    facts: list[str] = field(default_factory=list)
    timeline: Timeline = field(default_factory=Timeline)


def missing(scenario: Scenario) -> str | None:
    """Why this machine cannot run it."""
    if scenario.network == "namespaces" and (reason := Namespaces.missing()) is not None:
        return reason
    reasons = (NEMESES[name]().missing() for name in scenario.nemeses)
    return next((reason for reason in reasons if reason is not None), None)


def run(
    scenario: Scenario,
    folder: Path,
    *,
    seed: int | None = None,
    rounds: int | None = None,
    minutes: float | None = None,
) -> Outcome:
    if rounds is not None or minutes is not None:
        scenario = replace(scenario, rounds=rounds, minutes=minutes or 0.0)
    outcome = Outcome(scenario, scenario.seed if seed is None else seed)
    nemeses = {name: NEMESES[name]() for name in scenario.nemeses}
    network = Namespaces() if scenario.network == "namespaces" else None
    try:
        group = Group(
            folder,
            scenario.nodes,
            *scenario.flags,
            network=network,
            grounds=tuple(nemesis.ground for nemesis in nemeses.values()),
        )
        try:
            group.form()
            _run(outcome, group, nemeses)
        finally:
            group.close()
    finally:
        for nemesis in nemeses.values():
            nemesis.clear()
    return outcome


def _run(outcome: Outcome, group: Group, nemeses: dict[str, Nemesis]) -> None:
    scenario, timeline = outcome.scenario, outcome.timeline
    trial = Trial(group, History(), random.Random(outcome.seed))
    history = trial.history
    load = Load(
        *group.ports,
        history=history,
        producers=scenario.producers,
        workers=scenario.workers,
        seed=outcome.seed,
        pace_s=scenario.pace_s,
    )
    gaps, watcher = Gaps(group.ports), Watcher(group, history, timeline)
    timeline.nodes = list(group.servers)
    timeline.began_s = time.monotonic()
    for part in (load, gaps, watcher):
        part.start()
    try:
        _strike(outcome, trial, nemeses)
    except RuntimeError as error:  # A node that does not come up, a leader that is not elected.
        trial.problems.append(str(error))
    watcher.stop()
    gaps.stop()
    trial.problems += load.stop()
    timeline.ended_s, timeline.pauses = time.monotonic(), gaps.pauses
    print("the storm is over; everything is finished and compared")
    try:
        trial.problems += judge(group, history, timeline, scenario.skip or {})
    except (RuntimeError, OSError, AssertionError) as error:
        trial.problems.append(f"the end could not be judged: {error}")
    outcome.problems += trial.problems
    outcome.facts += [
        f"{len(history.accepted)} jobs accepted, {len(history.claims)} claims, {len(history.acked)} acked",
        f"{history.unknown} answers lost on the way",
        gaps.sentence(),
    ]


def _strike(outcome: Outcome, trial: Trial, nemeses: dict[str, Nemesis]) -> None:
    scenario, chance = outcome.scenario, trial.chance
    names, weights = list(scenario.nemeses), list(scenario.nemeses.values())
    end_s = outcome.timeline.began_s + scenario.minutes * 60
    number = 0
    while number < scenario.rounds if scenario.rounds is not None else time.monotonic() < end_s:
        number += 1
        time.sleep(chance.uniform(*scenario.calm_s))
        leader = trial.group.until_leading()
        is_leader = chance.random() < scenario.leader_share
        victim = leader if is_leader else chance.choice(sorted(trial.group.servers))
        (name,) = chance.choices(names, weights)
        begin_s = time.monotonic()
        accepted = list(trial.history.accepted) if scenario.look_every_round else []
        words = nemeses[name].strike(trial, victim)
        blow = Blow(begin_s, time.monotonic(), name, None if name in _EVERYBODY else victim, words)
        outcome.timeline.blows.append(blow)
        history = trial.history
        print(f"round {number}: {words}; {len(history.accepted)} accepted, {len(history.acked)} acked")
        if accepted:
            present = fetch_documents(trial.group.servers[victim].address, accepted)
            trial.problems += [
                f"round {number}: {job_id} was accepted and then vanished"
                for job_id in accepted
                if job_id not in present
            ]
