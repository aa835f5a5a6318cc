"""All pages by the name of their file."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from corvo.cli.reference.commands import cli_page
from corvo.cli.reference.errors import errors_page
from corvo.cli.reference.metrics import metrics_page
from corvo.cli.reference.permissions import permissions_page
from corvo.cli.reference.sample import sample_file
from corvo.cli.reference.settings import settings_page

PAGES: Final[dict[str, Callable[[], str]]] = {
    "cli.md": cli_page,
    "corvo.toml": sample_file,
    "errors.md": errors_page,
    "metrics.md": metrics_page,
    "permissions.md": permissions_page,
    "settings.md": settings_page,
}


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (folder / name).write_text(page())
