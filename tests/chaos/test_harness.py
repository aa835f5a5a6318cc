"""The harness itself: its scenarios can be read, its checkers see, its report shows."""

import xml.etree.ElementTree as ET

import pytest

from chaos import report
from chaos.checkers import ALL, one_leader_per_term
from chaos.history import Claim, History
from chaos.nemeses import NEMESES
from chaos.run import Outcome
from chaos.scenario import Scenario, ScenarioProblem, load, names
from chaos.timeline import Blow, Look, Timeline


@pytest.mark.parametrize("name", names())
def test_every_scenario_says_what_it_is_and_names_what_there_is(name):
    scenario = load(name)
    assert scenario.title
    assert scenario.about
    assert scenario.nemeses.keys() <= NEMESES.keys()
    assert (scenario.skip or {}).keys() <= ALL.keys()


def test_every_nemesis_has_its_scenario():
    assert {name for scenario in names() for name in load(scenario).nemeses} == NEMESES.keys()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('title = "t"\n[nemeses]\nflood = 1', "nobody knows flood"),
        ('title = "t"\nnemesis = 1', "nobody knows nemesis"),
        ('title = "t"', "has no nemeses"),
        ('title = "t"\nnetwork = "pigeons"\n[nemeses]\nkill = 1', "links, namespaces"),
        ("title", "after a key"),
    ],
)
def test_a_scenario_that_makes_no_sense_is_refused_in_a_sentence(tmp_path, text, words):
    file = tmp_path / "s.toml"
    file.write_text(text)
    with pytest.raises(ScenarioProblem, match=words):
        load(str(file))


def test_each_checker_sees_what_it_is_for():
    history = History()
    history.accept("lost")
    history.ack("undone", "t1")
    history.claims += [
        Claim(0.0, "shared", "t1", 1, until_s=10.0),
        Claim(5.0, "shared", "t2", 2, until_s=15.0),
        Claim(20.0, "other", "t2", 1, until_s=30.0),
    ]
    documents = {"undone": {"state": "pending"}}
    found = {name: list(check(history, documents)) for name, check in ALL.items()}
    assert found == {
        "no_lost_job": ["lost was accepted and then vanished"],
        "acked_is_final": ["undone was acknowledged but is pending"],
        "one_lease_at_a_time": ["shared was handed out again 5.0 s before its lease was over"],
        "tokens_never_repeat": ["token t2 was given for shared and for other"],
    }
    looks = [Look(0.0, 0, 0, {"n1": 3}), Look(1.0, 0, 0, {"n1": 3, "n2": 4}), Look(2.0, 0, 0, {"n3": 4})]
    assert list(one_leader_per_term.check(looks)) == ["n2 and n3 both said that they lead in term 4"]


def test_a_report_tells_the_story_and_its_picture_is_sound(tmp_path):
    timeline = Timeline(began_s=100.0, ended_s=160.0, nodes=["n1", "n2"])
    timeline.blows = [
        Blow(110.0, 112.0, "kill", "n1", "killed n1 <at last>"),
        Blow(130.0, 140.0, "kill_all", None, "killed all"),
    ]
    timeline.looks = [Look(100.0 + n, n * 10, n * 5, {"n2": 2}) for n in range(60)]
    timeline.pauses = [(110.5, 111.5)]
    scenario = Scenario("trial", "A trial", {"kill": 1}, skip={"one_lease_at_a_time": "of the clock"})
    outcome = Outcome(scenario, 7, ["n1 lost its head"], ["10 jobs accepted"], timeline)
    (tmp_path / "n1.log").write_text("last words")

    page = report.write(outcome, tmp_path, tmp_path / "build")

    text = page.read_text()
    assert "# A trial: FAIL: 1 problems" in text
    for part in (
        "n1 lost its head",
        "| 10.0 s | killed n1 <at last> |",
        "SEED=7",
        "of the clock",
        "10 jobs accepted",
    ):
        assert part in text
    assert (page.parent / "n1.log").read_text() == "last words"
    drawn = ET.parse(page.parent / "timeline.svg").getroot()
    bars = [rect for rect in drawn.iter("{http://www.w3.org/2000/svg}rect") if rect.get("rx") == "2"]
    assert len(bars) == 1 + 2 + 2  # One blow to one, one to two, and the legend.
