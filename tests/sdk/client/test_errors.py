"""From an answer to the error it stands for. tests/model_walk/test_errors.py has every code."""

import pytest

from corvo_sdk import errors
from corvo_sdk.refusals import refusal_of


def test_an_answer_becomes_the_error_it_stands_for():
    error = refusal_of(429, {"code": "OVERLOADED", "error": "full", "retry_after_ms": 40, "hint": "wait"})
    assert type(error) is errors.Overloaded
    assert (error.status, error.retry_after_s, error.hint, str(error)) == (429, 0.04, "wait", "full")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.BadRequest),
        (404, errors.NotFound),
        (409, errors.Conflict),
        (418, errors.BadRequest),
        (500, errors.CorvoError),
        (502, errors.Unavailable),
        (503, errors.Unavailable),
    ],
)
def test_an_unknown_code_is_judged_by_its_status(status, kind):
    assert type(refusal_of(status, {"code": "FROM_THE_FUTURE"})) is kind


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, errors.Unauthorized),
        (403, errors.Forbidden),
        (404, errors.CorvoError),
        (405, errors.CorvoError),
        (407, errors.Unauthorized),
        (408, errors.Unavailable),
        (413, errors.BadRequest),
        (502, errors.Unavailable),
    ],
)
def test_an_answer_without_a_code_is_not_the_servers_and_says_nothing_of_jobs(status, kind):
    assert type(refusal_of(status, {})) is kind
