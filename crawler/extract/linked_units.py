"""Give a linked kernel its kernel unit, or the reason why it has none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from crawler.checkout.dependencies import is_named_like
from crawler.cpp import language_standard
from crawler.extract.closure.emit_unit import emit_kernel_unit, trace_origins
from crawler.extract.closure.joined_scopes import join_scopes
from crawler.libraries.remedies import explain_missing_headers
from crawler.model import Closure, Kernel, KernelFacts, UnitFacts

_UNUSED: Final = (
    "no-instantiation: the project never says which arguments it is used with"
)
_UNNAMEABLE: Final = (
    "no-instantiation: its launches pass what cannot be written down, such as a lambda "
    "that captures by reference, or are not resolved"
)
_UNRESOLVED: Final = "missing-header: its launches are not resolved, and {}"
# an error of clang's, as `include_search` reads it, which loads libclang: this stage does without
_FILE_NOT_FOUND: Final = re.compile(r"'([^']+)' file not found$")


def add_unit(
    kernel: Kernel, sighting: KernelFacts, unit: UnitFacts, unit_count: int
) -> Kernel:
    """Return a kernel with its kernel unit, or with the problem that it has none for.

    The unit instantiates the first `unit_count` instantiations.
    """
    missing_headers = _list_missing_headers(unit)
    problem = _find_unit_problem(kernel, sighting)
    # a missing header is the likelier reason
    if problem == _UNNAMEABLE and missing_headers:
        explanation = explain_missing_headers(
            missing_headers, _explain_unavailable(unit, missing_headers)
        )
        problem = _UNRESOLVED.format(explanation)

    if problem is not None or sighting.closure is None:
        return replace(kernel, unit_problem=problem or "")

    closure = join_scopes(_choose_closure(kernel, sighting))
    kernel_unit = emit_kernel_unit(
        closure,
        kernel.dialect,
        kernel.qualified_name,
        kernel.instantiations[:unit_count],
        language_standard.requested_standard(unit.command.arguments),
    )

    # what other macros show is not what the translation unit compiles
    is_in_whole = not sighting.reason
    return replace(
        kernel,
        unit=replace(
            kernel_unit,
            missing_headers=missing_headers,
            unavailable=_explain_unavailable(unit, missing_headers),
            whole=unit.whole if is_in_whole else "",
        ),
        state=closure.state,
        origins=trace_origins(closure, kernel_unit.source),
    )


def _choose_closure(kernel: Kernel, sighting: KernelFacts) -> Closure:
    """Return a closure that has all functions which any instantiation of a kernel may choose."""
    assert sighting.closure is not None
    # of a kernel that is no template there is one, without arguments
    known = {(), *(made.arguments for made in sighting.instantiations)}
    is_enough = all(made.arguments in known for made in kernel.instantiations)
    if is_enough or sighting.complete_closure is None:
        return sighting.closure
    return sighting.complete_closure


def _find_unit_problem(kernel: Kernel, sighting: KernelFacts) -> str | None:
    """Return why no unit can be made of a kernel; `None` where one can."""
    closure = sighting.closure
    if closure is None:
        reason = kernel.reason or "seen by syntax alone"
        return sighting.problem or f"no-closure: {reason}"

    if not closure.complete:
        return "; ".join(closure.problems)
    if not kernel.instantiations:
        return _UNNAMEABLE if kernel.launches else _UNUSED

    return None


def _list_missing_headers(unit: UnitFacts) -> tuple[str, ...]:
    headers: dict[str, None] = {}
    for diagnostic in unit.diagnostics:
        # clang: `fatal error: 'cutlass/cutlass.h' file not found`
        error = _FILE_NOT_FOUND.match(diagnostic.message)
        if error:
            headers[error[1]] = None

    return tuple(headers)


def _explain_unavailable(
    unit: UnitFacts, missing_headers: Iterable[str]
) -> tuple[str, ...]:
    """Return what a project declares, could not be had, and is called like a missing header."""
    return tuple(
        dependency.explain()
        for dependency in unit.dependencies
        if dependency.problem
        and any(is_named_like(dependency.name, header) for header in missing_headers)
    )
