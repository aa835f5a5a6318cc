"""A stream over HTTP/2, for which it takes the package h2: `pip install corvo-sdk[http2]`.

    lines --> [frames, as the server's window allows] --> socket
    lines <-- [frames, taken at once, so ours never closes] <-- socket

The connection has this one request on it: what HTTP/2 brings a worker is a way through proxies that take
bodies without end for attacks in HTTP/1.1 and for gRPC in HTTP/2.
"""

import asyncio
from collections.abc import AsyncIterator

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings

from corvo_sdk.worker.stream.carrier import NotSpoken
from corvo_sdk.worker.stream.socket_pair import SocketPair

#: What the server may send before it hears that we have read it.
_WINDOW_BYTES = 4 * 1024 * 1024
_H2_WINDOW_BYTES = 65_535
_READ_BYTES = 64 * 1024


class Http2(SocketPair):
    """A Carrier."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, scheme: str
    ) -> None:
        super().__init__(reader, writer)
        self._host = host
        self._scheme = scheme
        self._http = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding=None))
        self._http.local_settings = h2.settings.Settings(
            client=True,
            initial_values={
                h2.settings.SettingCodes.ENABLE_PUSH: 0,
                h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: _WINDOW_BYTES,
            },
        )
        self._stream = 1
        self._unsent = bytearray()
        self._heard: list[bytes] = []
        self._status: int | None = None
        self._has_spoken = False
        self._ended = False

    def begin(self, path: str, headers: dict[str, str]) -> None:
        self._http.initiate_connection()
        self._http.increment_flow_control_window(_WINDOW_BYTES - _H2_WINDOW_BYTES)
        pseudo = {":method": "POST", ":scheme": self._scheme, ":authority": self._host, ":path": path}
        self._http.send_headers(self._stream, list((pseudo | headers).items()))
        self._flush()

    def write(self, data: bytes) -> None:
        self._unsent += data
        self._send()

    async def status(self) -> int:
        while self._status is None:
            await self._hear()
        return self._status

    async def whole(self, most: int) -> bytes:
        while not self._ended and sum(map(len, self._heard)) < most:
            await self._hear()
        return b"".join(self._heard)

    async def pieces(self) -> AsyncIterator[bytes]:
        while True:
            heard, self._heard = self._heard, []
            for piece in heard:
                yield piece
            if self._ended:
                return
            await self._hear()

    # Frames

    async def _hear(self) -> None:
        data = await self._reader.read(_READ_BYTES)
        try:
            events = self._http.receive_data(data) if data else []
            for event in events:
                self._take(event)
            self._send()
        except h2.exceptions.ProtocolError as error:
            if self._has_spoken:
                raise ConnectionError(f"the server broke the rules of HTTP/2: {error}") from error
            raise NotSpoken from error
        if not data:
            if self._has_spoken:
                raise ConnectionError("the server hung up")
            raise NotSpoken

    def _take(self, event: h2.events.Event) -> None:
        match event:
            case h2.events.RemoteSettingsChanged():
                self._has_spoken = True
            case h2.events.ResponseReceived(headers=headers):
                self._status = int(dict(headers or ())[b":status"])
            case h2.events.DataReceived(data=data, flow_controlled_length=size):
                self._heard.append(data or b"")
                self._http.acknowledge_received_data(size or 0, self._stream)
            case h2.events.StreamEnded():
                self._ended = True
            case h2.events.StreamReset() | h2.events.ConnectionTerminated():
                raise ConnectionError(f"the server ended the stream: error {event.error_code}")

    def _send(self) -> None:
        """As much as the server has room for; the rest when it says that it has more."""
        http = self._http
        while self._unsent:
            room = min(http.local_flow_control_window(self._stream), http.max_outbound_frame_size)
            if room <= 0:
                break
            http.send_data(self._stream, bytes(self._unsent[:room]))
            del self._unsent[:room]
        self._flush()

    def _flush(self) -> None:
        frames = self._http.data_to_send()
        if frames:
            self._writer.write(frames)
