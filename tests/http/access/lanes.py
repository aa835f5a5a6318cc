"""Ways in by which a request can come; each says how a list of requests was answered.

A request is (method, path, headers, body). Only the status is looked at, and nothing is waited for behind it:
some answers do not end.
"""

import asyncio

import h2.config
import h2.connection
import h2.events

_AT_ONCE = 24


async def http1(address, requests):
    return await _each(address, requests, _plain)


async def http1_in_chunks(address, requests):
    """The same to the server, but not what the fast lane is made for."""
    return await _each(address, requests, _chunked)


async def _each(address, requests, spelled):
    room = asyncio.Semaphore(_AT_ONCE)

    async def ask(request):
        async with room:
            return await _status(address, spelled(*request))

    return await asyncio.gather(*map(ask, requests))


async def _status(address, data):
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(data)
        line = await asyncio.wait_for(reader.readline(), 20)
        return int(line.split()[1])
    finally:
        writer.close()


def _head(method, path, headers):
    return "".join(f"{name}: {value}\r\n" for name, value in ({"Host": "localhost"} | headers).items())


def _plain(method, path, headers, body):
    fields = headers | {"Content-Length": str(len(body))}
    return f"{method} {path} HTTP/1.1\r\n{_head(method, path, fields)}\r\n".encode() + body


def _chunked(method, path, headers, body):
    fields = headers | {"Transfer-Encoding": "chunked"}
    chunk = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
    return f"{method} {path} HTTP/1.1\r\n{_head(method, path, fields)}\r\n".encode() + chunk + b"0\r\n\r\n"


async def http2(address, requests):
    found = []
    for start in range(0, len(requests), _AT_ONCE):
        found += await _on_one_connection(address, requests[start : start + _AT_ONCE])
    return found


async def _on_one_connection(address, requests):
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        link = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        link.initiate_connection()
        statuses = {}
        numbers = [_open(link, *request) for request in requests]
        writer.write(link.data_to_send())
        async with asyncio.timeout(20):
            while len(statuses) < len(numbers):
                for event in link.receive_data(await reader.read(65_536)):
                    if isinstance(event, h2.events.ResponseReceived):
                        statuses[event.stream_id] = int(dict(event.headers)[b":status"])
                    elif isinstance(event, h2.events.DataReceived):
                        link.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                    assert not isinstance(event, h2.events.ConnectionTerminated), event
                writer.write(link.data_to_send())
        return [statuses[number] for number in numbers]
    finally:
        writer.close()


def _open(link, method, path, headers, body):
    number = link.get_next_available_stream_id()
    lines = [(":method", method), (":path", path), (":scheme", "http"), (":authority", "localhost")]
    lines += [(name.lower(), value) for name, value in headers.items()]
    link.send_headers(number, lines, end_stream=not body)
    if body:
        link.send_data(number, body, end_stream=True)
    return number


LANES = {"http1": http1, "http1_in_chunks": http1_in_chunks, "http2": http2}
