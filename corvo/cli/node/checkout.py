"""The commit of a git checkout, read from its files: to ask git would take longer than all the rest."""

import re
from pathlib import Path

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def commit_of(root: Path) -> str | None:
    """None if this is not our checkout, but an installed package or another project."""
    try:
        if 'name = "corvo-server"\n' not in (root / "pyproject.toml").read_text():
            return None
        git = _git_folder(root)
        head = (git / "HEAD").read_text().strip()
        found = _of_branch(_shared(git), head[5:]) if head.startswith("ref: ") else head
    except (OSError, UnicodeDecodeError):
        return None
    return found if _COMMIT.fullmatch(found) else None


def _git_folder(root: Path) -> Path:
    git = root / ".git"
    if git.is_dir():
        return git
    # A worktree has a file that names the folder.
    return root / git.read_text().strip().removeprefix("gitdir: ")


def _shared(git: Path) -> Path:
    """Where the branches of all worktrees are."""
    common = git / "commondir"
    return git / common.read_text().strip() if common.exists() else git


def _of_branch(git: Path, branch: str) -> str:
    loose = git / branch
    if loose.exists():
        return loose.read_text().strip()
    for line in (git / "packed-refs").read_text().splitlines():
        commit, _, name = line.partition(" ")
        if name == branch:
            return commit
    return ""
