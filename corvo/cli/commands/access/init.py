"""`corvo init`: the first key of a node that is not running."""

from pathlib import Path

import click

from corvo.cli.exit_codes import ExitCode
from corvo.cli.output.output import Output
from corvo.cli.problems import Misused, Problem
from corvo.cli.request.session import prints
from corvo.core.limits import KEY_NAME_CHARS_MAX


@click.command("init")
@click.argument("data_dir", type=click.Path(file_okay=False, path_type=Path))
@click.option("--name", default="admin", show_default=True, help="What the key is called.")
@prints
def command(out: Output, data_dir: Path, name: str) -> None:
    """Make an admin's key for the node of DATA_DIR, which must not run meanwhile.

    The key is shown once, and kept in DATA_DIR/admin.key for its owner to move away. The node takes it in
    when it starts, and nobody comes in without a key from then on. On a folder that has keys already it is
    one more: that is the way back in for who has lost theirs.

    \b
    Example:
      corvo init data
      corvo serve --data-dir data
      corvo queues --api-key-file data/admin.key
    """
    from corvo.core.clock import SystemClock  # noqa: PLC0415 - `init --help` needs no storage engine
    from corvo.storage import datadir, first_key  # noqa: PLC0415 - the same

    if not name.strip() or len(name) > KEY_NAME_CHARS_MAX or not name.isprintable():
        raise Misused(f"--name: {name[:40]!r} is not a name of 1 to {KEY_NAME_CHARS_MAX} characters")
    try:
        if datadir.read_marker(data_dir) is not None and datadir.is_locked(data_dir):
            raise Problem(
                f"{data_dir} is in use: its node runs",
                ExitCode.CONFLICT,
                "`corvo keys create NAME --role admin --of '*'` makes an admin's key on a running node; "
                "without a key that works, stop the node first.",
            )
        with datadir.held(data_dir):
            key, file = first_key.make_first_key(data_dir, name, SystemClock())
    except datadir.DataDirProblem as problem:
        raise Problem(str(problem), ExitCode.REFUSED) from None
    except OSError as error:
        raise Problem(f"{data_dir} cannot be used: {error.strerror}", ExitCode.REFUSED) from None
    out.one(
        {"name": name, "api_key": key, "file": str(file)},
        f"{key}\n\nThis admin's key is not shown again. It is also in {file}: move it to where you keep\n"
        "secrets. The node takes it in at its next start, and wants a key from then on:\n\n"
        f"  corvo serve --data-dir {data_dir}\n  corvo whoami --api-key-file {file}",
        id_member="name",
    )
