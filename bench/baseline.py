"""What HTTP alone costs: a Quart route that only parses and answers JSON, and ASGI that does not even parse.

python -m bench.baseline PORT quart|plain hypercorn|granian ANSWER_BYTES
"""

import asyncio
import sys
from importlib import import_module
from typing import Any

from quart import Quart, request

quart = Quart("baseline")
#: As long as that of the server it is compared with.
_ANSWER = b"x" * int(sys.argv[4])
_HEADERS = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(_ANSWER))]


@quart.post("/api/v1/enqueue")
async def enqueue() -> tuple[dict[str, str], int]:
    body = await request.get_json()
    return {"queue": body["queue"], "job_id": "x", "status": "pending", "job": _ANSWER.decode()}, 201


async def plain(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    while (await receive()).get("more_body"):
        """All of the body, unread."""
    await send({"type": "http.response.start", "status": 201, "headers": _HEADERS})
    await send({"type": "http.response.body", "body": _ANSWER})


def _on_hypercorn(app: Any, port: int) -> None:
    from hypercorn.asyncio import serve  # noqa: PLC0415 - only one of the two may be installed
    from hypercorn.config import Config  # noqa: PLC0415 - the same

    config = Config()
    config.bind = [f"127.0.0.1:{port}"]
    config.accesslog = config.errorlog = None
    config.include_server_header = False
    config.keep_alive_max_requests = 2**31
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(serve(app, config))


def _loop_factory() -> Any:
    """uvloop if it is there, as the server does."""
    try:
        return import_module("uvloop").new_event_loop
    except ImportError:
        return None


def _on_granian(kind: str, port: int) -> None:
    from granian import Granian  # noqa: PLC0415 - an extra that need not be there
    from granian.constants import Interfaces  # noqa: PLC0415 - the same

    target = f"bench.baseline:{kind}"
    Granian(target, "127.0.0.1", port, interface=Interfaces.ASGI, workers=1, log_enabled=False).serve()


if __name__ == "__main__":
    port_, kind_, edge_ = sys.argv[1:4]
    if edge_ == "granian":
        _on_granian(kind_, int(port_))
    else:
        _on_hypercorn({"quart": quart, "plain": plain}[kind_], int(port_))
