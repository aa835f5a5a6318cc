"""beanstalkd, by its own protocol: puts are pipelined by eight, a delete travels with the next reserve."""

import json
import sys
import threading

from common import QUEUE, SERVER, done, produce
from lines import Lines

_TUBE = QUEUE.encode()


def _work():
    server = Lines(SERVER)
    server.say(b"watch %s\r\n" % _TUBE)
    server.line()
    server.say(b"reserve\r\n")
    while True:
        answer = server.line()
        if answer == b"DELETED":
            continue
        word, number, size = answer.split()
        assert word == b"RESERVED", answer
        done(json.loads(server.read(int(size))))
        server.say(b"delete %s\r\nreserve\r\n" % number)


def _produce():
    server = Lines(SERVER)
    server.say(b"use %s\r\n" % _TUBE)
    server.line()

    def send(jobs):
        bodies = [json.dumps(job).encode() for job in jobs]
        server.say(b"".join(b"put 0 0 60 %d\r\n%s\r\n" % (len(body), body) for body in bodies))
        for _ in bodies:
            answer = server.line()
            assert answer.startswith(b"INSERTED"), answer

    produce(send, bulk=8)


if __name__ == "__main__":
    if sys.argv[1] == "work":
        threads = [threading.Thread(target=_work) for _ in range(int(sys.argv[2]))]
        for thread in threads:
            thread.start()
    else:
        _produce()
