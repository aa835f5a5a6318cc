"""What stands before a server in the world: a reverse proxy that gives it a path, asks for a key, and speaks
HTTP/1.1 and HTTP/2. Bodies go through as they come, in both directions at once."""

import asyncio
import json
import socket
import threading

import h11
from hypercorn.asyncio import serve
from hypercorn.config import Config


class Gatehouse:
    """`with Gatehouse("127.0.0.1:8080", prefix="/corvo", key="sk_1") as gate: ...requests to gate.url...`"""

    def __init__(self, behind, *, prefix="", key=None, host="127.0.0.1"):
        self._behind = behind.rpartition(":")
        self._prefix = prefix.encode()
        self._key = key and key.encode()
        self._listener = socket.create_server((host, 0), family=socket.getaddrinfo(host, 0)[0][0])
        name = f"[{host}]" if ":" in host else host
        self.url = f"http://{name}:{self._listener.getsockname()[1]}{prefix}"
        #: (version of HTTP, path) of each request that was let through.
        self.seen = []
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._ready = threading.Event()

    def __enter__(self):
        self._thread.start()
        assert self._ready.wait(20)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._closed.set)
        self._thread.join(20)

    async def _serve(self):
        self._loop, self._closed = asyncio.get_running_loop(), asyncio.Event()
        config = Config()
        config.bind = [f"fd://{self._listener.detach()}"]
        config.graceful_timeout = 0.1
        config.errorlog = None
        self._ready.set()
        await serve(self._answer, config, shutdown_trigger=self._closed.wait)

    async def _answer(self, scope, receive, send):
        if scope["type"] != "http":
            return
        path, headers = scope["raw_path"], dict(scope["headers"])
        if not path.startswith(self._prefix + b"/"):
            await self._refuse(send, 404, "there is nothing here")
        elif self._key is not None and headers.get(b"x-api-key") != self._key:
            await self._refuse(send, 401, "who are you?")
        else:
            self.seen.append((scope["http_version"], path.decode()))
            await self._pass_on(scope, headers, receive, send)

    async def _refuse(self, send, status, words):
        body = json.dumps({"error": words, "code": "UNAUTHORIZED"} if status == 401 else {}).encode()
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": body})

    async def _pass_on(self, scope, headers, receive, send):
        host, _, port = self._behind
        reader, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        query = b"?" + scope["query_string"] if scope["query_string"] else b""
        headers = {name: value for name, value in headers.items() if name != b"connection"}
        if scope["method"] != "GET" and b"content-length" not in headers:
            headers[b"transfer-encoding"] = b"chunked"
        headers |= {b"connection": b"close"}
        inner = h11.Connection(h11.CLIENT)
        target = scope["raw_path"].removeprefix(self._prefix) + query
        request = h11.Request(method=scope["method"], target=target, headers=list(headers.items()))
        writer.write(inner.send(request))
        up = asyncio.ensure_future(self._up(inner, receive, writer))
        try:
            await self._down(inner, reader, send)
        except (OSError, h11.RemoteProtocolError):
            """Who asked, or who answers, has gone."""
        finally:
            up.cancel()
            writer.close()

    async def _up(self, inner, receive, writer):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                writer.close()
                return
            if message["body"]:
                writer.write(inner.send(h11.Data(data=message["body"])))
            if not message["more_body"]:
                writer.write(inner.send(h11.EndOfMessage()))
                return

    async def _down(self, inner, reader, send):
        while True:
            match inner.next_event():
                case h11.NEED_DATA:
                    inner.receive_data(await reader.read(65_536))
                case h11.Response(status_code=status, headers=headers):
                    kept = [pair for pair in headers if pair[0] not in (b"connection", b"transfer-encoding")]
                    await send({"type": "http.response.start", "status": status, "headers": kept})
                case h11.Data(data=data):
                    await send({"type": "http.response.body", "body": bytes(data), "more_body": True})
                case _:
                    await send({"type": "http.response.body", "body": b""})
                    return
