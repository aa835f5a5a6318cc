"""Jobs, searches and jq expressions drawn from a seed, so alike that a search hits some jobs but not all."""

import json
import random

from corvo.core.job import Flow, Job, Lease, Unique, UniqueUntil
from corvo.core.namespace import ANYWHERE, DEFAULT, Reach, qualified
from corvo.core.priority import Priority
from corvo.core.states import JobState
from corvo.storage.mirror.search.query import Range, Sort

#: "q" is there in three namespaces.
QUEUES = ["q", "q", "r", qualified("ns", "q"), qualified("ns", "s"), qualified("n", "q")]
REACHES = [
    *(Reach(name) for name in ("ns", "n", "none", DEFAULT)),
    *(Reach(name, ("q",)) for name in ("ns", "*", DEFAULT)),
    *(Reach(name, ("*s", "r*", "[qs]", "?")) for name in ("ns", "*", DEFAULT)),
    ANYWHERE,
]
TEXTS = ["", "a", "A", "b", "ab", "a%", "_", "é", "x y", '"', "\\", "1", "true"]
KEYS = ["a", "b", "c d", "é", "", "\n"]
NUMBERS = [0, 1, -1, 2, 0.5, 1.0, 1e300, 2**53, 2**53 + 1, 2**63, 2**64]
OPERATORS = ["==", "!=", ">", ">=", "<", "<="]


class Draw(random.Random):
    def maybe(self, *values):
        """Half of the time nothing, else one of these."""
        return self.choice(values) if self.random() < 0.5 else None

    # Payloads

    def document(self, depth=0):
        kind = self.randrange(10 if depth < 3 else 6)
        if kind < 2:
            return self.choice([None, True, False])
        if kind < 4:
            return self.choice(NUMBERS)
        if kind < 6:
            return self.choice(TEXTS)
        if kind < 8:
            return [self.document(depth + 1) for _ in range(self.randrange(4))]
        return {self.choice(KEYS): self.document(depth + 1) for _ in range(self.randrange(4))}

    def payload(self):
        """An object, spelled one way or another."""
        document = {key: self.document(1) for key in KEYS if self.random() < 0.6}
        return json.dumps(document, ensure_ascii=self.random() < 0.5).encode()

    # Jobs

    def jobs(self, count=12):
        """Jobs with the texts of their errors, oldest first."""
        return [self._job(created_ns) for created_ns in sorted(self.sample(range(1, 21), count))]

    def _job(self, created_ns):
        state = self.choice(list(JobState))
        key = self.maybe("u", "v")
        errors = [self.choice(TEXTS) for _ in range(self.choice([0, 0, 1, 2]))]
        job = Job(
            id=f"job_{self.choice('AB')}{created_ns:02}",
            queue=self.choice(QUEUES),
            state=state,
            priority=self.choice(list(Priority)),
            payload=self.payload(),
            created_ns=created_ns,
            order_ns=created_ns,
            attempt=self.randrange(3),
            unique=None if key is None else Unique(key, 60, UniqueUntil.SUCCESS),
            tags=self.maybe({self.choice(TEXTS): self.choice(TEXTS) for _ in range(3)}),
            lease=Lease(1, 1, 1, self.choice(["w1", "w2"]), "h") if state is JobState.ACTIVE else None,
            scheduled_ns=self.maybe(*range(12)),
            expire_ns=self.maybe(*range(12)),
            started_ns=self.maybe(*range(12)),
            completed_ns=self.maybe(*range(12)),
            failed_ns=self.maybe(*range(12)),
            error_count=len(errors),
            parent_id=self.maybe("job_A01"),
            group=self.maybe(self.choice(["nightly", "weekly"])),
            flow=self.maybe(Flow(batch_id=self.maybe("b"), chain_id=self.maybe("c"))),
        )
        return job, errors

    # Searches

    def search(self, population):
        """Members of a Query: a few filters that some job passes, and an order."""
        members = {"sort": self.choice(list(Sort)), "descending": self.random() < 0.5}
        makers = {
            "queue": lambda job, _: job.queue,
            "reach": lambda job, _: self.choice(REACHES),
            "states": lambda job, _: tuple(
                sorted({job.state, *self.sample(list(JobState), self.randrange(4))})
            ),
            "priority": lambda job, _: job.priority,
            "tags": lambda job, _: dict(list((job.tags or {"a": "b"}).items())[: self.randrange(1, 3)]),
            "payload_contains": lambda job, _: self.choice([*TEXTS, '"a": ', "[", "null"]),
            "payload_jq": lambda job, _: self.expression(json.loads(job.payload)),
            "created": lambda job, _: self._range(20),
            "scheduled": lambda job, _: self._range(12),
            "started": lambda job, _: self._range(12),
            "completed": lambda job, _: self._range(12),
            "expire": lambda job, _: self._range(12),
            "attempt_min": lambda job, _: self.randrange(3),
            "attempt_max": lambda job, _: self.randrange(3),
            "unique_key": lambda job, _: self.choice(["u", "v", "w"]),
            "batch_id": lambda job, _: self.choice(["b", "b", "x"]),
            "chain_id": lambda job, _: self.choice(["c", "c", "x"]),
            "worker_id": lambda job, _: self.choice(["w1", "w2", "w3"]),
            "parent_id": lambda job, _: self.choice(["job_A01", "job_A01", "x"]),
            "group": lambda job, _: self.choice(["nightly", "weekly", "x"]),
            "job_id_suffix": lambda job, _: self.choice([job.id[-1:], job.id[-3:], "x"]),
            "has_errors": lambda job, _: self.random() < 0.5,
            "error_contains": lambda job, errors: self.choice([*errors, *TEXTS]),
            "job_id_prefix": lambda job, _: job.id[: self.randrange(3, 8)],
        }
        job, errors = self.choice(population)
        for name in self.sample(sorted(makers), self.choice([0, 1, 1, 1, 2, 2, 3])):
            members[name] = makers[name](job, errors)
        return members

    def _range(self, end):
        return Range(self.maybe(*range(end)), self.maybe(*range(end)))

    # Expressions

    def expression(self, document):
        """Most of the time about something that is in the document, and often true of it."""
        return " and ".join(self._term(document) for _ in range(self.choice([1, 1, 2])))

    def _term(self, document):
        path, value = self._path(document)
        kind = self.randrange(6)
        if kind == 0:
            return f"{path} {self.choice(['==', '!='])} null"
        if kind == 1:
            part = value[: self.randrange(1, 3)] if isinstance(value, str) else self.choice(TEXTS)
            return f"{path} | startswith({json.dumps(part)})"
        if kind == 2:
            texts = (
                [element for element in value if isinstance(element, str)] if isinstance(value, list) else []
            )
            text = self.choice([*texts, *([value] if isinstance(value, str) else []), self.choice(TEXTS)])
            return f"{path} | contains({json.dumps(text)})"
        if kind == 3:
            return f"{path} | length {self.choice(OPERATORS)} {self.choice([0, 1, 2, 1.5])}"
        literals = [value] if isinstance(value, bool | int | float | str) else []
        literal = self.choice([*literals * 3, self.choice(NUMBERS), self.choice(TEXTS), True, False])
        return f"{path} {self.choice(OPERATORS)} {json.dumps(literal)}"

    def _path(self, document):
        path, value = ".", document
        for depth in range(self.choice([1, 1, 2, 3])):
            if isinstance(value, list) and depth:
                step = self.randrange(3)
                path, value = f"{path}[{step}]", value[step] if step < len(value) else None
            else:
                key = self.choice([*value, self.choice(KEYS)] if isinstance(value, dict) else KEYS)
                path += ("." if depth else "") + (key if key in ("a", "b") else json.dumps(key))
                value = value.get(key) if isinstance(value, dict) else None
        return path, value
