"""Scenarios: what is tried, written down in TOML, so that a seed and a name tell a whole story."""

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from chaos.nemeses import NEMESES

FOLDER = Path(__file__).parent / "scenarios"
NETWORKS = ("links", "namespaces")


class ScenarioProblem(Exception):
    """It cannot be read; the message says why."""


@dataclass(frozen=True)
class Scenario:
    name: str
    title: str
    #: What may happen, and how often compared with the others.
    nemeses: dict[str, float]
    about: str = ""
    seed: int = 1
    #: How long it takes if nobody says otherwise: a number of rounds, or else of minutes.
    rounds: int | None = None
    minutes: float = 1.0
    nodes: int = 3
    network: str = "links"
    #: Given to every node.
    flags: tuple[str, ...] = ()
    producers: int = 2
    workers: int = 3
    #: How long a producer rests after each request.
    pace_s: float = 0.0
    #: Between two rounds, in seconds: at least and at most.
    calm_s: tuple[float, float] = (0.3, 2.0)
    #: How often the leader is struck rather than anybody.
    leader_share: float = 0.6
    #: Whether everything accepted so far is looked for after every round.
    look_every_round: bool = False
    #: Checks that cannot hold here, each with the reason.
    skip: dict[str, str] | None = None


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str) -> Scenario:
    """By its name, or by the path of a file."""
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    try:
        with path.open("rb") as stream:
            found = tomllib.load(stream)
    except FileNotFoundError:
        raise ScenarioProblem(f"there is no scenario {name!r}; there are {', '.join(names())}") from None
    except tomllib.TOMLDecodeError as error:
        raise ScenarioProblem(f"{path}: {error}") from None
    return _build(path, found)


def _build(path: Path, found: dict[str, Any]) -> Scenario:
    unknown = found.keys() - {field.name for field in fields(Scenario)}
    unknown |= found.get("nemeses", {}).keys() - NEMESES.keys()
    if unknown:
        raise ScenarioProblem(f"{path}: nobody knows {', '.join(sorted(unknown))}")
    for needed in ("title", "nemeses"):
        if not found.get(needed):
            raise ScenarioProblem(f"{path} has no {needed}")
    if found.get("network", "links") not in NETWORKS:
        raise ScenarioProblem(f"{path}: a network is one of {', '.join(NETWORKS)}")
    for listed in ("flags", "calm_s"):
        if listed in found:
            found[listed] = tuple(found[listed])
    return Scenario(name=path.stem, **found)
