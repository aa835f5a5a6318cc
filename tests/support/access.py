"""Keys for tests: the first one, further ones, and streams that show one."""

import asyncio
from typing import Any

from tests.support.client import Client

ADMIN = {"name": "root", "role": "admin", "namespace": "*"}


async def first_key(client: Client) -> Client:
    """Shuts the node: a client with the first key."""
    reply = await client.post("/api/v1/auth/keys", ADMIN)
    assert reply.status == 200, reply
    return client.with_key(reply.json()["api_key"])


async def new_client(admin: Client, **fields: Any) -> Client:
    """A client with a new key."""
    reply = await admin.post("/api/v1/auth/keys", {"name": "k"} | fields)
    assert reply.status == 200, reply
    return admin.with_key(reply.json()["api_key"])


async def keys_by_name(admin: Client) -> dict[str, Any]:
    return {key["name"]: key for key in (await admin.get("/api/v1/auth/keys")).json()}


async def delete_key(admin: Client, name: str) -> None:
    key = (await keys_by_name(admin))[name]["id"]
    assert (await admin.request("DELETE", f"/api/v1/auth/keys/{key}")).status == 200


class Talk:
    """A request whose answer comes bit by bit."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def begin(cls, client: Client, target: str, *lines: bytes) -> "Talk":
        """`target` is method and path; lines are sent as chunks of a body that does not end."""
        reader, writer = await asyncio.open_connection(client.host, client.port)
        fields = {"Host": client.address, "Transfer-Encoding": "chunked"} | client.headers
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        chunks = b"".join(b"%x\r\n%b\r\n" % (len(line), line) for line in lines)
        writer.write(f"{target} HTTP/1.1\r\n{head}\r\n".encode() + chunks)
        if target.startswith("GET"):
            writer.write(b"0\r\n\r\n")
        return cls(reader, writer)

    async def hear(self, words: bytes) -> bytes:
        """What is said up to these words."""
        return await asyncio.wait_for(self._reader.readuntil(words), 5)

    def close(self) -> None:
        self._writer.close()


class Browser(Client):
    """A client with a session: it sends the cookie, and the token that changes need."""

    @classmethod
    async def log_in(cls, client: Client, key: str) -> "Browser":
        reply = await client.post("/api/v1/auth/login", {"api_key": key})
        assert reply.status == 200, reply
        cookie = reply.headers["set-cookie"].partition(";")[0]
        return cls(client.address, **{"Cookie": cookie, "X-Corvo-CSRF": reply.json()["csrf"]})

    def without(self, name: str) -> Client:
        return Client(self.address, **{own: value for own, value in self.headers.items() if own != name})


def key_of(client: Client) -> str:
    return client.headers["X-API-Key"]
