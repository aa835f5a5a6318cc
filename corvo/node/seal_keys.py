"""Seal keys: read from a file, or from what a command prints (docs/encryption.md).

    current = "2026-11"

    [keys]
    "2026-05" = "<32 bytes in base64>"
    "2026-11" = "<32 bytes in base64>"

TOML, or the same as JSON. The order counts: the first key makes digests, so new ones are added at the end.
"""

import asyncio
import base64
import json
import os
import shlex
import stat
import subprocess
import tomllib
from pathlib import Path
from typing import Any, Final

import structlog

from corvo.config import Config
from corvo.core.sealing.form import KEY_ID_BYTES_MAX
from corvo.core.sealing.keyring import KEY_BYTES, SealKeyring
from corvo.core.sealing.patterns import Patterns
from corvo.http.serve.sealing import Sealing

log = structlog.get_logger()

_COMMAND_S_MAX: Final = 30


class SealKeysProblem(Exception):
    """The keys cannot be had, or cannot be understood."""


def make_sealing(config: Config) -> Sealing:
    """Raises SealKeysProblem."""
    return Sealing(_keyring(config), Patterns(config.seal))


async def reload(sealing: Sealing, config: Config) -> None:
    """Read the keys again. If that fails the node goes on with those it has."""
    try:
        keyring = await asyncio.to_thread(_keyring, config)
    except SealKeysProblem as problem:
        log.warning("seal.keys_not_reloaded", reason=str(problem))
        return
    keyring.tally = sealing.keyring.tally
    sealing.use(keyring)
    log.info("seal.keys_reloaded", keys=list(keyring.key_ids), current=keyring.current)


def _keyring(config: Config) -> SealKeyring:
    if config.seal_keys:
        return parse(_read(Path(config.seal_keys)), config.seal_keys)
    if config.seal_keys_command:
        return parse(_run(config.seal_keys_command), "--seal-keys-command")
    return SealKeyring({})


def _read(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            mode = stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
            if mode & 0o077:
                raise SealKeysProblem(
                    f"{file} may be read by others than its owner (mode {mode:04o}). Run: chmod 600 {file}"
                )
            return stream.read().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise SealKeysProblem(f"--seal-keys: {file} cannot be read: {error}") from None


def _run(command: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the operator's own command, and no shell in between
            shlex.split(command), capture_output=True, timeout=_COMMAND_S_MAX, check=True, text=True
        )
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip()[-200:]
        raise SealKeysProblem(f"--seal-keys-command ended with {error.returncode}: {said}") from None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise SealKeysProblem(f"--seal-keys-command failed: {error}") from None
    return done.stdout


def parse(text: str, where: str) -> SealKeyring:
    try:
        given: Any = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except ValueError:
        # Not with the parser's words: they may quote a key.
        raise SealKeysProblem(f"{where}: it is neither TOML nor JSON") from None
    keys, current = given.get("keys"), given.get("current")
    if not isinstance(keys, dict) or not keys:
        raise SealKeysProblem(f"{where}: there are no keys in it, under [keys]")
    if current not in keys:
        raise SealKeysProblem(f"{where}: `current` does not name one of its keys")
    return SealKeyring({key_id: _key(key_id, key, where) for key_id, key in keys.items()}, current)


def _key(key_id: str, key: Any, where: str) -> bytes:
    if not 0 < len(key_id.encode()) <= KEY_ID_BYTES_MAX or not key_id.isprintable():
        raise SealKeysProblem(f"{where}: a key has an id that is empty or has over {KEY_ID_BYTES_MAX} bytes")
    try:
        secret = base64.b64decode(key, validate=True)
    except (TypeError, ValueError):
        secret = b""
    if len(secret) != KEY_BYTES:
        raise SealKeysProblem(
            f"{where}: key {key_id!r} is not {KEY_BYTES} bytes in base64. `openssl rand -base64 32` makes one"
        )
    return secret
