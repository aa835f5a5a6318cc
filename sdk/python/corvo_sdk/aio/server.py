"""The server itself: workers it knows, health, cluster, figures."""

from typing import Any

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.call import Call, path, read
from corvo_sdk.models.access import AccessStatus
from corvo_sdk.models.job import Event, EventList
from corvo_sdk.models.server import Health, Info, Minute, QueueHours, WorkerInfo

#: How long the server may take over all it has.
_LONG_S = 600.0
#: How long a change of the members may wait for a leader, and for the change before it.
_CHANGE_S = 10.0


class AsyncServer:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def info(self) -> Info:
        return await self._connection.send(read("GET", path("info"), Info))

    async def needs_key(self) -> bool:
        """Whether the server wants an API key."""
        return (await self._connection.send(read("GET", path("auth", "status"), AccessStatus))).auth_required

    async def health(self) -> Health:
        return await self._connection.send(read("GET", "/healthz", Health))

    async def workers(self) -> list[WorkerInfo]:
        """Seen within the last day, latest first."""
        return await self._connection.send(read("GET", path("workers"), list[WorkerInfo]))

    async def throughput(self) -> list[Minute]:
        """The last hour, minute by minute."""
        return await self._connection.send(read("GET", path("metrics", "throughput"), list[Minute]))

    async def queue_throughput(self) -> QueueHours:
        """The same for each queue in which anything happened within the hour."""
        return await self._connection.send(read("GET", path("metrics", "throughput", "queues"), QueueHours))

    async def cluster(self) -> dict[str, Any]:
        return await self._connection.send(read("GET", path("cluster", "status"), dict[str, Any]))

    async def join_cluster(self, node_id: str, address: str, http_address: str = "") -> dict[str, Any]:
        """Take in a node whose link listens at this address. One started with --join does it by itself."""
        body = {"node_id": node_id, "addr": address, "http_addr": http_address}
        return await self._change_cluster("join", body)

    async def remove_from_cluster(self, node_id: str) -> dict[str, Any]:
        """Take a node out. It stops when it hears of it."""
        return await self._change_cluster("remove", {"node_id": node_id})

    async def leave_cluster(self) -> dict[str, Any]:
        """Have the node that is asked leave, and stop."""
        return await self._change_cluster("leave", {})

    async def transfer_lead(self, node_id: str | None = None) -> dict[str, Any]:
        """Have another node lead: this one, or whichever is furthest."""
        return await self._change_cluster("transfer", {} if node_id is None else {"node_id": node_id})

    async def forget_key(self, node_id: str) -> dict[str, Any]:
        """Let a member that has lost its key in with whichever it shows next."""
        return await self._change_cluster("forget-key", {"node_id": node_id})

    async def _change_cluster(self, what: str, body: dict[str, str]) -> dict[str, Any]:
        call = Call("POST", path("cluster", what), dict[str, Any], body, wait_s=_CHANGE_S)
        return await self._connection.send(call)

    async def events(self, after: int = 0, *, limit: int = 100) -> list[Event]:
        """A page of the log of events; `client.events` follows it."""
        call = read("GET", path("cluster", "events"), EventList, after_seq=after, limit=limit)
        return (await self._connection.send(call)).events

    async def metrics(self) -> str:
        """As Prometheus reads them."""
        return (await self._connection.send(read("GET", path("metrics"), bytes))).decode()

    async def runtime(self) -> dict[str, Any]:
        """Memory, processor time and the like."""
        return await self._connection.send(read("GET", path("debug", "runtime"), dict[str, Any]))

    async def check(self) -> dict[str, Any]:
        """Check everything that must always hold. May take a minute per million jobs."""
        call = Call("POST", path("admin", "check"), dict[str, Any], wait_s=_LONG_S)
        return await self._connection.send(call)

    async def rebuild_search(self) -> dict[str, Any]:
        """Build the search view anew; it stays usable meanwhile."""
        call = Call("POST", path("admin", "rebuild-sqlite"), dict[str, Any], wait_s=_LONG_S)
        return await self._connection.send(call)
