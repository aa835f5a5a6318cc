"""Getting the peers, each into a place of its own under build/peers, unless they are there already."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).parents[2] / "build" / "peers"
PROGRAMS = Path(__file__).parent / "programs"


class NotInstallable(Exception):
    """This peer cannot be had here; the message says why."""


def _run(*command: str, folder: Path | None = None, **environment: str) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        last = "\n".join(done.stdout.splitlines()[-5:])
        raise NotInstallable(f"`{' '.join(command)}` ended with {done.returncode}: {last}")


def debian(package: str, binary: str) -> str:
    """The path of a program of Debian's, installed if need be. Its service is not started."""
    found = shutil.which(binary) or _postgres(binary)
    if found:
        return found
    prefix = [] if os.geteuid() == 0 else ["sudo"]
    _run(*prefix, "apt-get", "install", "-y", "-qq", package, DEBIAN_FRONTEND="noninteractive", RUNLEVEL="1")
    found = shutil.which(binary) or _postgres(binary)
    if not found:
        raise NotInstallable(f"{package} has no {binary}")
    return found


def _postgres(binary: str) -> str | None:
    """Debian keeps them out of the way, by version."""
    newest = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{binary}"))
    return str(newest[-1]) if newest else None


def pypi(name: str, *requirements: str) -> Path:
    """The bin folder of a virtual environment with these in it."""
    venv = HOME / name / "venv"
    stamp = venv / ".installed"
    wanted = "\n".join(requirements)
    if not stamp.exists() or stamp.read_text() != wanted:
        if not (venv / "bin" / "pip").exists():
            _run(sys.executable, "-m", "venv", str(venv))
        _run(str(venv / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", *requirements)
        stamp.write_text(wanted)
    return venv / "bin"


def npm(*requirements: str) -> Path:
    """The folder that has these, and our programs beside them, because that is where Node looks."""
    folder = HOME / "node"
    folder.mkdir(parents=True, exist_ok=True)
    if not shutil.which("npm"):
        raise NotInstallable("there is no npm")
    stamp = folder / f".installed-{'-'.join(requirements).replace('/', '_')}"
    if not stamp.exists():
        _run("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", *requirements, folder=folder)
        stamp.touch()
    # Without it, Node would not take the programs for modules.
    _run("npm", "pkg", "set", "type=module", folder=folder)
    for program in PROGRAMS.glob("*.js"):
        shutil.copy(program, folder)
    return folder


def go(name: str, module: str, version: str, package: str) -> Path:
    """A program built from Go's module proxy."""
    folder = HOME / name
    binary = folder / "bin" / Path(package).name
    if not binary.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "go.mod").write_text(f"module peers\n\ngo 1.22\n\nrequire {module} {version}\n")
        (folder / "go.sum").unlink(missing_ok=True)
        _go_build(binary, package, folder)
    return binary


def go_program(name: str) -> Path:
    """One of our own, with the modules that its go.mod pins."""
    folder = HOME / "go"
    shutil.copytree(PROGRAMS / "go", folder, dirs_exist_ok=True)
    binary = folder / "bin" / name
    _go_build(binary, f"./{name}", folder)
    return binary


def go_pinned(module: str) -> str:
    """The version of it that our programs in Go are built with."""
    lines = (PROGRAMS / "go" / "go.mod").read_text().splitlines()
    return next(
        version for line in lines for name, _, version in [line.strip().partition(" v")] if name == module
    )


def _go_build(binary: Path, package: str, folder: Path) -> None:
    if not shutil.which("go"):
        raise NotInstallable("there is no go")
    # The folder lies in a work tree that has nothing to do with the program.
    _run("go", "build", "-buildvcs=false", "-o", str(binary), package, folder=folder, GOFLAGS="-mod=mod")
