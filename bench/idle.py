"""What 200 workers cost that wait for nothing."""

import json
import os
import socket
import time
from pathlib import Path

from bench.load import request_bytes
from bench.servers import corvo

POLLS = 200
SECONDS = 10.0


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
        before_s = _cpu_s(server.pid)
        time.sleep(SECONDS)
        used_s = _cpu_s(server.pid) - before_s
        after_index = server.get("/api/v1/cluster/status")[1]["applied_index"]
        for connection in polls:
            connection.close()
    print(f"an idle node with {POLLS} waiting long-polls, over {SECONDS:.0f} s:")
    print(f"  processor   {used_s / SECONDS * 100:5.2f} % of a core   target < 2")
    print(f"  log entries {int(after_index) - int(before_index):5}               target 0")


if __name__ == "__main__":
    main()
