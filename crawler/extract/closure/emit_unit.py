"""Emit the source text of a kernel unit from a closure and a set of instantiations."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from crawler import headers
from crawler.cpp import language_standard
from crawler.cpp.token_digest import compute_quick_token_digest
from crawler.model import (
    Closure,
    Dialect,
    Instantiation,
    KernelUnit,
    Origin,
    TextReplacement,
)


def emit_kernel_unit(
    closure: Closure,
    dialect: Dialect,
    kernel_name: str,
    instantiations: tuple[Instantiation, ...],
    standard: str = language_standard.DEFAULT_STANDARD,
) -> KernelUnit:
    """Return the unit: prelude, library headers, fragments, then one explicit instantiation a
    line.
    """
    lines = [
        render_explicit_instantiation(
            kernel_name, one.arguments, closure.owner_parameters
        )
        for one in instantiations
        if one.arguments
    ]
    source = render_unit_source(closure, lines, standard)
    return KernelUnit(
        source=source,
        dialect=dialect,
        kernel_name=kernel_name,
        instantiations=instantiations,
        prelude=headers.headers_digest(),
        digest=hashlib.sha256(source.encode()).hexdigest(),
        token_digest=compute_quick_token_digest(source),
        dependencies=closure.dependencies,
        standard=standard,
        making=_making(closure, source),
    )


def _making(closure: Closure, source: str) -> tuple[TextReplacement, ...]:
    """Return what stands in place of which characters of a unit that `text` made of `closure`."""
    places = list(_places(closure, source))
    ends = places[-1][1] if places else len(source)
    starts = [start for start, _ in places] + [ends]

    def at(one: TextReplacement) -> TextReplacement:
        start = starts[one.start]
        end = places[one.end - 1][1] if one.end > one.start else start
        gap = "\n\n" if one.end == one.start else ""
        return TextReplacement(
            start=start,
            end=end,
            text=f"{one.text}{gap}" if start < ends else f"{gap}{one.text}",
        )

    return tuple(at(one) for one in closure.making)


def _places(closure: Closure, source: str) -> Iterator[tuple[int, int]]:
    at = 0
    for fragment in closure.fragments:
        at = source.index(fragment, at)
        yield at, at + len(fragment)
        at += len(fragment)


def trace_origins(closure: Closure, source: str) -> tuple[Origin, ...]:
    """Return where the parts of a unit that `emit` made of `closure` come from."""
    found, line, at = [], 1, 0
    for (begin, end), span in zip(
        _places(closure, source), closure.origins, strict=True
    ):
        line += source.count("\n", at, begin)
        if span is not None:
            found.append(
                Origin(
                    line=line,
                    path=span.path,
                    first_line=span.line,
                    last_line=span.end_line,
                )
            )
        line += source.count("\n", begin, end)
        at = end
    return tuple(found)


def render_unit_source(
    closure: Closure,
    instantiation_lines: Iterable[str],
    standard: str = language_standard.DEFAULT_STANDARD,
) -> str:
    """Return the text of a unit that ends with these explicit instantiations."""
    includes = [f"#include {header}" for header in closure.includes]
    parts = [
        "\n".join(includes),
        *_joined(closure.fragments),
        "\n".join(instantiation_lines),
    ]
    return (
        language_standard.format_standard_comment(standard)
        + "\n\n".join(part for part in parts if part)
        + "\n"
    )


def render_explicit_instantiation(
    kernel_name: str, arguments: tuple[str, ...], owner_parameters: int = 0
) -> str:
    """Return an explicit instantiation; by `decltype`, so that the parameters need not be
    spelled.

    The first `owner_parameters` arguments are those of the class that the kernel is a member
    of.
    """
    owner, _, name = (
        kernel_name.rpartition("::") if owner_parameters else ("", "", kernel_name)
    )
    scope = f"{owner}<{', '.join(arguments[:owner_parameters])}>::" if owner else ""
    own = ", ".join(arguments[owner_parameters:])
    specialisation = f"{scope}{name}<{own}>" if own else f"{scope}{name}"
    return f"template __global__ decltype({specialisation}) {specialisation};"


def _joined(fragments: Iterable[str]) -> list[str]:
    """Keep directives of one group on adjacent lines."""
    parts: list[str] = []
    for fragment in fragments:
        if parts and fragment.startswith("#") and parts[-1].startswith("#"):
            parts[-1] += "\n" + fragment
        else:
            parts.append(fragment)
    return parts
