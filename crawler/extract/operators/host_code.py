"""Collect the source of a kernel's launchers and of the other parts of its operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.extract.operators.file_outline import FileOutline
from crawler.extract.operators.outline import outline_file
from crawler.model import HostCode, Kernel, Launch, OperatorRole, Span

_ROLES: Final = (
    OperatorRole.PYTHON,
    OperatorRole.BINDING,
    OperatorRole.CPU,
    OperatorRole.DISPATCHER,
    OperatorRole.LAUNCHER,
)
"""What is collected, from the outside to the kernel."""
_MAX_BYTES: Final = 64 << 10
"""Bytes a kernel: a launcher that a template repeats for each of its types may have thousands
of lines.
"""


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of code that belongs to an operator."""

    role: OperatorRole
    name: str
    span: Span


def attach_host_code(root: Path, kernels: Sequence[Kernel]) -> tuple[Kernel, ...]:
    """Return kernels with the source of the functions that launch them.

    That of the other parts of their operators comes along, each as it is written.
    """
    sources = SourceFiles(root)

    @cache
    def get_outline(path: str) -> FileOutline:
        return outline_file(path, sources[path].raw)

    def collect(kernel: Kernel) -> Kernel:
        # where there is too much, what is nearest to the kernel is kept
        parts = sorted(
            _iter_distinct_parts(kernel, get_outline),
            key=lambda part: -_ROLES.index(part.role),
        )
        host_code = [
            HostCode(
                role=part.role,
                name=part.name,
                span=part.span,
                source=_read_source(sources[part.span.path], part),
            )
            for part in _limit_size(parts)
        ]
        host_code.sort(key=lambda code: _ROLES.index(code.role))

        return replace(kernel, host=tuple(host_code))

    return tuple(collect(kernel) for kernel in kernels)


def _read_source(source: SourceText, part: _Part) -> str:
    """Return what stands at a part's span.

    Of a binding, whose span is a call in a chain of them, whole lines are returned.
    """
    span = part.span
    if part.role is not OperatorRole.BINDING:
        return source.text_between(span.offset, span.end_offset)

    start = source.raw.rfind("\n", 0, span.offset) + 1
    end = source.raw.find("\n", span.end_offset)

    if end < 0:
        end = len(source.raw)

    return source.text_between(start, end).strip()


def _limit_size(parts: Iterable[_Part]) -> Iterator[_Part]:
    remaining_bytes = _MAX_BYTES
    for part in parts:
        remaining_bytes -= part.span.end_offset - part.span.offset
        if remaining_bytes < 0:
            return
        yield part


def _iter_distinct_parts(
    kernel: Kernel, get_outline: Callable[[str], FileOutline]
) -> Iterator[_Part]:
    """Yield each piece of code once.

    Those of operators come first, then the functions whose launches no operator reaches.
    """
    operator_parts = _list_operator_parts(kernel)
    launchers = _iter_launchers(kernel.launches, get_outline)
    yielded_spans: set[Span] = set()

    for part in (*operator_parts, *launchers):
        if part.role in _ROLES and part.span not in yielded_spans:
            yielded_spans.add(part.span)
            yield part


def _list_operator_parts(kernel: Kernel) -> list[_Part]:
    return [
        _Part(part.role, part.name, part.span)
        for operator in kernel.operators
        for part in operator.parts
    ]


def _iter_launchers(
    launches: Iterable[Launch], get_outline: Callable[[str], FileOutline]
) -> Iterator[_Part]:
    for launch in launches:
        outline = get_outline(launch.span.path)
        function = outline.find_function_at(launch.span.offset)

        if function is not None:
            yield _Part(OperatorRole.LAUNCHER, function.name, function.span)
