"""Workers killed at random, a server restarted twice: the small edition of `make chaos-sdk`."""

import pytest

from chaos import sdk
from corvo_sdk.models.job import Job


@pytest.mark.slow
def test_jobs_survive_killed_workers_and_a_restarted_server(tmp_path):
    assert sdk.run(200, workers=2, seed=7, folder=tmp_path, seconds=100) == []


@pytest.mark.parametrize(
    ("job", "tokens", "sentence"),
    [
        (None, {}, "vanished"),
        (Job(id="j", queue="q", state="pending"), {}, "is pending"),
        (Job(id="j", queue="q", state="completed", result={"token": "9"}), {"8": 1}, "no worker wrote down"),
        (
            Job(id="j", queue="q", state="completed", result={"token": "8"}, lease_version=2),
            {"8": 1, "9": 2},
            "older lease",
        ),
    ],
)
def test_the_checks_can_fail(job, tokens, sentence):
    (problem,) = sdk._check_job("j", job, tokens)
    assert sentence in problem


def test_a_job_that_was_committed_by_its_last_lease_is_fine():
    job = Job(id="j", queue="q", state="completed", result={"token": "9"}, lease_version=2)
    assert list(sdk._check_job("j", job, {"8": 1, "9": 2})) == []
