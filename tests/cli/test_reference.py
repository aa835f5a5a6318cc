"""The reference pages say what the code says, and every command is in them."""

import importlib
import pkgutil
from pathlib import Path

import click
import pytest

import corvo
from corvo.cli.error_list import every_error
from corvo.cli.main import main
from corvo.cli.reference.pages import PAGES
from corvo.core.errors import REGISTRY

DOCS = Path(__file__).parents[2] / "docs/reference"


@pytest.mark.parametrize("name", PAGES)
def test_a_reference_page_is_up_to_date(name):
    assert (DOCS / name).read_text() == PAGES[name](), f"docs/reference/{name} is old: run `make docs`"


def test_every_error_of_the_whole_program_is_listed():
    # `corvo errors` must not load the server, so it has a list of modules; nothing may be missing in it.
    listed = {row["code"] for row in every_error()}
    for module in pkgutil.walk_packages(corvo.__path__, "corvo."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert listed == {code for code, error in REGISTRY.items() if error.__module__.startswith("corvo.")}


def commands(group, context, path=()):
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, click.Context(command, parent=context), (*path, name))


EVERY = dict(commands(main, click.Context(main)))


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_every_command_can_be_printed_from_and_explains_itself(path):
    command = EVERY[path]
    assert command.help
    options = {name for option in command.params for name in option.opts}
    for option in command.params:
        assert isinstance(option, click.Argument) or option.hidden or option.help, option.name
    leaves = not isinstance(command, click.Group)
    if leaves and path[0] not in ("serve", "dev", "completion", "help"):
        assert {"-o", "--output"} <= options


def test_the_lines_of_help_are_those_of_the_commands():
    """What `corvo --help` says without loading a command agrees with what the command says."""
    for heading, rows in main.sections.items():
        assert heading
        for name, (_, summary) in rows.items():
            assert summary.endswith("."), name
            assert (name,) in EVERY


@pytest.mark.slow
def test_errors_are_explained_in_the_terminal(nowhere):
    assert "Drop the job" in nowhere("errors", "lease_conflict").out
    assert nowhere("errors", "NOPE", code=5).out == ""
    assert {row["code"] for row in nowhere("errors", "-o", "json").json} == set(REGISTRY)
