"""Tags as flags: `--tag tenant=acme`."""

from collections.abc import Iterable

from corvo.cli.problems import Misused


def tags_of(pairs: Iterable[str]) -> dict[str, str]:
    tags = {}
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator:
            raise Misused(f"--tag {pair!r} is not KEY=VALUE")
        tags[key] = value
    return tags
