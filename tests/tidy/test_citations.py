"""What a page or a comment cites is in the repository: files, sections, decisions. Nothing is cited that only
its authors have."""

import re
from pathlib import Path

from tests.tidy.test_packages import ROOT, TRACKED

TEXTS = [
    path
    for path in TRACKED
    if path.suffix in (".py", ".md", ".ts", ".tsx", ".mjs", ".sql", ".toml", ".yaml", ".yml")
    and path != Path(__file__)
]
PAGES = [path for path in TEXTS if path.suffix == ".md"]
#: Where a path in a text may begin, besides the folder of the text itself.
ROOTS = [
    ROOT / name for name in ("", "corvo", "corvo/http", "corvo/actors", "docs", "docs/reference", "ui/src")
]
ROOTS += [ROOT / "sdk/python/corvo_sdk", ROOT / "sdk/python", ROOT / "tests", ROOT / "ui"]

#: Papers that are not in the repository, by the names under which they were cited.
PAPERS = re.compile(
    r"\b(?:SPEC|HOUSE|STYLE|UX|SCALE|CONSENSUS)\.md|\b(?:SPEC|DESIGN|CONSENSUS) (?:section )?§?\d[\d.]*"
)
#: A path with a folder and a name we write by hand.
FILE = re.compile(r"(?<![\w./:@-])((?:[\w.-]+/)+[\w.-]+\.(?:py|md|sql|toml|tsx?|mjs|json|ya?ml))\b")
#: Paths of the user's own making, or of other programs, by how they begin.
ELSEWHERE = (
    *("/", "~", "data/", "app/", "myapp/", "etc/", "dev/", "node_modules/", "build/", "dist/", "corvo-"),
    # Made by `make ui`.
    "src/api/schema.d.ts",
    # Samples of a profiler.
    *("asyncio/", "hypercorn/", "json/", "corvo/fsm/a.py"),
)


def cited(text: str) -> set[str]:
    return {name for name in FILE.findall(text) if not name.startswith(ELSEWHERE) and ".." not in name}


def is_there(name: str, beside: Path) -> bool:
    return any((root / name).exists() for root in (beside.parent, *ROOTS))


def problems(path: Path) -> set[str]:
    text = path.read_text()
    decisions = set(re.findall(r"\bADR (\d+)", text))
    return (
        set(PAPERS.findall(text))
        | {name for name in cited(text) if not is_there(name, path)}
        | {f"ADR {n}" for n in decisions if not list(ROOT.glob(f"docs/adr/{int(n):04d}-*.md"))}
    )


def test_what_is_cited_is_here():
    found = {str(path.relative_to(ROOT)): problems(path) for path in TEXTS}
    assert {path: missing for path, missing in found.items() if missing} == {}


def anchors(page: Path) -> set[str]:
    """Headings as links name them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-"))
    return found


def broken_links(page: Path) -> list[str]:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        name, _, section = target.partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        path = (page.parent / name).resolve() if name else page
        if not path.exists() or (section and path.suffix == ".md" and section not in anchors(path)):
            broken.append(target)
    return broken


def test_links_lead_somewhere():
    found = {str(page.relative_to(ROOT)): broken_links(page) for page in PAGES}
    assert {page: broken for page, broken in found.items() if broken} == {}
