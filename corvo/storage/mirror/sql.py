"""SQL lives in .sql files, where every statement has a name and a reason; this reads them.

-- name_of_the_query --
-- Why it is the way it is.
SELECT ...;
"""

import re
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_NAME = re.compile(r"^-- (\w+) --$", re.MULTILINE)


@cache
def script(name: str) -> str:
    """A whole file, for `executescript`."""
    return (_HERE / name).read_text()


def statements(name: str) -> list[str]:
    """The statements of a file that has no triggers in it, one by one."""
    lines = [line for line in script(name).splitlines() if not line.startswith("--")]
    return [statement.strip() for statement in "\n".join(lines).split(";") if statement.strip()]


@cache
def queries() -> dict[str, str]:
    """The named statements of queries.sql."""
    _, *parts = _NAME.split(script("queries.sql"))
    return {name: text.strip().rstrip(";") for name, text in zip(parts[::2], parts[1::2], strict=True)}
