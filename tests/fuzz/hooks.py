"""What schemathesis has to know of this API: which ids exist, and that a long-poll would wait for nothing."""

import random

import schemathesis

_chance = random.Random(1)
#: Ids seen in answers, by the word they begin with.
_known = {}
_KEPT_MAX = 200
#: Which kind of id a part of a path wants.
_KINDS = {
    "job_id": "job",
    "batch_id": "batch",
    "task_id": "bulk",
    "schedule_id": "sched",
    "webhook_id": "wh",
    "name": "queue",
}


@schemathesis.hook
def before_call(context, case, kwargs):
    for name in case.path_parameters or {}:
        pool = _known.get(_kind(case, name))
        if pool and _chance.random() < 0.8:
            case.path_parameters[name] = _chance.choice(pool)
    if isinstance(case.body, dict):
        _make_fit(case.path, case.body)
    if "wait" in (case.query or {}):
        case.query["wait"] = "0s"


def _kind(case, name):
    # Under one path there are webhooks by id, and queues that others post to.
    if "/webhooks/" in case.path and (case.method != "POST" or not case.path.endswith("}")):
        return "wh"
    return _KINDS.get(name, name)


def _make_fit(path, body):
    if path.endswith("/webhooks") and _chance.random() < 0.7:
        body |= {"url": "https://nobody.invalid/hook", "id": f"wh_{_chance.randrange(9)}", "events": ["*"]}
    if path.endswith(("/fetch", "/fetch/batch")):
        body["timeout"] = 0
    queues = _known.get("queue")
    if queues and _chance.random() < 0.5:
        for member in ("queue", "move_to_queue"):
            if member in body:
                body[member] = _chance.choice(queues)
        if "queues" in body:
            body["queues"] = _chance.sample(queues, min(3, len(queues)))
    if "job_ids" in body and _known.get("job") and _chance.random() < 0.5:
        body["job_ids"] = _chance.sample(_known["job"], min(5, len(_known["job"])))


@schemathesis.hook
def after_call(context, case, response):
    if response.headers.get("content-type", [""])[0].startswith("application/json"):
        _learn(response.json())


def _learn(value):
    if isinstance(value, dict):
        for key, member in value.items():
            if isinstance(member, str):
                if key == "queue" or "_" in member[:6]:
                    _keep("queue" if key == "queue" else member.partition("_")[0], member)
            else:
                _learn(member)
    elif isinstance(value, list):
        for member in value[:20]:
            _learn(member)


def _keep(kind, value):
    pool = _known.setdefault(kind, [])
    if value and value not in pool and "/" not in value:
        if len(pool) >= _KEPT_MAX:
            pool.pop(_chance.randrange(_KEPT_MAX))
        pool.append(value)
