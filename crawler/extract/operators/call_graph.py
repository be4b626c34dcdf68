"""Build the call graph of a project by name, across files and through registration macros."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Final, Protocol, TypeVar

from crawler.extract.operators.file_outline import (
    FileOutline,
    MacroRegistration,
    OutlinedFunction,
    PythonBinding,
)
from crawler.extract.operators.project_files import HEADER_SUFFIXES
from crawler.extract.operators.used_names import UsedNames
from crawler.model import Span

_MAX_NAMESAKES: Final = 4
"""A name that more functions share, equally near, says nothing."""
_AUTOGRAD_METHODS: Final = frozenset({"forward", "backward"})
"""Methods that torch calls when code says `Class::apply`."""
_MAX_NESTED_MACROS: Final = 2
_MAX_STEPS: Final = 8
_MAX_REACHED: Final = 400
_SAME_FILE: Final = 1_000
"""Counts for more than any number of folders that two paths share."""


class _HasSpan(Protocol):
    @property
    def span(self) -> Span: ...


_Placed = TypeVar("_Placed", bound=_HasSpan)


@dataclass(frozen=True, slots=True)
class CallStep:
    """A function, how it was reached, and from where."""

    function: OutlinedFunction
    evidence: str
    previous_step: CallStep | None = None

    def trace_steps(self) -> list[CallStep]:
        """Return the steps that lead here, this one last."""
        steps = [self]
        previous = self.previous_step

        while previous is not None:
            steps.append(previous)
            previous = previous.previous_step

        steps.reverse()
        return steps


class CallGraph:
    """The functions of a project and the names that lead from one to another."""

    def __init__(self, outlines: Iterable[FileOutline]) -> None:
        self.outlines = {outline.path: outline for outline in outlines}
        self._functions_by_name: dict[str, list[OutlinedFunction]] = defaultdict(list)

        for outline in self.outlines.values():
            for function in outline.functions:
                self._add_function(function)

        # by the name that code uses: `add_stub` for `REGISTER(add_stub, add_kernel)`
        self._registrations: dict[str, list[MacroRegistration]] = defaultdict(list)
        for outline in self.outlines.values():
            for registration in outline.registrations:
                key, *targets = registration.arguments
                # most macros beside functions name none: licence headers, exports, test cases
                if any(target in self._functions_by_name for target in targets):
                    self._registrations[key].append(registration)

        self._included_files = frozenset[str]().union(
            *(outline.included_files for outline in self.outlines.values())
        )
        self._included_by_name: dict[str, set[str]] = defaultdict(set)
        for outline in self.outlines.values():
            file_name = PurePosixPath(outline.path).name
            self._included_by_name[file_name] |= outline.included_files
        self._known_names = self._functions_by_name.keys() | self._registrations.keys()
        self.find_callees = cache(self._find_callees)
        self.find_included_names = cache(self._find_included_names)

    def resolve_binding(self, binding: PythonBinding) -> list[OutlinedFunction]:
        """Return the functions that a binding leads to: the first name that is one."""
        for word in binding.target_words:
            functions = self._resolve_name(word, binding.span.path)
            if functions:
                return functions

        return []

    def find_reachable(
        self, start_functions: Iterable[OutlinedFunction], evidence: str
    ) -> list[CallStep]:
        """Return what functions call, directly or not, each once by its shortest way."""
        return self.find_reachable_from(
            CallStep(function, evidence) for function in start_functions
        )

    def find_reachable_from(self, start_steps: Iterable[CallStep]) -> list[CallStep]:
        """Return steps and what their functions call, each once by its shortest way."""
        steps = list(start_steps)
        reached_spans = {step.function.span for step in steps}

        # breadth first: the list grows while it is walked
        for step in steps:
            if len(steps) > _MAX_REACHED or len(step.trace_steps()) > _MAX_STEPS:
                continue

            for callee, callee_evidence in self.find_callees(step.function):
                if callee.span not in reached_spans:
                    reached_spans.add(callee.span)
                    steps.append(CallStep(callee, callee_evidence, step))

        return steps

    def find_enclosing_function(self, span: Span) -> OutlinedFunction | None:
        """Return the function that a place is in."""
        outline = self.outlines.get(span.path)
        return outline.find_function_at(span.offset) if outline else None

    def _add_function(self, function: OutlinedFunction) -> None:
        call_name = function.call_name
        self._functions_by_name[call_name].append(function)

        if call_name in _AUTOGRAD_METHODS and "::" in function.name:
            # `Add::forward` is also found as `Add`
            class_name = function.name.split("::")[-2]
            self._functions_by_name[class_name].append(function)

    def _find_callees(
        self, function: OutlinedFunction
    ) -> tuple[tuple[OutlinedFunction, str], ...]:
        """Return (function, evidence) of each function that one calls."""
        return tuple(self._iter_callees(function))

    def _iter_callees(
        self, function: OutlinedFunction
    ) -> Iterator[tuple[OutlinedFunction, str]]:
        path = function.span.path
        free_names, member_names = self._collect_names(function)
        names = free_names | member_names

        for name in sorted(names & self._known_names):
            callees: list[OutlinedFunction] = []
            # its own name may also be that of a stub which it is registered for
            # a function that calls itself leads nowhere new
            if name != function.call_name:
                members_only = name not in free_names
                candidates = self._resolve_name(name, path, members_only=members_only)
                callees = [
                    callee for callee in candidates if _is_called(callee, name, names)
                ]

            for callee in callees:
                yield callee, "calls"

            if not callees:
                yield from self._iter_registered(name, path)

    def _collect_names(self, function: OutlinedFunction) -> UsedNames:
        """Return the names that a function uses.

        Those in the macros of its file that it uses are among them.
        """
        macro_names = self.outlines[function.span.path].macro_names
        names = function.names

        for _ in range(_MAX_NESTED_MACROS):
            for macro in names.free & macro_names.keys():
                names = names.join(macro_names[macro])

        return names

    def _iter_registered(
        self, key: str, path: str
    ) -> Iterator[tuple[OutlinedFunction, str]]:
        registrations = self._registrations.get(key, ())
        for registration in select_nearest(registrations, path):
            for name in registration.arguments[1:]:
                evidence = f"registered: {_registration_key(registration, name)}"
                for function in self._resolve_name(name, registration.span.path):
                    yield function, evidence

    def _resolve_name(
        self, name: str, path: str, *, members_only: bool = False
    ) -> list[OutlinedFunction]:
        """Return the functions that a name in a file can mean, the nearest of them."""
        unqualified_name = name.rpartition("::")[2]
        namesakes = [
            function
            for function in self._functions_by_name.get(unqualified_name, ())
            if self._is_visible(function, path)
            and (function.is_member or not members_only)
            and self._is_included(function, path)
        ]
        functions = select_nearest(namesakes, path)

        return functions if len(functions) <= _MAX_NAMESAKES else []

    def _is_visible(self, function: OutlinedFunction, path: str) -> bool:
        """Return whether code of a file can call a function."""
        own_path = PurePosixPath(function.span.path)
        return (
            not function.is_internal
            or function.span.path == path
            or own_path.suffix.lower() in HEADER_SUFFIXES
            or own_path.name in self._included_files
        )

    def _is_included(self, function: OutlinedFunction, path: str) -> bool:
        """Return whether a file that is to know the class of a member includes its header."""
        own_path = PurePosixPath(function.span.path)
        is_of_header = own_path.suffix.lower() in HEADER_SUFFIXES
        if not (function.is_member and is_of_header) or function.span.path == path:
            return True
        return own_path.name in self.find_included_names(path)

    def _find_included_names(self, path: str) -> frozenset[str]:
        """Return the names of the headers that a file includes, and of those that these include."""
        outline = self.outlines.get(path)
        pending = list(outline.included_files) if outline else []
        names: set[str] = set()
        while pending:
            name = pending.pop()
            if name not in names:
                names.add(name)
                pending += self._included_by_name.get(name, ())

        return frozenset(names)


def _is_called(callee: OutlinedFunction, name: str, names: frozenset[str]) -> bool:
    """Tell whether code that uses `names` calls what `name` leads to.

    The name of a class leads to its `forward`, which is called by `Class::apply(…)` and
    `Class::forward(…)`, not by `Class::other(…)`.
    """
    is_class_name = name != callee.call_name
    return not is_class_name or not names.isdisjoint(("apply", callee.call_name))


def select_nearest(candidates: Sequence[_Placed], path: str) -> list[_Placed]:
    """Return the candidates of the same file, else those that share the most folders with it."""
    # the usual case, without a look at paths
    if len(candidates) <= 1:
        return list(candidates)

    nearness = [
        _count_shared_folders(candidate.span.path, path) for candidate in candidates
    ]
    greatest = max(nearness)

    return [
        candidate
        for candidate, shared in zip(candidates, nearness, strict=True)
        if shared == greatest
    ]


def _count_shared_folders(path: str, other_path: str) -> int:
    """Return how many folders two paths have in common; the file itself counts for most."""
    if path == other_path:
        return _SAME_FILE

    folders = PurePosixPath(path).parent.parts
    other_folders = PurePosixPath(other_path).parent.parts
    count = 0

    for folder, other_folder in zip(folders, other_folders, strict=False):
        if folder != other_folder:
            break
        count += 1

    return count


def _registration_key(registration: MacroRegistration, name: str) -> str:
    """Return what a function is registered under, such as `CPU`; else the macro's name."""
    for argument in registration.arguments[1:]:
        if argument != name:
            return argument

    return registration.macro
