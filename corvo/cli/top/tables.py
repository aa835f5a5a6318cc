"""The tables of `corvo top`: which columns, and what a row is known by."""

from collections.abc import Callable
from typing import Any, NamedTuple

from corvo.cli.commands.jobs import inspect, search
from corvo.cli.commands.queues import queues, workers
from corvo.cli.commands.server import cluster
from corvo.cli.output.output import Output
from corvo.cli.output.table import Column
from corvo.cli.top.model import Model

Row = dict[str, Any]


class Table(NamedTuple):
    name: str
    columns: list[Column]
    rows: Callable[[Model, str], list[Row]]
    #: The member that tells a row from the others.
    key: str


TABLES = (
    Table("queues", queues.COLUMNS, Model.queue_rows, "name"),
    Table("jobs", search.COLUMNS, Model.job_rows, "id"),
    Table("workers", workers.COLUMNS, Model.worker_rows, "id"),
    Table("cluster", cluster.NODES, Model.node_rows, "id"),
    Table("events", inspect.EVENT_COLUMNS, Model.event_rows, "seq"),
)
BY_NAME = {table.name: table for table in TABLES}


def cells(table: Table, row: Row, model: Model, out: Output) -> list[str]:
    found = [out.cell(column, row) for column in table.columns]
    if table.name == "queues":
        found.append(model.spark(row["name"]))
    return found


def titles(table: Table) -> list[str]:
    found = [column.title for column in table.columns]
    return [*found, "COMPLETED/S"] if table.name == "queues" else found
