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
from crawler.extract.templates.discarded_branch_arguments import (
    infer_discarded_branch_arguments,
)
from crawler.extract.templates.fallback_arguments import make_fallback_instantiations
from crawler.extract.templates.guess_arguments import ArgumentGuesser, qualify_names
from crawler.extract.templates.guessed_instantiations import (
    MAX_INSTANTIATIONS,
    GuessedSet,
    make_guessed_set,
)
from crawler.extract.templates.kernel_facts import make_kernel_sighting
from crawler.extract.templates.sibling_arguments import (
    borrow_from_class_templates,
    borrow_partial_arguments,
    borrow_sibling_arguments,
)
from crawler.model import CompileCommand, KernelFacts

MAX_TRIAL_TEXT: Final = 16 << 20
"""Characters of kernel units that are compiled, of all templates of one unit together: some
five seconds.
"""
_MAX_TEMPLATE_TEXT: Final = 2 << 20
"""The same of one template, but for the set that goes over it."""
_MIN_SECONDS: Final = 4.0
_MAX_KEPT_GUESSES: Final = 2
"""Guesses that are kept where nothing in a project says more for one than for another."""


class UninstantiatedTemplates:
    """The templates of one unit that nothing in it instantiates."""

    def __init__(
        self,
        command: CompileCommand,
        spent_seconds: float,
        is_trial_allowed: Callable[[], bool],
    ) -> None:
        """`spent_seconds` are the CPU seconds that the unit took so far: half as many more may
        go into guesses. `is_trial_allowed` is asked before anything made up is compiled.
        """
        self._command = command
        self._is_trial_allowed = is_trial_allowed
        self._cpu_deadline = time.process_time() + _allow_seconds(spent_seconds)
        self._remaining_text = MAX_TRIAL_TEXT
        self._guessers: dict[int, ArgumentGuesser] = {}

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

        What was borrowed from another kernel stays even so, as the unit's own compiler may be
        of another mind. What a branch asks for, at one of `naming_sites` that name the kernel
        in what is not instantiated, is no guess to try.
        """
        if not kernel.template_parameters or kernel.instantiations:
            return kernel

        borrowed = borrow_sibling_arguments(kernel, siblings)
        inferred = infer_discarded_branch_arguments(
            kernel,
            borrowed,
            naming_sites,
            context.sources,
        )

        def make_sighting(instantiations: GuessedSet) -> KernelFacts:
            return make_kernel_sighting(
                declaration,
                context,
                self._command,
                instantiations,
            )

        if inferred:
            return make_sighting(inferred)

        fallback = make_sighting(borrowed) if borrowed else kernel
        text_before = self._remaining_text
        for guessed_set, max_count in self._iter_sets(
            kernel, declaration, context, siblings, borrowed
        ):
            if not self._may_try(text_before):
                break

            sighting = fallback
            if guessed_set is not borrowed:
                sighting = make_sighting(guessed_set)

            compiling = self._select_compiling(sighting)[:max_count]
            if compiling:
                # its closure was computed for these arguments
                if compiling == guessed_set:
                    return sighting
                return make_sighting(compiling)

        return fallback

    def _may_try(self, text_before_template: int) -> bool:
        """Tell whether another set of a template may be compiled."""
        if not self._is_trial_allowed():
            return False

        min_remaining = max(0, text_before_template - _MAX_TEMPLATE_TEXT)
        if self._remaining_text < min_remaining:
            return False

        return time.process_time() <= self._cpu_deadline

    def _iter_sets(
        self,
        kernel: KernelFacts,
        declaration: Declaration,
        context: UnitContext,
        siblings: Sequence[KernelFacts],
        borrowed: GuessedSet,
    ) -> Iterator[tuple[GuessedSet, int]]:
        """Yield sets to try, the likelier ones first, each with how many of it are kept.

        A set is only made when those before it did not compile.
        """
        if borrowed:
            yield borrowed, MAX_INSTANTIATIONS

        default_set = _qualify_set(
            make_fallback_instantiations(kernel), declaration, context
        )
        if default_set:
            yield default_set, MAX_INSTANTIATIONS

        from_templates = borrow_from_class_templates(
            kernel,
            siblings,
            context,
        )
        if from_templates:
            yield from_templates, _MAX_KEPT_GUESSES

        guesser = self._get_guesser(context)
        varied = guesser.vary_classes(
            instantiation.arguments for instantiation in borrowed
        )

        if varied:
            yield varied, _MAX_KEPT_GUESSES

        partial_arguments = borrow_partial_arguments(kernel, siblings)
        guesses = guesser.guess_for(
            kernel,
            declaration,
            partial_arguments,
        )
        if guesses:
            yield guesses, _MAX_KEPT_GUESSES

    def _get_guesser(self, context: UnitContext) -> ArgumentGuesser:
        key = id(context)
        if key not in self._guessers:
            self._guessers[key] = ArgumentGuesser(context)

        return self._guessers[key]

    def _select_compiling(self, sighting: KernelFacts) -> GuessedSet:
        closure = sighting.closure
        if closure is None or not closure.complete:
            return ()

        # counted by length: a compiler's time grows with it
        self._remaining_text -= sum(map(len, closure.fragments))

        return select_compiling_instantiations(
            closure,
            sighting.dialect,
            sighting.qualified_name,
            sighting.instantiations,
            language_standard.requested_standard(self._command.arguments),
        )


def _qualify_set(
    guessed_set: GuessedSet, declaration: Declaration, context: UnitContext
) -> GuessedSet:
    """Return a set with its names as they are written outside of a kernel's namespace.

    e.g. `ns::Mode::FAST` for what the kernel compares with `Mode::FAST`.
    """
    return make_guessed_set(
        tuple(
            qualify_names(argument, declaration, context)
            for argument in instantiation.arguments
        )
        for instantiation in guessed_set
    )


def _allow_seconds(spent_seconds: float) -> float:
    """Return the seconds that guesses may take: of what the unit may still take of a processor
    not more than half.
    """
    wanted_seconds = max(_MIN_SECONDS, spent_seconds / 2)
    soft_limit, _ = resource.getrlimit(resource.RLIMIT_CPU)
    if soft_limit == resource.RLIM_INFINITY:
        return wanted_seconds

    remaining_seconds = soft_limit - time.process_time()

    return min(wanted_seconds, remaining_seconds / 2)
