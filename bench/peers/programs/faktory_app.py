"""Faktory, by its own protocol: pushes in bulk, an ack travels with the next fetch."""

import json
import os
import sys
import threading

from common import QUEUE, SERVER, done, produce
from lines import Lines


def _connect(**hello):
    server = Lines(SERVER)
    server.line()
    server.say(b"HELLO %s\r\n" % json.dumps({"v": 2} | hello).encode())
    _expect_ok(server)
    return server


def _expect_ok(server):
    answer = server.line()
    assert answer == b"+OK", answer


def _work(number):
    server = _connect(wid=f"{os.getpid()}-{number}", hostname="bench", pid=os.getpid(), labels=[])
    server.say(b"FETCH %s\r\n" % QUEUE.encode())
    while True:
        answer = server.line()
        assert answer.startswith(b"$"), answer
        if answer == b"$-1":
            server.say(b"FETCH %s\r\n" % QUEUE.encode())
            continue
        job = json.loads(server.read(int(answer[1:])))
        done(job["args"][0])
        ack = json.dumps({"jid": job["jid"]}).encode()
        server.say(b"ACK %s\r\nFETCH %s\r\n" % (ack, QUEUE.encode()))
        _expect_ok(server)


def _produce():
    server = _connect()

    def send(jobs):
        if not jobs:
            return
        rows = [
            {"jid": f"{job['n']:012d}", "queue": QUEUE, "jobtype": "handle", "args": [job], "retry": 3}
            for job in jobs
        ]
        server.say(b"PUSHB %s\r\n" % json.dumps(rows).encode())
        answer = server.line()
        assert answer.startswith(b"$"), answer
        refused = json.loads(server.read(int(answer[1:])))
        assert not refused, refused

    produce(send, bulk=50)


if __name__ == "__main__":
    if sys.argv[1] == "work":
        threads = [threading.Thread(target=_work, args=(number,)) for number in range(int(sys.argv[2]))]
        for thread in threads:
            thread.start()
    else:
        _produce()
