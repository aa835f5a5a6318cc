"""Every setting is described, can be found in the reference, and does something."""

import ast
import re
from pathlib import Path

import pytest

from corvo.actors.cluster import shared_settings
from corvo.cli.reference.settings import spelled, subjects
from corvo.config import Config, Setting, load, settings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/settings.md").read_text()
SAMPLE = (ROOT / "docs/reference/corvo.toml").read_text()
EVERY = settings()

#: Settings that nothing reads by name, and why.
READ_ELSEWHERE = {
    "trusted_proxies": "read by Config.proxy_networks, which the rate limiter calls",
    "allowed_hosts": "read by Config.host_names, which the browser guard calls",
    "cors_origin": "read by Config.origins, which the browser guard and the headers of answers call",
}


def names_read() -> set[str]:
    """Settings that some module reads from a `config`, by attribute."""
    found = set()
    for path in (ROOT / "corvo").rglob("*.py"):
        if path == ROOT / "corvo/config.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                owner = node.value
                name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
                if name in ("config", "_config"):
                    found.add(node.attr)
    return found


def test_every_setting_is_read_by_the_server_or_it_is_said_why_not():
    unread = {setting.name for setting in EVERY} - names_read()
    assert unread == READ_ELSEWHERE.keys()


@pytest.mark.parametrize("setting", EVERY, ids=lambda setting: setting.name)
def test_a_setting_is_described_by_sentences(setting: Setting):
    assert re.fullmatch(r"[A-Z].*[^\s.]\.", setting.help), setting.help
    assert len(setting.help.split()) >= 4
    if setting.type is int and setting.name.endswith(("_size", "_bytes")):
        assert "bytes" in setting.help.lower()
    if setting.name.endswith("_us"):
        assert "microseconds" in setting.help


@pytest.mark.parametrize("setting", EVERY, ids=lambda setting: setting.name)
def test_a_setting_has_one_row_in_the_reference(setting: Setting):
    (row,) = re.findall(rf"^\| `{setting.flag}`<br>.*$", PAGE, re.MULTILINE)
    _, names, value, default, shared, text, _ = re.split(r" ?(?<!\\)\| ?", row)
    assert names == f"`{setting.flag}`<br>`{setting.variable}`<br>`{setting.name}`"
    assert value
    assert default.startswith(f"`{spelled(setting)}`" if setting.default != "" else "empty")
    assert shared == ("yes" if setting.name in shared_settings.SETTINGS else "")
    assert len(text) >= len(setting.help)


def test_settings_that_nodes_share_exist():
    assert set(shared_settings.SETTINGS) <= {setting.name for setting in EVERY}


def test_every_setting_has_one_subject():
    grouped = [setting.name for _, group in subjects() for setting in group]
    assert grouped == [setting.name for setting in EVERY]


def test_the_sample_is_a_file_that_changes_nothing_as_it_is(tmp_path):
    file = tmp_path / "corvo.toml"
    file.write_text(SAMPLE)
    assert load({}, {}, file) == (Config(), [])


def test_the_sample_names_every_setting_at_its_default(tmp_path):
    file = tmp_path / "corvo.toml"
    text, count = re.subn(r"^#(?=[a-z_]+ = )", "", SAMPLE, flags=re.MULTILINE)
    file.write_text(text)
    assert load({}, {}, file) == (Config(), [])
    assert count == len(EVERY)
    assert re.findall(r"^([a-z_]+) = ", text, re.MULTILINE) == [setting.name for setting in EVERY]
