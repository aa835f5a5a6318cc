"""Every node's search shows the same jobs. (Whether it shows what its store holds, `corvo doctor` says.)"""

from collections.abc import Iterator
from typing import Any

from chaos.group import Group
from chaos.process import Client, Server

#: Jobs looked at, newest first: what was written last is what a mirror may have missed.
_PAGES, _PAGE_JOBS = 5, 1_000


def check(group: Group) -> Iterator[str]:
    shown = {node_id: _shown(server) for node_id, server in group.servers.items()}
    (first, expected), *others = shown.items()
    for node_id, found in others:
        differing = {
            job_id for job_id in expected.keys() | found.keys() if expected.get(job_id) != found.get(job_id)
        }
        if differing:
            example = min(differing)
            yield (
                f"the searches of {first} and {node_id} differ in {len(differing)} jobs, such as {example}: "
                f"{expected.get(example)} and {found.get(example)}"
            )


def _shown(server: Server) -> dict[str, Any]:
    jobs: dict[str, Any] = {}
    request: dict[str, Any] = {"limit": _PAGE_JOBS}
    with Client(server.address) as client:
        for _ in range(_PAGES):
            status, body = client.call("POST", "/api/v1/jobs/search", request)
            assert status == 200, body
            jobs |= {job["id"]: job for job in body["jobs"]}
            if not body.get("cursor"):
                break
            request["cursor"] = body["cursor"]
    return jobs
