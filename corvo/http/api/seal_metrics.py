"""Metrics of sealed values: what a node has sealed and opened, and what it could not open."""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from corvo.core.sealing.keyring import SealTally


def render(tally: SealTally) -> bytes:
    """In the text format of Prometheus, to be put behind the other metrics of the node."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Seals(tally))
    return generate_latest(registry)


class _Seals(Collector):
    def __init__(self, tally: SealTally) -> None:
        self._tally = tally

    def collect(self) -> Iterable[Metric]:
        tally = self._tally
        yield CounterMetricFamily(
            "corvo_values_sealed", "Values that this node sealed since it started.", value=tally.sealed
        )
        yield CounterMetricFamily(
            "corvo_values_opened", "Sealed values that this node opened since it started.", value=tally.opened
        )
        missing = CounterMetricFamily(
            "corvo_seal_keys_missing",
            "Sealed values that this node could not open because it lacks the key named.",
            labels=["key"],
        )
        for key_id, count in tally.missing.items():
            missing.add_metric([key_id], count)
        yield missing
        yield CounterMetricFamily(
            "corvo_values_damaged",
            "Sealed values that were changed outside of the server, or put where they do not belong.",
            value=tally.damaged,
        )
