"""Numbers in sentences: one job, two jobs."""


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 job`, `2 jobs`; `1 batch`, `2 batches` if the plural is not just an s."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"
