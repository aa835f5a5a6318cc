"""Ids on stdin, in whatever form they come."""

import json

import pytest

from corvo.cli.input.ids import parse
from corvo.cli.problems import Misused

IDS = ["job_01A", "s01_job_01B", "job_01C"]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(IDS),
        "\r\n".join(IDS) + "\r\n\n",
        "ID   QUEUE\n" + "\n".join(f"{job_id}  q  dead" for job_id in IDS),
        json.dumps(IDS),
        json.dumps([{"id": job_id, "queue": "q"} for job_id in IDS], indent=2),
        "\n".join(json.dumps({"id": job_id}) for job_id in IDS),
        "\n".join(json.dumps({"id": job_id}, indent=2) for job_id in IDS),
        json.dumps({"jobs": [{"id": job_id} for job_id in IDS], "total": 3}),
        json.dumps({"job_ids": IDS}),
        "\n".join(json.dumps({"job_id": job_id, "status": "pending"}) for job_id in IDS),
    ],
)
def test_ids_are_found(text):
    assert parse(text) == IDS


@pytest.mark.parametrize("text", ["hello", "job_1 ok\nnope", "[1]", '{"queue":"q"}', '["job_1",', "[[{}]]"])
def test_what_holds_no_ids_is_refused(text):
    with pytest.raises(Misused):
        parse(text)


def test_nothing_is_no_ids():
    assert parse(" \n") == []
    assert parse("[]") == []
