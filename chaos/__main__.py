"""Run a scenario, and write a report of it into build/chaos.

    python -m chaos crash-cluster --rounds 60
    python -m chaos --list

Exit code 0: everything held. 1: something did not. 3: this machine cannot run it.
"""

import argparse
import dataclasses
import sys
import tempfile
from pathlib import Path

from chaos import report
from chaos.run import missing, run
from chaos.scenario import Scenario, ScenarioProblem, load, names

_NOT_HERE = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("scenario", nargs="?", help="a name from --list, or the path of a TOML file")
    parser.add_argument("--rounds", type=int, help="end after so many blows")
    parser.add_argument("--minutes", type=float, help="end after so long")
    parser.add_argument("--seed", type=int, help="what chance depends on; the scenario has one of its own")
    parser.add_argument("--nemeses", help="only these, separated by commas")
    parser.add_argument("--list", action="store_true", help="show the scenarios there are")
    arguments = parser.parse_args()
    if arguments.list or not arguments.scenario:
        for name in names():
            print(f"{name:20} {load(name).title}")
        return
    try:
        scenario = load(arguments.scenario)
    except ScenarioProblem as problem:
        sys.exit(str(problem))
    if arguments.nemeses:
        scenario = dataclasses.replace(scenario, nemeses=dict.fromkeys(arguments.nemeses.split(","), 1.0))
    reason = missing(scenario)
    if reason is not None:
        print(f"{scenario.name} cannot run here: {reason}")
        sys.exit(_NOT_HERE)
    sys.exit(_run(scenario, arguments))


def _run(scenario: Scenario, arguments: argparse.Namespace) -> int:
    seed = scenario.seed if arguments.seed is None else arguments.seed
    print(f"{scenario.title}, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="corvo-chaos-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        outcome = run(scenario, folder, seed=seed, rounds=arguments.rounds, minutes=arguments.minutes)
        page = report.write(outcome, folder)
    for fact in outcome.facts:
        print(fact)
    for problem in outcome.problems[:50]:
        print(problem)
    print(f"report: {page}")
    print("PASS" if not outcome.problems else f"FAIL: {len(outcome.problems)} problems (seed {seed})")
    return bool(outcome.problems)


if __name__ == "__main__":
    main()
