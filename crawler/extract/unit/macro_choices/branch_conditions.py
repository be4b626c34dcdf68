"""Choose the macros of a project by which a compiler takes a branch of `#if`.

What a branch asks for is evaluated as a compiler would, with some of its macros set or not and
nothing known of the others: `defined(USE_CUDA) && defined(__CUDACC__)` holds with `USE_CUDA`, and
`DIM == 3` with a `DIM` of 3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product, takewhile
from typing import Final, NamedTuple

from crawler.cpp.comments import without_comments
from crawler.cpp.directives import Directive, conditional_directives, conditionals
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.cpp.preprocessor.conditions import (
    ALTERNATIVE_TOKENS,
    MacroValue,
    both,
    evaluate_condition,
    negate,
)
from crawler.model import Dialect

# Patterns: libclang does not show the condition of a branch that it leaves out.
_CONDITION: Final = re.compile(r"[ \t]*((?:\\\r?\n|[^\n]){0,400})")
_NAME: Final = re.compile(r"\b[A-Za-z_]\w*")
_COMPARISON: Final = re.compile(
    r"\b([A-Za-z_]\w*)[ \t)]*[<>=!]=?[ \t(]*(\d{1,9})\b|"
    r"\b(\d{1,9})[ \t)]*[<>=!]=?[ \t(]*([A-Za-z_]\w*)"
)
"""A macro that is compared with a number, on either side."""
_WORDS: Final = frozenset({"defined", "true", "false", *ALTERNATIVE_TOKENS})
_COMPILER_MACROS: Final = {
    Dialect.CUDA: frozenset({"__CUDACC__", "__NVCC__", "__CUDA__"}),
    Dialect.HIP: frozenset(
        {
            "__HIP__",
            "__HIPCC__",
            "__HIP_PLATFORM_AMD__",
            "__HIP_PLATFORM_HCC__",
            "__HIP_DEVICE_COMPILE__",
        }
    ),
}
"""What the compilers of one dialect define, and those of the other do not."""
_MAX_NAMES: Final = 6
"""Macros of one condition, of which some are chosen."""
_MAX_CHOICES: Final = 3
_MAX_COMPARED_CHOICES: Final = 2
"""Macros that are chosen together with numbers that they are compared with."""
_MAX_NUMBERS: Final = 6

MacroChoice = tuple[str, int | None]
"""A macro with its value, 1 where it need only be set; `None` where it must not be set."""


class Branch(NamedTuple):
    """A directive that opens a branch: `if`, `ifdef`, `elif`, `else`, …, and what it asks."""

    keyword: str
    condition: str

    def evaluate(self, macros: _ChosenMacros) -> MacroValue:
        """Return what the directive comes to by itself."""
        if self.keyword == "else":
            return 1
        if self.keyword.endswith("def"):
            name = _NAME.match(self.condition)
            is_defined = macros.is_defined(name[0]) if name else None
            return negate(is_defined) if "ndef" in self.keyword else is_defined

        return evaluate_condition(self.condition, macros)


def find_enclosing_branches(
    source: SourceText, offset: int
) -> Iterator[tuple[Branch, ...]]:
    """Yield the branches of each conditional round a place, down to the one that it stands in.

    Outer conditionals come first.
    """
    ranges_above = takewhile(
        lambda directive_range: directive_range[0] <= offset,
        find_directive_ranges(source),
    )

    directives = conditional_directives(source.raw, ranges_above)
    for conditional in conditionals(directives):
        # one that is closed above the place is not round it
        if not conditional.is_closed:
            yield tuple(
                _read_branch(source.raw, directive)
                for directive in conditional.directives
            )


def choose_macros(
    branches: Sequence[Branch],
    dialect: Dialect | None,
    is_choosable: Callable[[str], bool],
) -> Sequence[MacroChoice]:
    """Return the fewest macros by whose choice a compiler of a dialect takes the last branch.

    Empty where none of those that are choosable decides over it. Where what else it asks for is
    not known, those are returned without which it could not be taken.
    """
    names = list(
        dict.fromkeys(
            name
            for branch in branches
            for name in _NAME.findall(branch.condition)
            if name not in _WORDS and is_choosable(name)
        )
    )[:_MAX_NAMES]

    numbers_by_name = _find_compared_numbers(branches)
    needed_choices: Sequence[MacroChoice] = ()
    for choices in _iter_choices(names, numbers_by_name):
        outcome = _evaluate_last(branches, _ChosenMacros(dict(choices), dialect))
        if outcome:
            return choices
        if outcome is None and not needed_choices and len(choices) == 1:
            opposite = {name: 1 if value is None else None for name, value in choices}
            if _evaluate_last(branches, _ChosenMacros(opposite, dialect)) == 0:
                needed_choices = choices

    return needed_choices


def require_dialect(branches: Sequence[Branch], dialect: Dialect) -> bool:
    """Tell whether the last branch is for compilers of a dialect, and not for the other's."""
    other = Dialect.HIP if dialect is Dialect.CUDA else Dialect.CUDA
    names = {name for branch in branches for name in _NAME.findall(branch.condition)}
    if names.isdisjoint(_COMPILER_MACROS[dialect] | _COMPILER_MACROS[other]):
        return False

    return (
        _evaluate_last(branches, _ChosenMacros({}, dialect)) != 0
        and _evaluate_last(branches, _ChosenMacros({}, other)) == 0
    )


@dataclass(frozen=True, slots=True)
class _ChosenMacros:
    """What is known of macros: those that are chosen, and those of a dialect's compilers."""

    choices: Mapping[str, int | None]
    dialect: Dialect | None

    def is_defined(self, name: str) -> MacroValue:
        """Return whether a macro is defined."""
        if name in self.choices:
            return int(self.choices[name] is not None)

        for dialect, names in _COMPILER_MACROS.items():
            if name in names:
                return int(dialect is self.dialect)

        return None

    def value(self, name: str) -> MacroValue:
        """Return what a macro stands for: 1 where it is set."""
        if name in ("true", "false"):
            return int(name == "true")
        if name in self.choices:
            # what is not set counts as zero
            return self.choices[name] or 0

        return self.is_defined(name)


def _read_branch(text: str, directive: Directive) -> Branch:
    condition = _CONDITION.match(text, directive.condition, directive.end)
    words = (
        condition[1].replace("\\\r\n", " ").replace("\\\n", " ") if condition else ""
    )
    return Branch(directive.keyword, without_comments(words).strip())


def _find_compared_numbers(branches: Sequence[Branch]) -> dict[str, list[int]]:
    """Return the numbers that macros are compared with, and those next to them."""
    numbers: dict[str, list[int]] = {}
    for branch in branches:
        for match in _COMPARISON.finditer(branch.condition):
            number = int(match[2] or match[3])
            numbers.setdefault(match[1] or match[4], []).extend(
                (number, number + 1, max(0, number - 1))
            )

    return {
        name: list(dict.fromkeys(all_numbers))[:_MAX_NUMBERS]
        for name, all_numbers in numbers.items()
    }


def _iter_choices(
    names: Sequence[str], numbers_by_name: Mapping[str, Sequence[int]]
) -> Iterator[Sequence[MacroChoice]]:
    """Yield choices of some macros: few before many, set before not set."""
    for count in range(1, min(len(names), _MAX_CHOICES) + 1):
        numbers = numbers_by_name if count <= _MAX_COMPARED_CHOICES else {}
        for chosen_names in combinations(names, count):
            values = [(1, None, *numbers.get(name, ())) for name in chosen_names]
            for chosen_values in product(*values):
                yield tuple(zip(chosen_names, chosen_values, strict=True))


def _evaluate_last(branches: Sequence[Branch], macros: _ChosenMacros) -> MacroValue:
    """Return whether the last branch is taken: it holds, and none before it does."""
    outcome = branches[-1].evaluate(macros)
    for branch in islice(branches, len(branches) - 1):
        outcome = both(outcome, negate(branch.evaluate(macros)))

    return outcome
