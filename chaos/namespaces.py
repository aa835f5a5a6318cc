"""Every node in a network namespace of its own, as if on a machine of its own. Needs root.

    harness --veth--> [namespace of n1] --veth--> switch <--veth-- [namespace of n2] <--veth-- harness

The harness reaches every node by a wire that nothing ever happens to; what nodes say to each other goes
through the switch.
"""

import array
import fcntl
import os
import socket
import struct
import subprocess
from collections.abc import Callable, Iterable
from itertools import count

from chaos.network import Place, Way
from chaos.switch import Switch

_RAFT_PORT, _HTTP_PORT = 9_400, 8_080
_SIOCETHTOOL = 0x8946
#: What a device leaves to its hardware: checksums, and cutting what is too long. Here there is none.
_OFFLOADS = (0x00000017, 0x0000001F, 0x00000024)
#: Several trials may run at once, in several processes.
_numbers = count(os.getpid() * 8)


class Namespaces:
    """Implements network.Network."""

    def __init__(self) -> None:
        self._switch = Switch()
        self._names: list[str] = []
        self._trial = next(_numbers) % 4_096

    @staticmethod
    def missing() -> str | None:
        """Why there are none on this machine."""
        if os.geteuid() != 0:
            return "network namespaces need root"
        name = f"corvo-try-{os.getpid()}"
        try:
            _run("ip", "netns", "add", name)
            try:
                near, far = f"cva{os.getpid():x}", f"cvb{os.getpid():x}"
                _run("ip", "link", "add", near, "type", "veth", "peer", "name", far)
                _run("ip", "link", "del", near)
            finally:
                _run("ip", "netns", "del", name)
        except (OSError, subprocess.CalledProcessError) as error:
            words = getattr(error, "stderr", b"") or str(error).encode()
            return f"this machine has no network namespaces: {words.decode().strip()}"
        return None

    def place(self, node_id: str) -> Place:
        number = len(self._names) + 1
        name = f"corvo-{self._trial}-{number}"
        _run("ip", "netns", "add", name)
        self._names.append(name)
        inside = ("ip", "-n", name)
        _run(*inside, "link", "set", "lo", "up")
        # To the harness.
        host, guest = (f"10.{213 + self._trial // 256}.{self._trial % 256}.{number * 4 + n}" for n in (1, 2))
        near, far = f"cvh{self._trial:x}-{number}", f"cvg{self._trial:x}-{number}"
        _run("ip", "link", "add", near, "type", "veth", "peer", "name", far)
        _run("ip", "link", "set", far, "netns", name)
        _run("ip", "addr", "add", f"{host}/30", "dev", near)
        _run("ip", "link", "set", near, "up")
        _run(*inside, "addr", "add", f"{guest}/30", "dev", far)
        _run(*inside, "link", "set", far, "up")
        # To the other nodes.
        address = bytes((2, 0, 0, 0, 0, number))
        port, wire = f"cvs{self._trial:x}-{number}", f"cvw{self._trial:x}-{number}"
        _run("ip", "link", "add", port, "type", "veth", "peer", "name", wire, "address", address.hex(":"))
        _leave_nothing_to_hardware(wire)
        _run("ip", "link", "set", wire, "netns", name)
        _run("ip", "link", "set", port, "up")
        mesh = f"10.77.0.{number}"
        _run(*inside, "addr", "add", f"{mesh}/24", "dev", wire)
        _run(*inside, "link", "set", wire, "up")
        self._switch.plug(node_id, port, address)
        raft = f"{mesh}:{_RAFT_PORT}"
        return Place(guest, _HTTP_PORT, raft, raft, ("ip", "netns", "exec", name))

    def start(self, running: Callable[[], dict[int, str]]) -> None:
        del running  # Who speaks is known by the wire it comes from.
        self._switch.start()

    def close(self) -> None:
        self._switch.close()
        for name in self._names:
            # Its devices end with it, and their other ends with them.
            _run("ip", "netns", "del", name)

    def cut(self, ways: Iterable[Way]) -> None:
        self._switch.cut(ways)

    def slow(self, seconds: float) -> None:
        self._switch.slow(seconds)

    def lose(self, share: float) -> None:
        self._switch.lose(share)

    def heal(self) -> None:
        self.cut(())
        self.slow(0.0)
        self.lose(0.0)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


def _leave_nothing_to_hardware(device: str) -> None:
    """What `ethtool -K device tx off tso off gso off` does."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for offload in _OFFLOADS:
            value = array.array("B", struct.pack("II", offload, 0))
            request = struct.pack("16sP", device.encode(), value.buffer_info()[0])
            fcntl.ioctl(any_socket, _SIOCETHTOOL, request)
