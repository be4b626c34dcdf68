"""Find how a launch follows from what a kernel is passed, by a formula that fits its cases."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Final

from crawler.model import Case

_AXES: Final = ("x", "y", "z")
_MIN_CASES: Final = 3
"""Cases that a formula must give: two points lie on too many lines."""
_MAX_VARIABLES: Final = 12
_MAX_THREADS: Final = 1024
"""Of a block, on every device."""
_ELEMENT_SIZES: Final = (1, 2, 4, 8, 16)
_THREADS: Final = {
    "threads.x": lambda block: block[0],
    "threads.y": lambda block: block[1],
    "threads.z": lambda block: block[2],
    "threads.x * threads.y * threads.z": prod,
}

Variables = Mapping[str, int]
"""Expression of C++ to its value in a case: `n`, `x.numel()`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchFormula:
    """Expressions of C++ for a launch: `launcher::divide_up(a, b)` rounds up, `threads` is the
    block.
    """

    grid: tuple[str, str, str]
    block: tuple[str, str, str]
    shared_bytes: str
    positions: tuple[int, ...]
    """Of the cases whose launch it gives; the first one, which is ordinary, among them."""


@dataclass(frozen=True, slots=True)
class _Subject:
    position: int
    case: Case
    variables: Variables


@dataclass(frozen=True, slots=True, kw_only=True)
class _Expression:
    """A product of variables and a number, divided and rounded up."""

    names: tuple[str, ...] = ()
    factor: int = 1
    divisor: str = ""
    """`threads.x` or another extent of the block, or the product of all; empty for none."""

    @property
    def text(self) -> str:
        factors = [*self.names]
        if self.factor != 1 or not factors:
            factors.append(str(self.factor))

        product = " * ".join(factors)
        if not self.divisor:
            return product
        return f"launcher::divide_up({product}, {self.divisor})"

    def evaluate(self, subject: _Subject) -> int:
        product = prod(subject.variables[name] for name in self.names) * self.factor
        divisor = _THREADS[self.divisor](subject.case.block) if self.divisor else 1
        return -(-product // divisor)


def find_launch_formula(
    cases: Sequence[Case],
    variables: Sequence[Variables],
    sized_axes: Collection[int] = (),
) -> LaunchFormula | None:
    """Return the formula that gives the launches of most cases, where it gives that of the first
    one, which is ordinary, of at least two others, and of half of them; `variables` has those of
    each case, and a grid follows from a size along `sized_axes` where one fits as well as a number.
    """
    if not cases:
        return None

    subjects = [
        _Subject(position, case, values)
        for position, (case, values) in enumerate(zip(cases, variables, strict=True))
    ]
    terms = list(_iter_terms(variables[0]))
    block: list[str] = []
    for axis in range(len(_AXES)):
        extents = [subject.case.block[axis] for subject in subjects]
        expressions = _iter_block_extents(variables[0], extents[0])
        extent, subjects = _choose(expressions, extents, subjects)
        block.append(extent)

    grid: list[str] = []
    for axis in range(len(_AXES)):
        extents = [subject.case.grid[axis] for subject in subjects]
        divisors = _list_divisors(axis, subjects)
        candidates = list(_iter_grid_extents(terms, divisors, extents[0]))
        if axis in sized_axes:
            candidates.append(candidates.pop(0))
        extent, subjects = _choose(candidates, extents, subjects)
        grid.append(extent)

    sizes = [subject.case.shared_bytes for subject in subjects]
    shared, subjects = _choose(_iter_sizes(terms, sizes[0]), sizes, subjects)
    if len(subjects) < max(_MIN_CASES, len(cases) / 2):
        return None

    return LaunchFormula(
        grid=(grid[0], grid[1], grid[2]),
        block=(block[0], block[1], block[2]),
        shared_bytes=shared,
        positions=tuple(subject.position for subject in subjects),
    )


def _choose(
    expressions: Iterable[_Expression],
    values: Sequence[int],
    subjects: Sequence[_Subject],
) -> tuple[str, list[_Subject]]:
    """Return the first of the expressions that give most of the values, the first one's too, and
    the cases whose values it gives; a constant gives the first.
    """
    chosen = ""
    chosen_subjects: list[_Subject] = []
    for expression in expressions:
        matching_subjects = [
            subject
            for subject, value in zip(subjects, values, strict=True)
            if expression.evaluate(subject) == value
        ]
        if (
            matching_subjects
            and matching_subjects[0] is subjects[0]
            and len(matching_subjects) > len(chosen_subjects)
        ):
            chosen, chosen_subjects = expression.text, matching_subjects

    return chosen, chosen_subjects


def _iter_terms(variables: Variables) -> Iterator[tuple[str, ...]]:
    """Yield what a size may be: a variable, or a product of two."""
    names = list(variables)[:_MAX_VARIABLES]
    for name in names:
        yield (name,)
    yield from combinations(names, 2)


def _iter_block_extents(variables: Variables, first: int) -> Iterator[_Expression]:
    """Yield what the threads of an axis may be: a number, or a variable that is small enough."""
    yield _Expression(factor=first)
    for name, value in variables.items():
        if value <= _MAX_THREADS:
            yield _Expression(names=(name,))


def _list_divisors(axis: int, subjects: Sequence[_Subject]) -> list[str]:
    """Return the parts of a block that work may be divided by, those that are 1 left out."""
    # a grid is mostly laid over work along its own axis, and else along the first one
    names = dict.fromkeys((f"threads.{_AXES[axis]}", *_THREADS))
    return [
        name
        for name in names
        if any(_THREADS[name](subject.case.block) != 1 for subject in subjects)
    ]


def _iter_grid_extents(
    terms: Sequence[tuple[str, ...]], divisors: Iterable[str], first: int
) -> Iterator[_Expression]:
    """Yield what the blocks of an axis may be, the simplest first."""
    yield _Expression(factor=first)
    for divisor in divisors:
        for names in terms:
            yield _Expression(names=names, divisor=divisor)
    for names in terms:
        yield _Expression(names=names)


def _iter_sizes(terms: Sequence[tuple[str, ...]], first: int) -> Iterator[_Expression]:
    """Yield what the bytes of dynamic shared memory may be."""
    yield _Expression(factor=first)
    for size in _ELEMENT_SIZES:
        for names in terms:
            yield _Expression(names=names, factor=size)
