"""No split brain: in one term nobody but one node ever says that it leads."""

from collections.abc import Iterator

from chaos.timeline import Look


def check(looks: list[Look]) -> Iterator[str]:
    led: dict[int, str] = {}
    for look in looks:
        for node_id, term in look.leaders.items():
            other = led.setdefault(term, node_id)
            if other != node_id:
                yield f"{other} and {node_id} both said that they lead in term {term}"
