"""Every metric that a node answers is explained, is in the reference, and is named as Prometheus likes it."""

import re
from pathlib import Path

import pytest

from corvo.cli.reference.metrics import exposed, labels_of, name_of, subject, unit_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/metrics.md").read_text()

#: Names that Prometheus would spell otherwise, and why they stay.
SPELLED_OTHERWISE = {
    "corvo_process_gc_pause_ns": "boards of operators know it; its unit is abbreviated",
}


@pytest.fixture(scope="module")
def metrics():
    return exposed()


def test_every_metric_is_explained_by_a_sentence(metrics):
    for metric in metrics:
        text = metric.documentation
        assert re.fullmatch(r"[A-Z1].*[a-z0-9A-Z]\.", text), f"{metric.name}: {text}"
        assert len(text.split()) >= 3, f"{metric.name}: {text}"
    texts = [metric.documentation for metric in metrics]
    assert len(set(texts)) == len(texts), "two metrics have the same explanation"


def test_a_metric_with_a_unit_says_it_in_words(metrics):
    for metric in metrics:
        unit = unit_of(metric)
        assert unit in metric.documentation.lower(), f"{metric.name}: {metric.documentation}"


def test_names_end_as_their_type_asks(metrics):
    for metric in metrics:
        assert metric.type in ("counter", "gauge", "histogram")
        if metric.type == "gauge":
            assert not metric.name.endswith(("_total", "_count", "_sum", "_bucket")), metric.name
        if metric.name.endswith(("_ms", "_ns", "_us", "_kb", "_mb")):
            assert metric.name in SPELLED_OTHERWISE


def test_every_metric_has_one_row_in_the_reference(metrics):
    for metric in metrics:
        (row,) = re.findall(rf"^\| `{name_of(metric)}` .*$", PAGE, re.MULTILINE)
        _, _, kind, labels, unit, text, _ = re.split(r" ?(?<!\\)\| ?", row)
        assert (kind, unit) == (metric.type, unit_of(metric))
        assert re.findall(r"`(\w+)`", labels) == labels_of(metric)
        assert text.replace("`", "") == metric.documentation
        assert f"\n## {subject(metric)}\n" in PAGE


def test_metrics_named_anywhere_exist(metrics):
    """Boards, pages and tests must not rely on a name that has gone."""
    known = {name_of(metric) for metric in metrics}
    known |= {f"{metric.name}_{part}" for metric in metrics for part in ("bucket", "sum", "count")}
    # The beginning of a family, as in `corvo_scheduler_*`.
    prefixes = {name[:at] for name in known for at in range(len("corvo_"), len(name))}
    named = re.compile(r"\bcorvo_(?:throughput|queues?|jobs|http|raft|cluster|process|sqlite)_?[a-z_]*\b")
    unknown = {
        (str(path.relative_to(ROOT)), name)
        for top in ("docs", "deploy", "chaos", "bench", "tests", "ui/src", "corvo")
        for path in (ROOT / top).rglob("*")
        if path.suffix in (".md", ".py", ".yml", ".yaml", ".json", ".ts", ".tsx", ".toml")
        for name in named.findall(path.read_text())
        if name not in known and name not in prefixes
    }
    assert unknown == set()
