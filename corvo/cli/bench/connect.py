"""Reaching the server, over HTTP/1.1 or HTTP/2."""

import asyncio

from corvo.cli.bench.http1 import Http1
from corvo.cli.bench.http2 import Http2
from corvo.cli.bench.link import BenchAddress, BenchLink
from corvo.cli.problems import Unreachable
from corvo.cli.request.trust import hint_of

_CONNECT_S_MAX = 10.0


async def connect(address: BenchAddress, http: int) -> BenchLink:
    loop = asyncio.get_running_loop()
    kind: type[Http1] | type[Http2] = Http2 if http == 2 else Http1
    tls = address.tls("h2" if http == 2 else "http/1.1")
    try:
        async with asyncio.timeout(_CONNECT_S_MAX):
            _, link = await loop.create_connection(lambda: kind(address), address.host, address.port, ssl=tls)
    except (OSError, TimeoutError) as error:
        raise Unreachable(
            f"no answer from {address.url.geturl()}: {error or 'it took too long'}",
            hint_of(error)
            or "Is it running? `corvo serve` starts a node; --server or CORVO_URL says where it is.",
        ) from None
    return link
