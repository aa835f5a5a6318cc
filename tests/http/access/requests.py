"""The request that stands for each route: about things that do not exist, with a body that cannot be read.

What the route would do is not done: it only matters whether the caller is let in that far. A caller with a
queue scope names a queue beyond it wherever a queue can be named; there the body must be readable.
"""

import json
import re

from tests.http.access.callers import THEIRS

_NAMES = {"name": THEIRS}
_UNREADABLE = b"{"

#: Route -> a body that names THEIRS.
NAMING = {
    "POST /api/v1/enqueue": {"queue": THEIRS},
    "POST /api/v1/enqueue/batch": {"jobs": [{"queue": THEIRS}]},
    "POST /api/v1/batch": {"callback_queue": THEIRS},
    "POST /api/v1/fetch": {"queues": [THEIRS], "timeout": 1},
    "POST /api/v1/fetch/batch": {"queues": [THEIRS], "timeout": 1},
    "POST /api/v1/jobs/{job_id}/move": {"queue": THEIRS},
    "POST /api/v1/jobs/bulk": {"action": "move", "job_ids": ["job_none"], "move_to_queue": THEIRS},
    "POST /api/v1/jobs/search": {"queue": THEIRS},
    "POST /api/v1/schedules": {"name": "n", "queue": THEIRS, "cron": "@daily"},
    "POST /api/v1/queues/{name}/concurrency": {"max": 1},
    "POST /api/v1/queues/{name}/throttle": {"rate": 1, "period": "1s"},
    "POST /corvo.v1.WorkerService/StreamLifecycle": {"queues": [THEIRS], "fetchCount": 1},
    "PUT /api/v1/schedules/{schedule_id}": {"queue": THEIRS},
}
#: Route -> a query that names THEIRS.
ASKING = {
    "GET /api/v1/events": f"queues={THEIRS}",
    "GET /api/v1/failures": f"queue={THEIRS}",
    "GET /api/v1/dead": f"queue={THEIRS}",
    "DELETE /api/v1/queues/{name}": "confirm=true",
}


def request_for(route, caller, headers):
    """(method, path, headers, body)"""
    method, _, path = route.partition(" ")
    path = re.sub(r"\{(\w+)\}", lambda found: _NAMES.get(found[1], f"{found[1]}_none"), path)
    body = b"" if method == "GET" else _UNREADABLE
    if route == "POST /api/v1/auth/logout" and caller == "browser":
        # It would end the session that all other rows of this column are asked by.
        return method, path, {}, body
    if caller == "scoped":
        body = json.dumps(NAMING[route]).encode() if route in NAMING else body
        path += f"?{ASKING[route]}" if route in ASKING else ""
    return method, path, headers, body
