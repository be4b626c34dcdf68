"""Emit the source text of a kernel unit from a closure and a set of instantiations."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from crawler import headers
from crawler.cpp import language_standard, library_comment
from crawler.cpp.masked.token_digest import compute_quick_token_digest
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
    instantiation_lines = [
        render_explicit_instantiation(
            kernel_name, instantiation.arguments, closure.owner_parameters
        )
        for instantiation in instantiations
        if instantiation.arguments
    ]

    source = render_unit_source(
        closure,
        instantiation_lines,
        standard,
    )

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
        rung=closure.rung,
        attempts=closure.attempts,
        assumed=closure.assumed,
        libraries=closure.libraries,
        making=_map_replacements(closure, source),
    )


def _map_replacements(closure: Closure, source: str) -> tuple[TextReplacement, ...]:
    """Return what stands in place of which characters of a unit, made of `closure`, that makes
    the structures which the host passes.
    """
    fragment_ranges = find_fragment_ranges(closure, source)
    ends = [end for _, end in fragment_ranges]
    end_of_fragments = ends[-1] if ends else len(source)
    starts = [start for start, _ in fragment_ranges] + [end_of_fragments]

    replacements = []
    for replacement in closure.making:
        start = starts[replacement.start]
        end = start
        text = replacement.text
        if replacement.end > replacement.start:
            end = ends[replacement.end - 1]
        # what is inserted stands apart from the fragment behind it, or from the last one
        elif start < end_of_fragments:
            text += "\n\n"
        else:
            text = "\n\n" + text

        replacements.append(TextReplacement(start=start, end=end, text=text))

    return tuple(replacements)


def find_fragment_ranges(closure: Closure, source: str) -> list[tuple[int, int]]:
    """Return the range of each fragment of a closure in the text of its unit."""
    ranges = []
    end = 0
    for fragment in closure.fragments:
        # fragments stand in order; one may also be the beginning of another
        start = source.index(fragment, end)
        end = start + len(fragment)
        ranges.append((start, end))

    return ranges


def trace_origins(closure: Closure, source: str) -> tuple[Origin, ...]:
    """Return where the parts of a unit that is made of `closure` come from."""
    origins = []
    line = 1
    counted_to = 0
    fragment_ranges = find_fragment_ranges(closure, source)
    for (start, end), span in zip(fragment_ranges, closure.origins, strict=True):
        # each character is looked at once
        line += source.count("\n", counted_to, start)
        if span is not None:
            origin = Origin(
                line=line,
                path=span.path,
                first_line=span.line,
                last_line=span.end_line,
            )
            origins.append(origin)

        line += source.count("\n", start, end)
        counted_to = end

    return tuple(origins)


def render_unit_source(
    closure: Closure,
    instantiation_lines: Iterable[str],
    standard: str = language_standard.DEFAULT_STANDARD,
) -> str:
    """Return the text of a unit that ends with these explicit instantiations."""
    parts = [
        "\n".join(f"#include {header}" for header in closure.includes),
        *_join_directives(closure.fragments),
        "\n".join(instantiation_lines),
    ]

    text = "\n\n".join(part for part in parts if part)

    comments = language_standard.format_standard_comment(standard)
    comments += library_comment.format_library_comment(closure.libraries)

    return f"{comments}{text}\n"


def render_explicit_instantiation(
    kernel_name: str, arguments: tuple[str, ...], owner_parameters: int = 0
) -> str:
    """Return an explicit instantiation; by `decltype`, so that the parameters need not be
    spelled.

    The first `owner_parameters` arguments are those of the class that the kernel is a member
    of.
    """
    owner, name = "", kernel_name
    if owner_parameters:
        owner, _, name = kernel_name.rpartition("::")

    specialisation = name
    if owner:
        owner_arguments = ", ".join(arguments[:owner_parameters])
        specialisation = f"{owner}<{owner_arguments}>::{name}"

    own_arguments = ", ".join(arguments[owner_parameters:])
    if own_arguments:
        specialisation += f"<{own_arguments}>"

    return f"template __global__ decltype({specialisation}) {specialisation};"


def _join_directives(fragments: Iterable[str]) -> list[str]:
    """Keep directives of one group on adjacent lines."""
    parts: list[str] = []
    for fragment in fragments:
        if parts and fragment.startswith("#") and parts[-1].startswith("#"):
            parts[-1] += "\n" + fragment
        else:
            parts.append(fragment)

    return parts
