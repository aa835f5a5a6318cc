"""What fsync costs when 64 clients enqueue at once: they share it, so it should cost little."""

from bench import load, loads, targets
from bench.edge import BODY
from bench.servers import corvo

CLIENTS = 64
SECONDS = 4.0
ROUNDS = 3


def main() -> None:
    flags = loads.edge_flags(loads.parser())
    request = load.request_bytes("POST", "/api/v1/enqueue", BODY)
    best = {"on": 0.0, "off": 0.0}
    with corvo("--durable", "on", *flags) as durable, corvo("--durable", "off", *flags) as not_durable:
        ports = {"on": durable.port, "off": not_durable.port}
        # Interleaved, so that whatever else the machine does hits both of them.
        for _ in range(ROUNDS):
            for name, port in ports.items():
                result = load.run(port, request, connections=CLIENTS, seconds=SECONDS)
                assert not result.failures, f"{result.failures} failures with --durable {name}"
                best[name] = max(best[name], result.per_second)
    print(f"single enqueues, {CLIENTS} clients (best of {ROUNDS}):")
    for name, rate in best.items():
        targets.line(f"--durable {name}", f"{rate:,.0f}/s")
    targets.below("cost of durability", (1 - best["on"] / best["off"]) * 100, 30, "%")


if __name__ == "__main__":
    main()
