"""Keep the guessed instantiations that compile, according to libclang."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Final

from crawler.extract.closure.emit_unit import (
    render_explicit_instantiation,
    render_unit_source,
)
from crawler.extract.ladder.unit_check import find_unit_errors
from crawler.model import Closure, Dialect, Instantiation

_MAX_ROUNDS: Final = 4
_MAX_TRIED_ALONE: Final = 4


def select_compiling_instantiations(
    closure: Closure,
    dialect: Dialect,
    kernel_name: str,
    candidates: Sequence[Instantiation],
    standard: str,
) -> tuple[Instantiation, ...]:
    """Return those of the instantiations that compile together in one unit of the closure.

    An error shows for the first one alone that needs what is wrong, so that the others are
    looked at again without it.
    """

    def find_broken(instantiations: Sequence[Instantiation]) -> Collection[int]:
        lines = [
            render_explicit_instantiation(
                kernel_name, instantiation.arguments, closure.owner_parameters
            )
            for instantiation in instantiations
        ]
        return _find_broken_lines(
            render_unit_source(closure, lines, standard),
            len(lines),
            dialect,
            standard,
            closure.includes[0],
        )

    # as many rounds as errors may hide behind each other
    remaining = tuple(candidates)
    for _ in range(_MAX_ROUNDS):
        try:
            broken_lines = find_broken(remaining)
        except _UnknownCulprit:
            return _select_alone(remaining, find_broken)

        if not broken_lines:
            return remaining

        remaining = tuple(
            candidate
            for index, candidate in enumerate(remaining)
            if index not in broken_lines
        )

        if not remaining:
            break

    return ()


class _UnknownCulprit(Exception):
    """Something that was instantiated is wrong; the compiler does not say for which candidate."""


def _select_alone(
    candidates: Sequence[Instantiation],
    find_broken: Callable[[Sequence[Instantiation]], Collection[int]],
) -> tuple[Instantiation, ...]:
    """Return those of the first few instantiations that compile each without the others."""
    selected = []
    for candidate in candidates[:_MAX_TRIED_ALONE]:
        # what is wrong for one may be right for the next
        with suppress(_UnknownCulprit):
            if not find_broken([candidate]):
                selected.append(candidate)

    return tuple(selected)


def _find_broken_lines(
    source: str, line_count: int, dialect: Dialect, standard: str, prelude: str
) -> Collection[int]:
    """Return which of a unit's last lines, as many as `line_count`, do not compile: all, where
    something else does not; raises `_UnknownCulprit` where that was instantiated for some.
    """
    all_lines = range(line_count)
    # the unit ends with these lines and one line end
    first_line = source.count("\n") - line_count + 1
    errors = find_unit_errors(source, dialect, standard, prelude)
    if errors is None:
        return all_lines

    broken_lines: set[int] = set()
    for error in errors:
        for line in error.lines:
            if line - first_line in all_lines:
                broken_lines.add(line - first_line)

        # what led to an error is not told again for the next one that it led to: an error
        # without a line of ours counts only where none came before it
        if not broken_lines:
            # of a member function that is instantiated at the end only its call is noted, and of
            # one without a definition nothing
            if len(error.lines) > 1:
                raise _UnknownCulprit
            return all_lines

    return broken_lines
