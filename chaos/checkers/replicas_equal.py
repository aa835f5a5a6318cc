"""All nodes, stopped at the same entry, hold the same byte for byte, by `corvo doctor --compare`."""

from collections.abc import Iterator

from chaos.group import Group


def check(group: Group) -> Iterator[str]:
    first, *others = group.servers.values()
    code, words = first.doctor(*(other.data_dir for other in others))
    if code != 0:
        yield f"corvo doctor on stopped {first.data_dir.name}, compared with the others: {words}"
    for server in others:
        code, words = server.doctor()
        if code != 0:
            yield f"corvo doctor on stopped {server.data_dir.name}: {words}"
