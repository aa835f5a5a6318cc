"""A TCP proxy that loses answers: the server has done what was asked, and the client does not hear of it."""

import random
import socket
import threading


class Hiccups:
    """Forwards to a port; some of what comes back is thrown away and the connection with it."""

    def __init__(self, port, *, chance, seed):
        self._port = port
        self._chance = chance
        self._random = random.Random(seed)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.lost = 0
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()

    def changed(self, data):
        """For proxies that do worse than lose things."""
        return data

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            server = socket.create_connection(("127.0.0.1", self._port))
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._pump, args=(client, server, 0.0), daemon=True).start()
            threading.Thread(target=self._pump, args=(server, client, self._chance), daemon=True).start()

    def _pump(self, source, target, chance):
        try:
            while data := source.recv(65_536):
                if chance and self._random.random() < chance:
                    self.lost += 1
                    break
                target.sendall(self.changed(data))
        except OSError:
            """The other direction was first."""
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                """It is closed already."""
        source.close()
