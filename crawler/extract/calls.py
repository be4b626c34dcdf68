"""Who calls whom in a project, by the names in its text: across files and through registries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Final, TypeVar

from crawler.extract.outline import Bound, Function, Outline, Registration
from crawler.model import Span

_MOST_NAMESAKES: Final = 4
"""A name that more functions share, equally near, says nothing."""
_AUTOGRAD: Final = frozenset({"forward", "backward"})
"""Methods that torch calls when code says `Class::apply`."""
_DEEPEST_MACRO: Final = 2
_FURTHEST: Final = 8
_MOST_REACHED: Final = 400
_Placed = TypeVar("_Placed")


@dataclass(frozen=True, slots=True)
class Step:
    """A function, how it was reached, and from where."""

    function: Function
    evidence: str
    before: Step | None = None

    def way(self) -> list[Step]:
        """Return the steps that lead here, this one last."""
        return [*(self.before.way() if self.before else ()), self]


class Calls:
    """The functions of a project and the names that lead from one to another."""

    def __init__(self, outlines: Iterable[Outline]) -> None:
        self.outlines = {each.path: each for each in outlines}
        self._named: dict[str, list[Function]] = defaultdict(list)
        self._registered: dict[str, list[Registration]] = defaultdict(list)
        for each in self.outlines.values():
            for function in each.functions:
                self._named[function.last].append(function)
                if function.last in _AUTOGRAD and "::" in function.name:
                    self._named[function.name.split("::")[-2]].append(function)
        for each in self.outlines.values():
            for registration in each.registrations:
                if any(name in self._named for name in registration.arguments[1:]):
                    self._registered[registration.arguments[0]].append(registration)
        self._known = self._named.keys() | self._registered.keys()
        self.callees = cache(self._callees)

    def bound(self, binding: Bound) -> list[Function]:
        """Return the functions that a binding leads to: the first name that is one."""
        for word in binding.words:
            found = self._resolved(word, binding.span.path)
            if found:
                return found
        return []

    def reached(self, starts: Iterable[Function], evidence: str) -> list[Step]:
        """Return what functions call, directly or not, each once by its shortest way."""
        steps = [Step(function, evidence) for function in starts]
        seen = {step.function.span for step in steps}
        for step in steps:
            if len(steps) > _MOST_REACHED or len(step.way()) > _FURTHEST:
                continue
            for function, how in self.callees(step.function):
                if function.span not in seen:
                    seen.add(function.span)
                    steps.append(Step(function, how, step))
        return steps

    def enclosing(self, span: Span) -> Function | None:
        """Return the function that a place is in."""
        outline = self.outlines.get(span.path)
        return outline.at(span.offset) if outline else None

    def _callees(self, function: Function) -> tuple[tuple[Function, str], ...]:
        return tuple(self._called(function))

    def _called(self, function: Function) -> Iterator[tuple[Function, str]]:
        for word in sorted(self._words(function) & self._known):
            own = word == function.last
            direct = [] if own else self._resolved(word, function.span.path)
            yield from ((found, "calls") for found in direct)
            if not direct:
                yield from self._through_registry(word, function.span.path)

    def _words(self, function: Function) -> frozenset[str]:
        """Return the names that a function uses, those in the macros of its file that it uses among them."""
        macros = self.outlines[function.span.path].macros
        words = function.words
        for _ in range(_DEEPEST_MACRO):
            words = words.union(*(macros[word] for word in words & macros.keys()))
        return words

    def _through_registry(self, key: str, path: str) -> Iterator[tuple[Function, str]]:
        for registration in nearest(self._registered.get(key, ()), path):
            for name in registration.arguments[1:]:
                for found in self._resolved(name, registration.span.path):
                    yield found, f"registered: {_key(registration, name)}"

    def _resolved(self, name: str, path: str) -> list[Function]:
        found = nearest(self._named.get(name.rpartition("::")[2], ()), path)
        return found if len(found) <= _MOST_NAMESAKES else []


def nearest(candidates: Sequence[_Placed], path: str) -> list[_Placed]:
    """Return those of the same file, else those whose folder shares the most with that of `path`."""
    if len(candidates) <= 1:
        return list(candidates)
    shared = [_shared(candidate.span.path, path) for candidate in candidates]  # type: ignore[attr-defined]
    most = max(shared)
    return [candidate for candidate, length in zip(candidates, shared, strict=True) if length == most]


def _shared(one: str, other: str) -> int:
    """Return how many folders two paths have in common; the file itself counts too."""
    if one == other:
        return 1_000
    pairs = zip(PurePosixPath(one).parent.parts, PurePosixPath(other).parent.parts, strict=False)
    count = 0
    for left, right in pairs:
        if left != right:
            break
        count += 1
    return count


def _key(registration: Registration, name: str) -> str:
    others = [word for word in registration.arguments[1:] if word != name]
    return others[0] if others else registration.macro
