"""What a trial came to, for people: a page with a picture, and the nodes' logs if something went wrong."""

import shutil
from pathlib import Path

from chaos.picture import draw
from chaos.run import Outcome

FOLDER = Path("build/chaos")
_PROBLEMS_SHOWN = 50


def write(outcome: Outcome, logs: Path, folder: Path = FOLDER) -> Path:
    """The page's path."""
    place = folder / f"{outcome.scenario.name}-{outcome.seed}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "timeline.svg").write_text(draw(outcome.timeline))
    if outcome.problems:
        for log in sorted(logs.glob("*.log")):
            shutil.copy(log, place)
    page = place / "report.md"
    page.write_text("\n".join(_lines(outcome)) + "\n")
    return page


def _lines(outcome: Outcome) -> list[str]:
    scenario, timeline = outcome.scenario, outcome.timeline
    verdict = "PASS" if not outcome.problems else f"FAIL: {len(outcome.problems)} problems"
    return [
        f"# {scenario.title}: {verdict}",
        "",
        scenario.about.strip(),
        "",
        f"{scenario.nodes} nodes over {scenario.network}, seed {outcome.seed}, "
        f"{timeline.ended_s - timeline.began_s:.0f} s under load. Again: "
        f"`make chaos SCENARIO={scenario.name} SEED={outcome.seed}`",
        "",
        "![timeline](timeline.svg)",
        "",
        *(f"- {fact}" for fact in outcome.facts),
        *(f"- not checked: {name}, because {reason}" for name, reason in (scenario.skip or {}).items()),
        "",
        *_problems(outcome.problems),
        "## What was done",
        "",
        "| at | what |",
        "| ---: | --- |",
        *(f"| {blow.begin_s - timeline.began_s:.1f} s | {blow.words} |" for blow in timeline.blows),
    ]


def _problems(problems: list[str]) -> list[str]:
    if not problems:
        return []
    shown = [f"- {' '.join(problem.split())}" for problem in problems[:_PROBLEMS_SHOWN]]
    more = len(problems) - len(shown)
    return ["## What is wrong", "", *shown, *([f"- and {more} more"] if more else []), ""]
