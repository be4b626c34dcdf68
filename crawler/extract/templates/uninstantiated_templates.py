"""Supply template arguments for kernel templates that their translation unit never instantiates."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from crawler.cpp import language_standard
from crawler.extract.clang.declarations import Declaration
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.launches.kernel_use import SourcePlace
from crawler.extract.templates.compile_check import select_compiling_instantiations
from crawler.extract.templates.default_arguments import (
    MAX_INSTANTIATIONS,
    make_default_instantiations,
)
from crawler.extract.templates.discarded_branch_arguments import (
    infer_discarded_branch_arguments,
)
from crawler.extract.templates.guess_arguments import ArgumentGuesser
from crawler.extract.templates.kernel_facts import make_kernel_sighting
from crawler.extract.templates.sibling_arguments import (
    borrow_from_class_templates,
    borrow_partial_arguments,
    borrow_sibling_arguments,
)
from crawler.model import CompileCommand, Instantiation, KernelFacts

MAX_TRIAL_TEXT: Final = 16 << 20
"""Characters of kernel units that are compiled, of all templates of one unit together: some
five seconds.
"""
_MOST_OF_ONE: Final = 2 << 20
"""The same of one template, but for the set that goes over it."""
_LEAST_SECONDS: Final = 4.0
_MOST_GUESSES: Final = 2
"""Guesses that are kept where nothing in a project says more for one than for another."""
_Set = tuple[Instantiation, ...]


class UninstantiatedTemplates:
    """The templates of one unit that nothing in it instantiates."""

    def __init__(
        self,
        command: CompileCommand,
        spent_seconds: float,
        is_trial_allowed: Callable[[], bool],
    ) -> None:
        """`spent_seconds` are the seconds of a processor that the unit took so far: half as
        many more may go into guesses.
        """
        self._command = command
        self._is_trial_allowed = is_trial_allowed
        self._until = time.process_time() + _allowed(spent_seconds)
        self._left = MAX_TRIAL_TEXT
        self._guesses: dict[int, ArgumentGuesser] = {}

    def supply_instantiations(
        self,
        kernel: KernelFacts,
        declaration: Declaration,
        context: UnitContext,
        siblings: Sequence[KernelFacts],
        naming_sites: Sequence[SourcePlace] = (),
    ) -> KernelFacts:
        """Return what is seen of a template with a set that compiles; as it was where there is
        none.

        What was taken over from another kernel stays even so, as the unit's own compiler may be
        of another mind.
        What a branch asks for, at one of `naming_sites` that name the kernel in what is not
        instantiated, is no guess to try.
        """
        if not kernel.template_parameters or kernel.instantiations:
            return kernel
        taken = borrow_sibling_arguments(kernel, siblings)
        asked = infer_discarded_branch_arguments(
            kernel, taken, naming_sites, context.sources
        )
        if asked:
            return make_kernel_sighting(declaration, context, self._command, asked)
        first = (
            make_kernel_sighting(declaration, context, self._command, taken)
            if taken
            else kernel
        )
        before = self._left
        for offered, most in self._sets(kernel, declaration, context, siblings, taken):
            if (
                not self._is_trial_allowed()
                or self._left < max(0, before - _MOST_OF_ONE)
                or time.process_time() > self._until
            ):
                break
            shown = (
                first
                if offered is taken
                else make_kernel_sighting(declaration, context, self._command, offered)
            )
            good = self._compiling(shown)[:most]
            if good:
                return (
                    shown
                    if good == offered
                    else make_kernel_sighting(declaration, context, self._command, good)
                )
        return first

    def _sets(
        self,
        kernel: KernelFacts,
        declaration: Declaration,
        around: UnitContext,
        beside: Sequence[KernelFacts],
        taken: _Set,
    ) -> Iterator[tuple[_Set, int]]:
        """Yield sets to try, each with how many of it are kept."""
        made: tuple[tuple[Callable[[], _Set], int], ...] = (
            (lambda: taken, MAX_INSTANTIATIONS),
            (lambda: make_default_instantiations(kernel), MAX_INSTANTIATIONS),
            (
                lambda: borrow_from_class_templates(kernel, beside, around),
                _MOST_GUESSES,
            ),
            (
                lambda: self._guesses_of(around).vary_classes(
                    one.arguments for one in taken
                ),
                _MOST_GUESSES,
            ),
            (
                lambda: self._guesses_of(around).guess_for(
                    kernel, declaration, borrow_partial_arguments(kernel, beside)
                ),
                _MOST_GUESSES,
            ),
        )
        yield from ((offered, most) for make, most in made if (offered := make()))

    def _guesses_of(self, around: UnitContext) -> ArgumentGuesser:
        known = self._guesses.get(id(around))
        if known is None:
            known = self._guesses[id(around)] = ArgumentGuesser(around)
        return known

    def _compiling(self, shown: KernelFacts) -> _Set:
        if shown.closure is None or not shown.closure.complete:
            return ()
        self._left -= sum(map(len, shown.closure.fragments))
        standard = language_standard.requested_standard(self._command.arguments)
        return select_compiling_instantiations(
            shown.closure,
            shown.dialect,
            shown.qualified_name,
            shown.instantiations,
            standard,
        )


def _allowed(spent: float) -> float:
    """Return the seconds that guesses may take: of what the unit may still take of a processor
    not more than half.
    """
    most, _ = resource.getrlimit(resource.RLIMIT_CPU)
    left = (
        most - time.process_time() if most != resource.RLIM_INFINITY else float("inf")
    )
    return min(max(_LEAST_SECONDS, spent / 2), left / 2)
