"""Single enqueues over HTTP/1.1 keep-alive against a Quart route that only parses and answers JSON."""

from bench import load
from bench.servers import baseline, corvo

CONNECTIONS = 32
SECONDS = 6.0
ROUNDS = 3
BODY = b'{"queue":"emails","payload":{"to":"someone@example.com","text":"' + b"x" * 64 + b'"}}'


def main() -> None:
    request = load.request_bytes("POST", "/api/v1/enqueue", BODY)
    best: dict[str, float] = {}
    with corvo() as server, baseline("quart") as quart, baseline("plain") as plain:
        ports = {"quart route": quart, "plain ASGI": plain, "corvo enqueue": server.port}
        for port in ports.values():
            load.run(port, request, connections=CONNECTIONS, seconds=1.0)
        # Interleaved, so that whatever else the machine does hits all of them.
        for _ in range(ROUNDS):
            for name, port in ports.items():
                result = load.run(port, request, connections=CONNECTIONS, seconds=SECONDS)
                assert not result.failures, f"{result.failures} failures at {name}"
                best[name] = max(best.get(name, 0.0), result.per_second)
    print(f"single enqueue, HTTP/1.1 keep-alive, {CONNECTIONS} connections, fsync on (best of {ROUNDS}):")
    for name, rate in best.items():
        print(f"  {name:14} {rate:8.0f}/s")
    print(f"  corvo / quart  {best['corvo enqueue'] / best['quart route']:8.2f}    target >= 1.7")
    print(f"  corvo / plain  {best['corvo enqueue'] / best['plain ASGI']:8.2f}")


if __name__ == "__main__":
    main()
