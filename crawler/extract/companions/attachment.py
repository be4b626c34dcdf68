"""Attach to kernels what their host code rests on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.extract.companions.definition import (
    Definition,
    find_names,
    strip_qualifiers,
)
from crawler.extract.companions.project_definitions import ProjectDefinitions
from crawler.model import (
    CompanionKind,
    HostCode,
    HostCompanion,
    Kernel,
    OperatorRole,
    Span,
)

_ROLES: Final = (OperatorRole.LAUNCHER, OperatorRole.DISPATCHER)
"""Whose names are followed."""
_MAX_BYTES: Final = 32 << 10
"""Bytes a kernel."""
_MAX_COMPANIONS: Final = 200
_MAX_STEPS: Final = 4
"""Names within names, from the host code on."""
_MAX_CALLERS: Final = 4
"""Functions that call one function."""
_MAX_CALLER_STEPS: Final = 3


def attach_companions(root: Path, kernels: Sequence[Kernel]) -> tuple[Kernel, ...]:
    """Return kernels with the definitions that their launchers name, and their callers.

    The host code itself is expected to be there.
    """
    project = ProjectDefinitions(root)
    return tuple(
        replace(kernel, companions=tuple(_limit_size(_Walk(kernel, project).walk())))
        for kernel in kernels
    )


def _limit_size(companions: Iterable[HostCompanion]) -> Iterator[HostCompanion]:
    remaining_bytes = _MAX_BYTES
    for count, companion in enumerate(companions):
        remaining_bytes -= len(companion.source)
        if remaining_bytes < 0 or count >= _MAX_COMPANIONS:
            return
        yield companion


class _Walk:
    """A walk from the host code of a kernel over names, the nearest first."""

    def __init__(self, kernel: Kernel, project: ProjectDefinitions) -> None:
        self._project = project
        self._host = [code for code in kernel.host if code.role in _ROLES]
        self._launch_texts = [
            " ".join((launch.callee, *(text for _, text in launch.argument_map)))
            for launch in kernel.launches
        ]
        self._taken_spans = {kernel.span, *(code.span for code in kernel.host)}
        # what is to be looked at: a kind, a definition, and the number of steps to it
        self._pending: deque[tuple[CompanionKind, Definition, int]] = deque()

    def walk(self) -> Iterator[HostCompanion]:
        """Yield each definition once."""
        for code in self._host:
            self._follow_host_code(code)

        while self._pending:
            kind, definition, steps = self._pending.popleft()
            yield HostCompanion(
                kind=kind,
                name=definition.names[0],
                span=definition.span,
                source=_decode(definition.text),
            )
            if steps < _MAX_STEPS:
                self._follow_definition(kind, definition, steps + 1)

    def _follow_host_code(self, code: HostCode) -> None:
        names = find_names(f"{code.name} {code.source}")
        # what a macro passes stands in no function
        names = names.union(*map(find_names, self._launch_texts))
        self._take_names(names, code.span.path, 1)
        if code.role is OperatorRole.LAUNCHER:
            self._take_callers(code.name, code.span.path, 1)

    def _follow_definition(
        self, kind: CompanionKind, definition: Definition, steps: int
    ) -> None:
        path = definition.span.path
        self._take_names(definition.used_names, path, steps)

        if kind is CompanionKind.CLASS:
            class_name = strip_qualifiers(definition.names[0])
            for member in self._project.list_members(class_name, path):
                self._take(CompanionKind.FUNCTION, member, steps)
        elif kind is CompanionKind.CALLER and steps <= _MAX_CALLER_STEPS:
            self._take_callers(definition.names[0], path, steps)

    def _take_names(self, names: Iterable[str], path: str, steps: int) -> None:
        for name in sorted(names):
            for definition in self._project.resolve(name, path):
                self._take(definition.kind, definition, steps)

    def _take_callers(self, name: str, path: str, steps: int) -> None:
        callers = list(self._project.find_callers(name, path))
        # a name that ever so many functions use is not this one's alone
        if len(callers) <= _MAX_CALLERS:
            for caller in callers:
                self._take(CompanionKind.CALLER, caller, steps)

    def _take(self, kind: CompanionKind, definition: Definition, steps: int) -> None:
        span = definition.span
        if not any(_holds(taken_span, span) for taken_span in self._taken_spans):
            self._taken_spans.add(span)
            self._pending.append((kind, definition, steps))


def _holds(outer: Span, inner: Span) -> bool:
    return (
        outer.path == inner.path
        and outer.offset <= inner.offset
        and inner.end_offset <= outer.end_offset
    )


def _decode(text: str) -> str:
    """Return text that has a character a byte as it is written."""
    return text.encode("latin-1").decode("utf-8", "replace")
