"""Every error code, for `corvo errors` and docs/reference/errors.md."""

import importlib
from typing import Any

from corvo.core.errors import REGISTRY

#: Modules that add codes of their own to those of core/errors.py; a test finds what is missing here.
_MORE = ("corvo.config",)


def every_error() -> list[dict[str, Any]]:
    for module in _MORE:
        importlib.import_module(module)
    return [
        {"code": code, "status": error.status, "retryable": error.retryable, "meaning": error.hint()}
        for code, error in sorted(REGISTRY.items())
    ]
