"""What 200 workers cost that wait for nothing."""

import json
import socket
import time

from bench.load import request_bytes
from bench.servers import corvo
from bench.usage import cpu_s

POLLS = 200
SECONDS = 10.0


def main() -> None:
    with corvo() as server:
        polls = []
        for number in range(POLLS):
            body = json.dumps(
                {"queues": ["q", f"q{number % 7}"], "worker_id": f"w{number}", "timeout": 60}
            ).encode()
            connection = socket.create_connection(("127.0.0.1", server.port))
            connection.sendall(request_bytes("POST", "/api/v1/fetch", body))
            polls.append(connection)
        time.sleep(2)
        before_index = server.get("/api/v1/cluster/status")[1]["applied_index"]
        before_s = cpu_s(server.pid)
        time.sleep(SECONDS)
        used_s = cpu_s(server.pid) - before_s
        after_index = server.get("/api/v1/cluster/status")[1]["applied_index"]
        for connection in polls:
            connection.close()
    print(f"an idle node with {POLLS} waiting long-polls, over {SECONDS:.0f} s:")
    print(f"  processor   {used_s / SECONDS * 100:5.2f} % of a core   target < 2")
    print(f"  log entries {int(after_index) - int(before_index):5}               target 0")


if __name__ == "__main__":
    main()
