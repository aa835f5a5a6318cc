"""Every error code says what it means and what to do wherever people meet it: reference, SDK, UI."""

import re
from pathlib import Path

import pytest

from corvo.cli.error_list import every_error
from corvo.cli.reference.markdown import anchor, sentences
from corvo.core.errors import REGISTRY
from corvo.http.api.table import routes
from corvo_sdk import errors as sdk

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/errors.md").read_text()
CODES = [row["code"] for row in every_error()]

#: Codes of the server without a class in the SDK, and why.
NOT_IN_THE_SDK = {
    "CONFIG_ERROR": "printed by `corvo serve` when it starts; no client is answered with it",
}
#: Classes of the SDK for codes that this server does not answer, and why they are there.
ONLY_IN_THE_SDK = {
    "BUDGET_EXCEEDED": "kept for budgets, which the server does not have yet",
    "FORWARD_LOOP": "other servers that speak this API answer it",
    "REPLAY_ERROR": "other servers that speak this API answer it",
}


@pytest.mark.parametrize("code", CODES)
def test_an_error_says_what_it_means_and_what_to_do(code):
    meaning, *remedy = sentences(REGISTRY[code].hint())
    assert meaning.endswith(".")
    assert remedy, f"{code}: add a sentence that says what the client can do"
    assert all(sentence.endswith(".") for sentence in remedy)


@pytest.mark.parametrize("code", CODES)
def test_an_error_has_a_row_and_a_section_in_the_reference(code):
    error = REGISTRY[code]
    retry = "yes" if error.retryable else ""
    (row,) = re.findall(rf"^\| \[`{code}`\].*$", PAGE, re.MULTILINE)
    assert row.startswith(f"| [`{code}`](#{anchor(code)}) | {error.status} | {retry} | ")
    section = PAGE.split(f"\n### {code}\n")[1].split("\n#")[0]
    assert f"Status {error.status}." in section
    said = " ".join(section.replace("*", "").replace("`", "").split())
    assert error.hint().replace("`", "") in said
    assert "From " in section


def test_every_route_is_in_the_reference_with_its_codes():
    table = PAGE.split("\n## By route\n")[1]
    for route in routes():
        (row,) = re.findall(rf"^\| `{route.method} {re.escape(route.path)}` \|.*$", table, re.MULTILINE)
        for error in route.errors:
            assert f"`{error.code}`" in row or "*writes*" in row, (route.path, error.code)


@pytest.mark.parametrize("code", CODES)
def test_an_error_has_a_class_in_the_sdk_that_judges_it_alike(code):
    kind = sdk.BY_CODE.get(code)
    if code in NOT_IN_THE_SDK:
        assert kind is None
        return
    assert kind is not None, f"add a class for {code} to corvo_sdk/errors.py"
    assert kind.retryable == REGISTRY[code].retryable
    assert kind.__doc__


def test_classes_of_the_sdk_that_no_answer_needs_are_known():
    assert sdk.BY_CODE.keys() - set(CODES) == ONLY_IN_THE_SDK.keys()


def test_the_ui_shows_the_servers_own_words_for_every_code():
    """Code, sentence and hint are shown as they came. Texts by code would have to be there for every code."""
    shown = (ROOT / "ui/src/ui/Empty.tsx").read_text()
    assert all(
        f"known.{member}" in shown or f"known?.{member}" in shown for member in ("message", "hint", "code")
    )
    by_code = {
        (path.name, code)
        for path in (ROOT / "ui/src").rglob("*.ts*")
        for code in re.findall(r'"([A-Z]{3,}(?:_[A-Z]+)+)"', path.read_text())
        if code in CODES
    }
    assert by_code == set()
