"""Where a server is, as people write it: http://HOST:PORT, with a path if it has one."""

from urllib.parse import SplitResult, urlsplit

from corvo.cli.problems import Misused


def parse_address(text: str) -> SplitResult:
    try:
        url = urlsplit(text if "//" in text else f"http://{text}")
        good = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:  # The port is no number, or too large.
        good = False
    if good and "@" in url.netloc:
        # Not sent anywhere, and it would be shown with every error.
        raise Misused(
            "the address of a server holds no name and no password",
            "--api-key-file or CORVO_API_KEY says who you are.",
        )
    if not good or not _can_be_sent(url):
        raise Misused(f"{text!r} is not the address of a server", "Write http://HOST:PORT, or with a /PATH.")
    return url


def _can_be_sent(url: SplitResult) -> bool:
    """Our own paths are put behind it, so there can be nothing but a path."""
    whole = url.netloc + url.path
    return whole.isprintable() and " " not in whole and url.path.isascii() and not (url.query or url.fragment)
