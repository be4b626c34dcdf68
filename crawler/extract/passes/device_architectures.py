"""Choose the architectures under which kernels stand that the usual one leaves out.

`#if __CUDA_ARCH__ < 500` hides a kernel from a compiler for any newer device.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Final

from crawler.cpp.directives import Directive, conditional_directives, conditionals
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.cpp.preprocessor.conditions import (
    MacroValue,
    both,
    evaluate_condition,
    negate,
)
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.unit.translation_unit import CUDA_ARCH

_ARCHITECTURES: Final = (
    *(1210, 1200, 1030, 1000, 900, 890, 870, 860, 800, 750, 720, 700),
    *(620, 610, 600, 530, 520, 500, 370, 350, 320, 300, 210, 200),
)
"""Values of the macro, newest first, of CUDA's releases 7 to 13 (CUDA C++ Programming Guide,
"Compute Capabilities").
"""
_MAX_CONDITION_CHARS: Final = 400
_MAX_PLACES: Final = 500
"""Definitions that are looked at: each costs a look at all directives above it."""
_Branch = Sequence[tuple[str, str]]
"""Keyword and condition of each directive of a conditional, from its `#if` to the branch's."""
Place = tuple[str, int]
"""A path and an offset."""


def choose_architectures(
    unit_text: UnitText, definition_places: Iterable[Place]
) -> list[int]:
    """Return values of `__CUDA_ARCH__` that the conditions round definitions let through.

    The ones that show most of the definitions come first, of these the newest. Definitions that
    stand under no condition of an architecture count for nothing.
    """
    votes: Counter[int] = Counter()
    for path, offset in islice(definition_places, _MAX_PLACES):
        branches = _list_branches(unit_text.sources[path], offset)
        if not branches:
            continue

        votes.update(
            architecture
            for architecture in _ARCHITECTURES
            if _lets_through(branches, architecture)
        )

    # the order of what has as many votes is that of `_ARCHITECTURES`
    return sorted(votes, key=lambda architecture: (-votes[architecture], -architecture))


def _list_branches(source: SourceText, offset: int) -> list[_Branch]:
    """Return the branches round a place whose conditions name an architecture."""
    ranges_above = takewhile(
        lambda directive_range: directive_range[0] <= offset,
        find_directive_ranges(source),
    )
    directives = conditional_directives(source.raw, ranges_above)
    branches: list[_Branch] = []
    for conditional in conditionals(directives):
        # one that is closed above the place is not round it
        if not conditional.is_closed:
            branches.append(
                [
                    (directive.keyword, _read_condition(source, directive))
                    for directive in conditional.directives
                ]
            )

    return [
        branch
        for branch in branches
        if any(CUDA_ARCH in condition for _keyword, condition in branch)
    ]


def _read_condition(source: SourceText, directive: Directive) -> str:
    end = min(directive.end, directive.condition + _MAX_CONDITION_CHARS)
    text = source.raw[directive.condition : end].replace("\\\n", " ")
    return text.partition("//")[0].partition("/*")[0]


def _lets_through(branches: Iterable[_Branch], architecture: int) -> bool:
    macros = _ArchitectureMacros(architecture)
    return all(_is_branch_taken(branch, macros) != 0 for branch in branches)


def _is_branch_taken(branch: _Branch, macros: _ArchitectureMacros) -> MacroValue:
    """Return whether the last of a conditional's branches so far is the one that is taken."""
    is_taken: MacroValue = 0
    none_before: MacroValue = 1
    for keyword, condition in branch:
        truth = _evaluate(keyword, condition, macros)
        is_taken = both(none_before, truth)
        none_before = both(none_before, negate(truth))

    return is_taken


def _evaluate(keyword: str, condition: str, macros: _ArchitectureMacros) -> MacroValue:
    if keyword == "else":
        return 1
    if keyword in ("if", "elif"):
        return evaluate_condition(condition, macros)

    is_defined = macros.is_defined(condition.strip())
    return negate(is_defined) if keyword.endswith("ndef") else is_defined


@dataclass(frozen=True, slots=True)
class _ArchitectureMacros:
    """What a compiler for a device of one architecture is known to define."""

    architecture: int

    def is_defined(self, name: str) -> MacroValue:
        return 1 if name == CUDA_ARCH else None

    def value(self, name: str) -> MacroValue:
        return self.architecture if name == CUDA_ARCH else None
