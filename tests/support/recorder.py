"""A server that writes down what it is asked for, and refuses it."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self._refuse()

    def do_POST(self):
        self._refuse()

    def do_PUT(self):
        self._refuse()

    def do_DELETE(self):
        self._refuse()

    def _refuse(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append(self)
        self.send_response(400)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *args):
        """Quiet."""


class Recorder(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def targets(self):
        """Method and path of each request so far."""
        return [f"{each.command} {unquote(each.path.split('?')[0])}" for each in self.requests]


@contextmanager
def recording():
    with Recorder() as recorder:
        threading.Thread(target=recorder.serve_forever, daemon=True).start()
        yield recorder
        recorder.shutdown()
