"""docs/reference/permissions.md, printed from the permissions, the built-in roles and what routes need."""

from typing import Final

from corvo.cli.reference.markdown import MADE, escape, table
from corvo.core.access.permissions import BUILT_IN, CLUSTER_WIDE, PERMISSIONS
from corvo.http.api.table import routes
from corvo.http.serve.route import PUBLIC

_PAGE: Final = """\
# Permissions

{made}

Every route needs one permission, `RESOURCE:ACTION`; a role holds some of them. [Access](access.md) says how
keys and roles are made. In a role, `*` stands for any action, `write` for any but `read` and `search`, and a
resource may end in a star: `queues:*`, `jobs:read,retry`, `*:read`.

Those of the *whole cluster* count only for keys of all namespaces.

{permissions}

## By route

{routes}
"""


def permissions_page() -> str:
    permissions = table(
        ("permission", "allows to", *BUILT_IN, "whole cluster"),
        [
            (
                f"`{permission}`",
                escape(allows),
                *("yes" if permission in held else "" for held in BUILT_IN.values()),
                "yes" if permission in CLUSTER_WIDE else "",
            )
            for permission, allows in PERMISSIONS.items()
        ],
    )
    by_route = table(
        ("route", "needs"),
        [
            (
                f"`{route.method} {route.path}`",
                "nothing: it is public" if route.needs is PUBLIC else f"`{route.needs}`",
            )
            for route in routes()
        ],
    )
    return _PAGE.format(made=MADE, permissions=permissions, routes=by_route)
