"""`corvo keys`: who may come in. A key is shown once, when it is made."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from corvo.cli.exit_codes import ExitCode
from corvo.cli.input.confirm import confirm, yes_option
from corvo.cli.output.output import Output
from corvo.cli.output.table import Column
from corvo.cli.problems import Misused, Problem
from corvo.cli.request.client import segment
from corvo.cli.request.secret_files import read_secret
from corvo.cli.request.session import Duration, Session, is_alone, prints, talks_to_server

_PAGE = 1_000

COLUMNS = [
    Column("NAME", "name"),
    Column("ROLE", lambda key: ",".join([key["role"], *key["roles"]])),
    Column("NAMESPACE", "namespace"),
    Column("QUEUES", "queue_scope"),
    Column("ENABLED", "enabled"),
    Column("USED", "last_used_at", "time"),
    Column("EXPIRES", "expires_at", "time"),
    Column("BY", "created_by"),
    Column("ID", "id"),
]
_CARD = [
    *COLUMNS[:-1],
    Column("CREATED", "created_at", "time"),
    Column("FORMER SECRET UNTIL", "former_until", "time"),
    Column("HASH", "key_hash"),
]

_key = click.argument("key", metavar="ID")
_save = click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the key to this new file, for its owner only, instead of printing it.",
)


def _path(key: str, verb: str = "") -> str:
    return f"/api/v1/auth/keys/{segment(key)}{verb}"


def _facts(function: Callable[..., Any]) -> Callable[..., Any]:
    """Options that say what a key may do and how long."""
    for option in reversed(
        [
            click.option(
                "--role", metavar="ROLE", help="admin, operator, producer, worker, readonly or your own."
            ),
            click.option("--queues", metavar="GLOBS", help="Queues it may touch, such as 'mail-*,reports'."),
            click.option("--of", "home", metavar="NAMESPACE", help="The namespace it belongs to; * is all."),
            click.option(
                "--expires-in", type=Duration(may_be_none=False), help="Counts no longer after this."
            ),
            click.option("--expires-at", metavar="TIME", help="Counts no longer from then on."),
        ]
    ):
        function = option(function)
    return function


@click.group("keys", invoke_without_command=True)
@talks_to_server
@click.pass_context
def command(ctx: click.Context, session: Session) -> None:
    """List API keys, or work on one.

    \b
    Examples:
      corvo keys create root --role admin --of '*' --save root.key
      corvo keys create mailer --role worker --queues 'mail-*' --save mailer.key
      corvo keys rotate key_01J8... --overlap 1h --save mailer.key.new
      corvo keys disable key_01J8...
    """
    if is_alone(ctx):
        _list(session)


@command.command("list")
@talks_to_server
def list_keys(session: Session) -> None:
    """List the keys of your namespace, oldest first. Their secrets are known to nobody."""
    _list(session)


def _list(session: Session) -> None:
    session.out.many(_all(session), COLUMNS)


def _all(session: Session) -> Iterator[dict[str, Any]]:
    after = None
    while True:
        page = session.api.get("/api/v1/auth/keys", after=after, limit=_PAGE)
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1]["id"]


@command.command("show")
@click.argument("key", metavar="ID|NAME")
@talks_to_server
def show(session: Session, key: str) -> None:
    """Show one key, named by its id, its hash or its name."""
    found = [each for each in _all(session) if key in (each["id"], each["key_hash"], each["name"])]
    if not found:
        raise Problem(f"key {key} does not exist", ExitCode.NOT_FOUND, "`corvo keys` lists those there are.")
    if len(found) > 1:
        ids = ", ".join(each["id"] for each in found)
        raise Misused(f"{len(found)} keys are called {key}: {ids}", "Name one of them by its id.")
    session.out.card(found[0], _CARD, id_member="id")


@command.command("create")
@click.argument("name")
@_facts
@click.option(
    "--key-file",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="File with a key made by `corvo keys new`; - for stdin. Without it the server makes one.",
)
@click.option("--certificate", metavar="NAME", help="Stands for client certificates of this common name.")
@_save
@talks_to_server
def create(
    session: Session,
    name: str,
    role: str | None,
    key_file: str | None,
    certificate: str | None,
    save: Path | None,
    **facts: Any,
) -> None:
    """Make a key called NAME. It is printed once: whoever has it is who it says.

    The role is readonly unless you say more. The first key of a server shuts it, and has to be an admin's of
    all namespaces.

    \b
    Examples:
      corvo keys create root --role admin --of '*' --save root.key
      corvo keys create mailer --role worker --queues 'mail-*' --expires-in 2160h
    """
    with _Saving(save) as saving:
        body = _body(session, facts) | {"name": name, "role": role, "certificate": certificate}
        if key_file is not None:
            body["key"] = read_secret("the key", key_file)
        body.setdefault("namespace", session.api.target.namespace)
        made = session.api.post("/api/v1/auth/keys", _given(body))
        saving.tell(session, made, "made", is_known=bool(key_file or certificate))


@command.command("update")
@_key
@click.option("--name", help="What it is called.")
@_facts
@talks_to_server
def update(session: Session, key: str, name: str | None, role: str | None, **facts: Any) -> None:
    """Change what a key may do. Its secret stays as it is.

    \b
    Example:
      corvo keys update key_01J8... --role operator --queues ''
    """
    body = _given(_body(session, facts) | {"name": name, "role": role})
    if not body:
        raise Misused("there is nothing to change", "`corvo keys update --help` shows what can be.")
    _say(session, session.api.post("/api/v1/auth/keys", body | {"id": key}), "changed")


@command.command("rotate")
@_key
@click.option("--overlap", metavar="DURATION", help="How long the former one still counts.  [default: 24h]")
@_save
@talks_to_server
def rotate(session: Session, key: str, overlap: str | None, save: Path | None) -> None:
    """Give a key a new secret. The former one still counts for a while, so that clients can be changed one
    after the other; `--overlap 0s` ends it at once.

    \b
    Example:
      corvo keys rotate key_01J8... --overlap 1h --save mailer.key.new
    """
    with _Saving(save) as saving:
        made = session.api.post(_path(key, "/rotate"), _given({"overlap": overlap}))
        saving.tell(session, made, f"has a new secret; the former one counts until {made['former_until']}")


@command.command("enable")
@_key
@talks_to_server
def enable(session: Session, key: str) -> None:
    """Let a disabled key count again."""
    _say(session, session.api.post("/api/v1/auth/keys", {"id": key, "enabled": True}), "enabled")


@command.command("disable")
@_key
@talks_to_server
def disable(session: Session, key: str) -> None:
    """Let a key count no longer, on every node within two seconds. It can be enabled again."""
    _say(session, session.api.post("/api/v1/auth/keys", {"id": key, "enabled": False}), "disabled")


@command.command("delete")
@_key
@yes_option
@talks_to_server
def delete(session: Session, key: str, yes: bool) -> None:
    """Let a key count no longer, and forget it. Deleting the last one does not open the server."""
    confirm(f"This removes the key {key}.", key, yes=yes)
    session.api.delete(_path(key))
    _say(session, {"id": key}, "deleted")


@command.command("grant")
@_key
@click.argument("role")
@talks_to_server
def grant(session: Session, key: str, role: str) -> None:
    """Give a key a further role."""
    session.api.post(_path(key, "/roles"), {"role": role})
    _say(session, {"id": key, "role": role}, f"has the role {role}, too")


@command.command("revoke")
@_key
@click.argument("role")
@talks_to_server
def revoke(session: Session, key: str, role: str) -> None:
    """Take a further role away from a key."""
    session.api.delete(_path(key, f"/roles/{segment(role)}"))
    _say(session, {"id": key, "role": role}, f"has the role {role} no longer")


@command.command("new")
@prints
def new(out: Output) -> None:
    """Print a fresh key that no server knows yet: for --api-key-file of `corvo serve`, and for
    `corvo keys create --key-file`.

    \b
    Example:
      (umask 077 && corvo keys new > api.key)
    """
    from corvo.core.access.api_key import new_key  # noqa: PLC0415 - only this command makes one itself

    made = new_key()
    out.one({"api_key": made}, made, id_member="api_key")


class _Saving:
    """The file that a key is to be written to. It is made before the key is, so that a key is never made and
    then lost; and removed again if none was made."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._is_written = False

    def __enter__(self) -> "_Saving":
        if self._file is not None:
            try:
                os.close(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            except OSError as error:
                raise Misused(f"--save: {self._file} cannot be made: {error.strerror}") from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None and not self._is_written:
            self._file.unlink(missing_ok=True)

    def tell(self, session: Session, made: dict[str, Any], what: str, *, is_known: bool = False) -> None:
        """Print or write the key that the server has made."""
        if "api_key" not in made:
            if not is_known:
                session.talk(
                    f"The answer with the key was lost. `corvo keys rotate {made['id']}` makes another."
                )
            _say(session, made, what)
        elif self._file is None:
            text = f"{made['api_key']}\n\n{made['id']} {what}. The key is not shown again."
            session.out.one(made, text)
        else:
            self._file.write_text(made["api_key"] + "\n")
            self._is_written = True
            shown = {name: value for name, value in made.items() if name != "api_key"}
            _say(session, shown | {"file": str(self._file)}, f"{what}; the key is in {self._file}")


def _body(session: Session, facts: dict[str, Any]) -> dict[str, Any]:
    expires_at = facts["expires_at"]
    if facts["expires_in"] is not None:
        if expires_at is not None:
            raise Misused("--expires-in and --expires-at are two ways to say one thing")
        ends_s = session.clock.now_ns() / 1e9 + facts["expires_in"]
        expires_at = datetime.fromtimestamp(ends_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    body = {"namespace": facts["home"], "queue_scope": facts["queues"], "expires_at": expires_at}
    return _given(body)


def _given(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value is not None}


def _say(session: Session, answer: dict[str, Any], what: str) -> None:
    session.out.one(answer, f"{answer['id']} {what}")
