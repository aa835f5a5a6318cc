"""`corvo version`: which Corvo this is, down to the commit where that can be known."""

import subprocess
from pathlib import Path

import pytest

from corvo import __version__
from corvo.cli.node.checkout import commit_of

HERE = Path(__file__).parents[2]


def git(folder, *words):
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "corvo"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\nname = "corvo-server"\n')
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "First")
    return folder


def test_version_is_told_in_every_form(nowhere):
    ran = nowhere("version")
    assert ran.out.startswith(f"corvo {__version__} (Python 3.")
    assert nowhere("version", "-o", "id").out == f"{__version__}\n"
    assert nowhere("--version").out == f"corvo {__version__}\n"
    found = nowhere("version", "-o", "json").json
    assert found.get("commit") == commit_of(HERE)
    if (HERE / ".git").exists():
        assert found["commit"] == git(HERE, "rev-parse", "HEAD")
    if "commit" in found:
        assert f", commit {found['commit'][:12]})" in ran.out


def test_the_commit_of_a_branch(checkout):
    assert commit_of(checkout) == git(checkout, "rev-parse", "HEAD")


def test_the_commit_of_a_packed_branch_and_of_none(checkout):
    git(checkout, "pack-refs", "--all")
    assert commit_of(checkout) == git(checkout, "rev-parse", "HEAD")
    git(checkout, "checkout", "-q", "--detach")
    assert commit_of(checkout) == git(checkout, "rev-parse", "HEAD")


def test_the_commit_of_a_worktree(checkout, tmp_path):
    git(checkout, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    git(tmp_path / "side", "commit", "-q", "--allow-empty", "-m", "Second")
    (tmp_path / "side" / "pyproject.toml").write_text('[project]\nname = "corvo-server"\n')
    assert commit_of(tmp_path / "side") == git(tmp_path / "side", "rev-parse", "HEAD")


def test_no_commit_where_none_can_be_known(checkout, tmp_path):
    assert commit_of(tmp_path) is None
    (checkout / ".git" / "HEAD").write_text("ref: refs/heads/none\n")
    assert commit_of(checkout) is None
    (checkout / ".git" / "HEAD").write_bytes(b"\xff")
    assert commit_of(checkout) is None


def test_the_commit_of_a_project_that_only_holds_a_copy_is_not_ours(checkout):
    (checkout / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    assert commit_of(checkout) is None
