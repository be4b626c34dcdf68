"""Build the call graph of a project by name, across files and through registration macros."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Final, TypeVar

from crawler.extract.operators.outline import (
    FileOutline,
    MacroRegistration,
    OutlinedFunction,
    PythonBinding,
)
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
class CallStep:
    """A function, how it was reached, and from where."""

    function: OutlinedFunction
    evidence: str
    previous_step: CallStep | None = None

    def trace_steps(self) -> list[CallStep]:
        """Return the steps that lead here, this one last."""
        return [*(self.previous_step.trace_steps() if self.previous_step else ()), self]


class CallGraph:
    """The functions of a project and the names that lead from one to another."""

    def __init__(self, outlines: Iterable[FileOutline]) -> None:
        self.outlines = {each.path: each for each in outlines}
        self._named: dict[str, list[OutlinedFunction]] = defaultdict(list)
        self._registered: dict[str, list[MacroRegistration]] = defaultdict(list)
        for each in self.outlines.values():
            for function in each.functions:
                self._named[function.call_name].append(function)
                if function.call_name in _AUTOGRAD and "::" in function.name:
                    self._named[function.name.split("::")[-2]].append(function)
        for each in self.outlines.values():
            for registration in each.registrations:
                if any(name in self._named for name in registration.arguments[1:]):
                    self._registered[registration.arguments[0]].append(registration)
        self._known = self._named.keys() | self._registered.keys()
        self.find_callees = cache(self._callees)

    def resolve_binding(self, binding: PythonBinding) -> list[OutlinedFunction]:
        """Return the functions that a binding leads to: the first name that is one."""
        for word in binding.target_words:
            found = self._resolved(word, binding.span.path)
            if found:
                return found
        return []

    def find_reachable(
        self, start_functions: Iterable[OutlinedFunction], evidence: str
    ) -> list[CallStep]:
        """Return what functions call, directly or not, each once by its shortest way."""
        steps = [CallStep(function, evidence) for function in start_functions]
        seen = {step.function.span for step in steps}
        for step in steps:
            if len(steps) > _MOST_REACHED or len(step.trace_steps()) > _FURTHEST:
                continue
            for function, how in self.find_callees(step.function):
                if function.span not in seen:
                    seen.add(function.span)
                    steps.append(CallStep(function, how, step))
        return steps

    def find_enclosing_function(self, span: Span) -> OutlinedFunction | None:
        """Return the function that a place is in."""
        outline = self.outlines.get(span.path)
        return outline.find_function_at(span.offset) if outline else None

    def _callees(
        self, function: OutlinedFunction
    ) -> tuple[tuple[OutlinedFunction, str], ...]:
        return tuple(self._called(function))

    def _called(
        self, function: OutlinedFunction
    ) -> Iterator[tuple[OutlinedFunction, str]]:
        for word in sorted(self._words(function) & self._known):
            own = word == function.call_name
            direct = [] if own else self._resolved(word, function.span.path)
            yield from ((found, "calls") for found in direct)
            if not direct:
                yield from self._through_registry(word, function.span.path)

    def _words(self, function: OutlinedFunction) -> frozenset[str]:
        """Return the names that a function uses, those in the macros of its file that it uses
        among them.
        """
        macros = self.outlines[function.span.path].macro_words
        words = function.body_words
        for _ in range(_DEEPEST_MACRO):
            words = words.union(*(macros[word] for word in words & macros.keys()))
        return words

    def _through_registry(
        self, key: str, path: str
    ) -> Iterator[tuple[OutlinedFunction, str]]:
        for registration in select_nearest(self._registered.get(key, ()), path):
            for name in registration.arguments[1:]:
                for found in self._resolved(name, registration.span.path):
                    yield found, f"registered: {_key(registration, name)}"

    def _resolved(self, name: str, path: str) -> list[OutlinedFunction]:
        found = select_nearest(self._named.get(name.rpartition("::")[2], ()), path)
        return found if len(found) <= _MOST_NAMESAKES else []


def select_nearest(candidates: Sequence[_Placed], path: str) -> list[_Placed]:
    """Return those of the same file, else those whose folder shares the most with that of
    `path`.
    """
    if len(candidates) <= 1:
        return list(candidates)
    shared = [_shared(candidate.span.path, path) for candidate in candidates]  # type: ignore[attr-defined]
    most = max(shared)
    return [
        candidate
        for candidate, length in zip(candidates, shared, strict=True)
        if length == most
    ]


def _shared(one: str, other: str) -> int:
    """Return how many folders two paths have in common; the file itself counts too."""
    if one == other:
        return 1_000
    pairs = zip(
        PurePosixPath(one).parent.parts, PurePosixPath(other).parent.parts, strict=False
    )
    count = 0
    for left, right in pairs:
        if left != right:
            break
        count += 1
    return count


def _key(registration: MacroRegistration, name: str) -> str:
    others = [word for word in registration.arguments[1:] if word != name]
    return others[0] if others else registration.macro
