"""Node ids: the names of a cluster's nodes, as they come in by settings, requests and the node link."""

import re
from typing import Annotated, Final

from msgspec import Meta

NODE_ID_CHARS_MAX: Final = 64
#: Ids stand in logs, in sentences to be pasted into a shell and in certificates, so they need no quoting.
NODE_ID_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
_NODE_ID: Final = re.compile(NODE_ID_PATTERN + r"\Z")

NodeId = Annotated[str, Meta(pattern=NODE_ID_PATTERN, min_length=1, max_length=NODE_ID_CHARS_MAX)]
#: host:port. Neither spaces nor what would make a URL of it.
NodeAddress = Annotated[str, Meta(pattern=r"^[^\s/@?#]+:\d{1,5}$", max_length=260)]
#: The same, or empty: not every node has one to be found at.
HttpAddress = Annotated[str, Meta(pattern=r"^([^\s/@?#]+:\d{1,5})?$", max_length=260)]


def is_node_id(text: str) -> bool:
    return len(text) <= NODE_ID_CHARS_MAX and _NODE_ID.match(text) is not None
