"""Collect the source of a kernel's launchers and of the other parts of its operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from crawler.cpp.source_text import SourceFiles, SourceText
from crawler.extract.operators.outline import FileOutline, outline_file
from crawler.model import HostCode, Kernel, Launch, OperatorRole, Span

_ROLES: Final = (
    OperatorRole.PYTHON,
    OperatorRole.BINDING,
    OperatorRole.CPU,
    OperatorRole.DISPATCHER,
    OperatorRole.LAUNCHER,
)
_MOST_TEXT: Final = 64 << 10
"""Bytes a kernel: a launcher that a template repeats for each of its types may have thousands
of lines.
"""
_Part = tuple[OperatorRole, str, Span]


def attach_host_code(root: Path, kernels: Sequence[Kernel]) -> tuple[Kernel, ...]:
    """Return kernels with the functions that launch them and the parts of their operators, as
    they are written.
    """
    sources = SourceFiles(root)

    @cache
    def outlined(path: str) -> FileOutline:
        return outline_file(path, sources[path].raw)

    def host(kernel: Kernel) -> Iterator[HostCode]:
        for role, name, span in _bounded(
            sorted(_parts(kernel, outlined), key=_nearness)
        ):
            yield HostCode(
                role=role,
                name=name,
                span=span,
                source=_text(sources[span.path], role, span),
            )

    return tuple(
        replace(kernel, host=tuple(sorted(host(kernel), key=_from_outside)))
        for kernel in kernels
    )


def _text(source: SourceText, role: OperatorRole, span: Span) -> str:
    """Return what stands at a span; of a binding, whose span is a call in a chain of them,
    whole lines.
    """
    if role is not OperatorRole.BINDING:
        return source.text_between(span.offset, span.end_offset)
    start, end = (
        source.raw.rfind("\n", 0, span.offset) + 1,
        source.raw.find("\n", span.end_offset),
    )
    return source.text_between(start, end if end >= 0 else len(source.raw)).strip()


def _bounded(parts: Iterable[_Part]) -> Iterator[_Part]:
    room = _MOST_TEXT
    for part in parts:
        room -= part[2].end_offset - part[2].offset
        if room < 0:
            return
        yield part


def _nearness(part: _Part) -> int:
    return -_ROLES.index(part[0])


def _from_outside(code: HostCode) -> int:
    return _ROLES.index(code.role)


def _parts(kernel: Kernel, outlined: Callable[[str], FileOutline]) -> Iterator[_Part]:
    """Yield each piece of code once: those of operators, then the functions whose launches no
    operator reaches.
    """
    seen: set[Span] = set()
    for role, name, span in (
        *_of_operators(kernel),
        *_launchers(kernel.launches, outlined),
    ):
        if span not in seen and role in _ROLES:
            seen.add(span)
            yield role, name, span


def _of_operators(kernel: Kernel) -> Iterator[_Part]:
    return (
        (part.role, part.name, part.span)
        for operator in kernel.operators
        for part in operator.parts
    )


def _launchers(
    launches: Iterable[Launch], outlined: Callable[[str], FileOutline]
) -> Iterator[_Part]:
    for launch in launches:
        function = outlined(launch.span.path).find_function_at(launch.span.offset)
        if function is not None:
            yield OperatorRole.LAUNCHER, function.name, function.span
