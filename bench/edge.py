"""Single enqueues over HTTP/1.1 keep-alive against what the same HTTP server reaches doing nothing."""

from contextlib import ExitStack

from bench import load, loads, targets
from bench.servers import baseline, corvo

CONNECTIONS = 32
SECONDS = 6.0
ROUNDS = 3
BODY = b'{"queue":"emails","payload":{"to":"someone@example.com","text":"' + b"x" * 64 + b'"}}'


def main() -> None:
    arguments = loads.parser()
    edge = arguments.edge
    request = load.request_bytes("POST", "/api/v1/enqueue", BODY)
    best: dict[str, float] = {}
    with ExitStack() as stack:
        server = stack.enter_context(corvo(*loads.edge_flags(arguments)))
        answer_bytes = len(load.exchange(server.port, request).partition(b"\r\n\r\n")[2])
        quart = stack.enter_context(baseline("quart", edge, answer_bytes))
        plain = stack.enter_context(baseline("plain", edge, answer_bytes))
        ports = {"quart route": quart, "bare ASGI echo": plain, "corvo enqueue": server.port}
        for port in ports.values():
            load.run(port, request, connections=CONNECTIONS, seconds=1.0)
        # Interleaved, so that whatever else the machine does hits all of them.
        for _ in range(ROUNDS):
            for name, port in ports.items():
                result = load.run(port, request, connections=CONNECTIONS, seconds=SECONDS)
                assert not result.failures, f"{result.failures} failures at {name}"
                best[name] = max(best.get(name, 0.0), result.per_second)
    print(f"single enqueue on {edge}, HTTP/1.1, {CONNECTIONS} connections, fsync on (best of {ROUNDS}):")
    for name, rate in best.items():
        targets.line(name, f"{rate:,.0f}/s")
    targets.at_least("corvo to a bare ASGI echo", best["corvo enqueue"] / best["bare ASGI echo"], 0.75)
    targets.at_least("corvo to a quart route", best["corvo enqueue"] / best["quart route"], 1.7)


if __name__ == "__main__":
    main()
