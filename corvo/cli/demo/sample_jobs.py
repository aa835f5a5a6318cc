"""Jobs for demonstrations: made up, but such as one meets."""

from random import Random
from typing import Any

NAMES = ("ann", "bob", "cem", "dora", "emil", "fatma", "george", "hana")
TENANTS = ("acme", "globex", "initech", "umbrella")
ERRORS = (
    "SMTP timed out after 30 s",
    "connection refused: mail.example.com:25",
    "template 'welcome' not found",
    "HTTP 502 from api.partner.example",
    "image is 0 bytes long",
    "deadlock detected, retry later",
)
BACKTRACE = 'File "worker.py", line 42, in handle\n  deliver(message)\nFile "mail.py", line 7, in deliver'

#: Queue -> how long a job takes there, in seconds, on a good day.
QUEUES = {"emails": 0.2, "reports": 1.5, "images": 0.6, "billing": 0.4, "webhooks": 0.1}


def payload(queue: str, random: Random) -> dict[str, Any]:
    name = random.choice(NAMES)
    number = random.randrange(1_000, 9_999)
    match queue:
        case "emails":
            plan = random.choice(("free", "pro"))
            return {"to": f"{name}@example.com", "template": "welcome", "user": {"id": number, "plan": plan}}
        case "reports":
            return {"report": "revenue", "day": f"2026-01-{random.randrange(1, 31):02d}", "rows": number * 10}
        case "images":
            return {"path": f"uploads/{name}/{number}.jpg", "sizes": random.sample([64, 256, 1024], 2)}
        case "billing":
            return {"invoice": f"INV-{number}", "amount": round(random.uniform(5, 900), 2), "currency": "EUR"}
        case _:
            return {"url": f"https://hooks.example.com/{name}", "event": "order.paid", "order": number}


def job(queue: str, random: Random, prefix: str = "") -> dict[str, Any]:
    return {
        "queue": prefix + queue,
        "payload": payload(queue, random),
        "priority": random.choice(("normal", "normal", "normal", "high", "critical")),
        "tags": {"tenant": random.choice(TENANTS), "demo": "true"},
    }
