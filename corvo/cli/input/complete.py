"""Values that the shell completes by asking the server. A server that is not there completes nothing."""

import click

from corvo.cli.problems import Problem
from corvo.cli.request.client import Api
from corvo.cli.request.profile import Flags, target

_TIMEOUT_S = 1.0


def queue_names(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    flags = Flags(
        profile=ctx.params.get("profile"),
        server=ctx.params.get("server"),
        api_key=ctx.params.get("api_key"),
        api_key_file=ctx.params.get("api_key_file"),
        namespace=ctx.params.get("namespace"),
        timeout_s=_TIMEOUT_S,
        ca_file=ctx.params.get("ca_file"),
        client_cert=ctx.params.get("client_cert"),
        client_key=ctx.params.get("client_key"),
    )
    try:
        queues = Api(target(flags)).get("/api/v1/queues")
    except Problem:
        return []
    return [queue["name"] for queue in queues if queue["name"].startswith(incomplete)]
