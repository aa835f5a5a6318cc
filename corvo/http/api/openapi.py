"""The route table as an OpenAPI 3.1 document."""

from collections.abc import Iterable
from typing import Any

import msgspec

from corvo.core.errors import CorvoError, RateLimited
from corvo.http.serve.route import Route


class ErrorAnswer(msgspec.Struct, omit_defaults=True):
    """What every failure looks like. Match on `code`."""

    error: str
    code: str
    hint: str
    request_id: str
    retry_after_ms: int | None = None
    job_state: str | None = None


#: Any write may be made repeatable with it.
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Same key and same body within 24 hours: the first answer again, and no second effect.",
    "schema": {"type": "string", "maxLength": 256},
}


def document(routes: Iterable[Route], version: str) -> dict[str, Any]:
    routes = [route for route in routes if route.tag != "Docs"]
    types = [route.body for route in routes if route.body]
    types += [answer for route in routes for answer in _answers(route)]
    schemas, components = msgspec.json.schema_components(
        [*types, ErrorAnswer], ref_template="#/components/schemas/{name}"
    )
    strict = {kind.__name__ for kind in types if getattr(kind, "STRICT", False)}
    for name, component in components.items():
        # A member that is unknown is named in the answer; only a strict client has it refused.
        if name not in strict:
            component.pop("additionalProperties", None)
    by_type = dict(zip(map(id, [*types, ErrorAnswer]), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        operation = _operation(route, by_type)
        paths.setdefault(route.path, {})[route.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {"title": "Corvo", "version": version, "summary": "A language-agnostic job server."},
        "paths": paths,
        "components": {"schemas": components},
    }


def _operation(route: Route, by_type: dict[int, Any]) -> dict[str, Any]:
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _names(route.path)
    ]
    parameters += [
        {"name": name, "in": "query", "required": False, "description": text, "schema": {"type": "string"}}
        for name, text in route.query.items()
    ]
    if route.method != "GET":
        parameters.append(_IDEMPOTENCY_KEY)
    operation: dict[str, Any] = {
        "operationId": getattr(route.handler, "__name__", route.path),
        "tags": [route.tag],
        "summary": route.summary,
        "description": route.description,
        "parameters": parameters,
        "responses": _responses(route, by_type),
    }
    if route.body:
        operation["requestBody"] = {"content": {"application/json": {"schema": by_type[id(route.body)]}}}
    return operation


def _responses(route: Route, by_type: dict[int, Any]) -> dict[str, Any]:
    good: dict[str, Any] = {"description": "Done"}
    answers = [by_type[id(answer)] for answer in _answers(route)]
    if answers:
        schema = answers[0] if len(answers) == 1 else {"anyOf": answers}
        good["content"] = {"application/json": {"schema": schema}}
    responses = {str(route.status): good}
    for status in route.also:
        responses[str(status)] = {"description": _ALSO[status]} if status == 204 else good
    failures: dict[int, list[str]] = {}
    errors: set[type[CorvoError]] = {*route.errors, CorvoError}
    if route.limited:
        errors.add(RateLimited)
    for error in sorted(errors, key=lambda cls: cls.code):
        failures.setdefault(error.status, []).append(f"`{error.code}`: {error.hint()}")
    for status, texts in sorted(failures.items()):
        responses[str(status)] = {
            "description": "\n\n".join(texts),
            "content": {"application/json": {"schema": by_type[id(ErrorAnswer)]}},
        }
    return responses


def _answers(route: Route) -> tuple[Any, ...]:
    if route.returns is None:
        return ()
    return route.returns if isinstance(route.returns, tuple) else (route.returns,)


_ALSO = {200: "Nothing new was created", 204: "Nothing to hand out within the wait"}


def _names(path: str) -> list[str]:
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]
