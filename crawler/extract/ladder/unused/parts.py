"""Leave out what a unit that compiles holds in vain: functions, what only they name, and macros."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol

from crawler.cpp.identifiers import IDENTIFIER
from crawler.extract.clang.cursor import ClangUnit
from crawler.extract.ladder.unused.macro_tables import (
    UNUSED_MACROS_FLAG,
    drop_unused_macros,
    has_many_macros,
)
from crawler.extract.ladder.unused.overloads import (
    drop_unused_overloads,
    has_many_functions,
)
from crawler.model import Closure, KernelFacts

_MAX_INSTANTIATIONS: Final = 64
"""Each is parsed anew for each question."""


class UnitTrials(Protocol):
    """Makes units of closures, and says how they are read."""

    def render(
        self, kernel: KernelFacts, closure: Closure, *, takes_all: bool = False
    ) -> str:
        """Return the text of the unit that a closure gives a kernel, with enough instantiations,
        or all of them.
        """
        ...

    def parse(
        self, kernel: KernelFacts, closure: Closure, text: str, flags: Sequence[str]
    ) -> ClangUnit | None:
        """Return libclang's view of a text in the place of such a unit."""
        ...

    def find_error(self, kernel: KernelFacts, closure: Closure) -> str:
        """Return the first error of a unit made of a closure; empty where it compiles."""
        ...


def drop_unused_parts(
    trials: UnitTrials, kernel: KernelFacts, closure: Closure
) -> KernelFacts:
    """Return a kernel with a closure that compiles, without what it holds in vain."""
    smaller = _drop_macros(trials, kernel, closure)
    if smaller is not None and not trials.find_error(kernel, smaller):
        closure = smaller

    kernel = replace(kernel, closure=closure)
    for keeps_names in (False, True):
        smaller = _drop_overloads(trials, kernel, closure, keeps_names=keeps_names)
        if smaller is None:
            return kernel
        if not trials.find_error(kernel, smaller):
            break
    else:
        return kernel

    # the macros that only those functions named
    smallest = _drop_macros(trials, kernel, smaller)
    if smallest is not None and not trials.find_error(kernel, smallest):
        smaller = smallest
    return replace(kernel, closure=smaller, complete_closure=closure)


def _drop_overloads(
    trials: UnitTrials, kernel: KernelFacts, closure: Closure, *, keeps_names: bool
) -> Closure | None:
    is_made_often = len(kernel.instantiations) > _MAX_INSTANTIATIONS
    if is_made_often or not has_many_functions(closure):
        return None

    def parse_source(text: str, flags: Sequence[str]) -> ClangUnit | None:
        return trials.parse(kernel, closure, text, flags)

    words = frozenset(IDENTIFIER.findall(" ".join(_list_arguments(kernel))))
    # each may choose another function
    text = trials.render(kernel, closure, takes_all=True)
    return drop_unused_overloads(
        closure, text, words, parse_source, keeps_names=keeps_names
    )


def _drop_macros(
    trials: UnitTrials, kernel: KernelFacts, closure: Closure
) -> Closure | None:
    if not has_many_macros(closure):
        return None

    text = trials.render(kernel, closure)
    clang_unit = trials.parse(kernel, closure, text, (UNUSED_MACROS_FLAG,))
    if clang_unit is None:
        return None
    # the text holds some of the arguments
    return drop_unused_macros(closure, text, clang_unit, _list_arguments(kernel))


def _list_arguments(kernel: KernelFacts) -> list[str]:
    return [word for made in kernel.instantiations for word in made.arguments]
