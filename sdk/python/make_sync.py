"""Makes corvo_sdk/sync from corvo_sdk/aio, so that the two clients cannot drift apart.

python sdk/python/make_sync.py            write the files
python sdk/python/make_sync.py --check    fail if they are not what would be written
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent / "corvo_sdk"
_HEAD = "# Made from corvo_sdk/aio/{name} by make_sync.py: change that file, then run `make sdk`.\n"
#: Not made: threads wait for one another, and for sockets, in other ways than tasks do.
BY_HAND = ("channel.py", "pool.py", "reaching.py")
_RULES = (
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bcorvo_sdk\.aio\b", "corvo_sdk.sync"),
    (r"\bAsyncGenerator\[(\w+), None\]", r"Generator[\1, None, None]"),
    (r"\bAsync([A-Z]\w*)", r"\1"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\bAbstractAsyncContextManager\b", "AbstractContextManager"),
    (r"\basyncio\b", "time"),
    (r"\b__a(enter|exit)__", r"__\1__"),
    (r"\bhandle_async_request\b", "handle_request"),
    (r"\ba(close|read|iter_lines)\b", r"\1"),
)


def _sync(path: Path) -> str:
    text = path.read_text()
    for pattern, replacement in _RULES:
        text = re.sub(pattern, replacement, text)
    lines: list[str] = []
    for line in text.splitlines():
        # Both files may want to sleep and to know the time.
        if not (line == "import time" and line in lines):
            lines.append(line)
    return _formatted(_HEAD.format(name=path.name) + "\n".join(lines) + "\n")


def _formatted(text: str) -> str:
    ruff = [sys.executable, "-m", "ruff"]
    name = str(ROOT / "sync" / "made.py")
    for arguments in (["check", "--fix", "--select=I", "--quiet"], ["format", "--quiet"]):
        command = [*ruff, *arguments, "--stdin-filename", name, "-"]
        done = subprocess.run(  # noqa: S603 - our own formatter, on our own files
            command, input=text, capture_output=True, text=True, check=True
        )
        text = done.stdout
    return text


def made() -> dict[Path, str]:
    """Every file of the sync client that is made, and what it should hold."""
    sources = [source for source in sorted((ROOT / "aio").glob("*.py")) if source.name not in BY_HAND]
    texts = {ROOT / "sync" / source.name: _sync(source) for source in sources}
    head = _HEAD.format(name="__init__.py")
    texts[ROOT / "sync" / "__init__.py"] = f'{head}"""The blocking client."""\n'
    return texts


def main() -> int:
    stale = [path for path, text in made().items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        for path in stale:
            sys.stderr.write(f"{path} is not what aio/{path.name} makes: run `make sdk`\n")
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(made()[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
