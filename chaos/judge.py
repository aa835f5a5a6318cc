"""The verdict: when the storm is over everything is finished, looked at from all sides, and compared."""

import re

from chaos.checkers import ALL, mirrors_equal, one_leader_per_term, replicas_equal
from chaos.checkers.no_lost_job import Documents
from chaos.group import Group
from chaos.history import History
from chaos.load import drain
from chaos.process import Address, Client
from chaos.timeline import Timeline

_IDS_PER_CALL = 1_000


def judge(group: Group, history: History, timeline: Timeline, skip: dict[str, str]) -> list[str]:
    """Sentences about everything that is not as it must be. The nodes have ended afterwards."""
    problems = list(one_leader_per_term.check(timeline.looks))
    group.links.heal()
    group.start_all()
    group.until_leading()
    if not drain(history, *group.ports):
        problems.append("jobs were left over that nobody could finish")
    group.until_level()
    views: dict[str, Documents] = {}
    for node_id, server in group.servers.items():
        views[node_id] = fetch_documents(server.address, list(history.accepted))
        for name, check in ALL.items():
            if name not in skip:
                problems += [f"on {node_id}: {sentence}" for sentence in check(history, views[node_id])]
    if len({str(sorted(view.items())) for view in views.values()}) != 1:
        problems.append("the nodes show different jobs")
    for server in group.servers.values():
        code, words = server.doctor()
        if code != 0:
            problems.append(f"corvo doctor on running {server.data_dir.name}: {words}")
    problems += mirrors_equal.check(group)
    group.until_level()
    # All end at once: who is asked to stop one after the other elects leaders meanwhile, and those write.
    group.until(lambda: _all_stored(group), "all nodes have stored the same")
    for server in group.servers.values():
        server.kill()
    problems += replicas_equal.check(group)
    return problems


def _all_stored(group: Group) -> bool:
    """What is applied reaches the disk a moment later; the doctor looks at what has."""
    said = [re.search(r"checked at entry (\d+)", server.doctor()[1]) for server in group.servers.values()]
    entries = [int(found[1]) for found in said if found is not None]
    applied = [
        int(body["applied_index"]) for node in group.servers if (body := group.status(node)) is not None
    ]
    return len(entries) == len(applied) == len(group.servers) and len({*entries, *applied}) == 1


def fetch_documents(address: Address, job_ids: list[str]) -> Documents:
    documents: Documents = {}
    with Client(address) as client:
        for start in range(0, len(job_ids), _IDS_PER_CALL):
            chunk = job_ids[start : start + _IDS_PER_CALL]
            status, body = client.call("POST", "/api/v1/jobs/bulk-get", {"job_ids": chunk})
            assert status == 200, body
            documents |= {job["id"]: job for job in body["jobs"]}
    return documents
