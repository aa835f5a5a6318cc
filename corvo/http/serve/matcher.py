"""Matcher: which of many paths a request is for, the same for all ways in.

    /api/v1/jobs/{job_id}/retry     a name in braces stands for one segment, and not for an empty one
    /ui/{path:path}                 or, at the end, for all that is left

A path without names wins over one with names, unless it does not take the method.
"""

from typing import Generic, NamedTuple, TypeVar

Found = TypeVar("Found")


class Match(NamedTuple, Generic[Found]):
    found: Found
    params: dict[str, str]


class _Place(Generic[Found]):
    """A segment of some paths, and what may follow it."""

    __slots__ = ("by_method", "children", "param", "param_name", "rest", "rest_name")

    def __init__(self) -> None:
        self.by_method: dict[str, Found] = {}
        self.children: dict[str, _Place[Found]] = {}
        self.param: _Place[Found] | None = None
        self.param_name = ""
        self.rest: _Place[Found] | None = None
        self.rest_name = ""


class Matcher(Generic[Found]):
    def __init__(self) -> None:
        self._root: _Place[Found] = _Place()
        # Most requests are for paths without names in them, or with one at the end; these two are short cuts.
        self._exact: dict[str, dict[str, Found]] = {}
        self._by_parent: dict[str, tuple[str, dict[str, Found]]] = {}

    def add(self, method: str, path: str, found: Found) -> None:
        place = self._root
        for segment in path.split("/")[1:]:
            place = self._enter(place, segment)
        assert method not in place.by_method, f"{method} {path} is there already"
        place.by_method[method] = found
        parent, _, last = path.rpartition("/")
        if "{" not in path:
            self._exact.setdefault(path, {})[method] = found
        elif "{" not in parent and ":" not in last:
            self._by_parent.setdefault(parent, (last[1:-1], {}))[1][method] = found

    def _enter(self, place: _Place[Found], segment: str) -> _Place[Found]:
        if not segment.startswith("{"):
            return place.children.setdefault(segment, _Place())
        name, _, kind = segment[1:-1].partition(":")
        if kind == "path":
            place.rest, place.rest_name = place.rest or _Place(), name
            return place.rest
        assert place.param is None or place.param_name == name, f"{name} is called {place.param_name} already"
        place.param, place.param_name = place.param or _Place(), name
        return place.param

    def find(self, method: str, path: str) -> Match[Found] | None:
        exact = self._exact.get(path)
        if exact is not None and method in exact:
            return Match(exact[method], {})
        parent, _, last = path.rpartition("/")
        known = self._by_parent.get(parent)
        if known is not None and last and method in known[1]:
            return Match(known[1][method], {known[0]: last})
        if path[:1] != "/":
            return None
        return self._walk(self._root, path.split("/"), 1, method)

    def _walk(self, place: _Place[Found], segments: list[str], at: int, method: str) -> Match[Found] | None:
        if at == len(segments):
            found = place.by_method.get(method)
            return None if found is None else Match(found, {})
        segment = segments[at]
        child = place.children.get(segment)
        match = None if child is None else self._walk(child, segments, at + 1, method)
        if match is None and segment and place.param is not None:
            match = self._walk(place.param, segments, at + 1, method)
            if match is not None:
                match.params[place.param_name] = segment
        if match is None and place.rest is not None and method in place.rest.by_method:
            rest = "/".join(segments[at:])
            match = Match(place.rest.by_method[method], {place.rest_name: rest}) if rest else None
        return match

    def methods(self, path: str) -> list[str]:
        """Which methods the path takes; none if there is nothing at it."""
        return sorted(method for method in self._all_methods() if self.find(method, path) is not None)

    def _all_methods(self) -> set[str]:
        found: set[str] = set()
        places = [self._root]
        while places:
            place = places.pop()
            found |= place.by_method.keys()
            places += place.children.values()
            places += [each for each in (place.param, place.rest) if each is not None]
        return found
