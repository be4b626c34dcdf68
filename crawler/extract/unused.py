"""What a template is instantiated with that its unit never uses: the first set that was made up for it and compiles."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from crawler import standards
from crawler.extract.branched import branched
from crawler.extract.declarations import Declaration
from crawler.extract.defaults import MOST, defaults
from crawler.extract.guessed import Guesses
from crawler.extract.lent import lent, lent_from_afar, lent_in_part
from crawler.extract.sightings import sighting
from crawler.extract.surroundings import Surroundings
from crawler.extract.tried import compiling
from crawler.extract.uses import Place
from crawler.model import CompileCommand, Instantiation, KernelSighting

MOST_TEXT: Final = 16 << 20
"""Characters of kernel units that are compiled, of all templates of one unit together: some five seconds."""
_MOST_OF_ONE: Final = 2 << 20
"""The same of one template, but for the set that goes over it."""
_LEAST_SECONDS: Final = 4.0
_MOST_GUESSES: Final = 2
"""Guesses that are kept where nothing in a project says more for one than for another."""
_Set = tuple[Instantiation, ...]


def _always() -> bool:
    return True


may_try: Callable[[], bool] = _always
"""Asked before anything made up is compiled, which may crash or take for ever though the unit itself does not."""


class Unused:
    """The templates of one unit that nothing in it instantiates."""

    def __init__(self, command: CompileCommand, spent: float = 0.0) -> None:
        """`spent` are the seconds of a processor that the unit took so far: half as many more may go into guesses."""
        self._command = command
        self._until = time.process_time() + _allowed(spent)
        self._left = MOST_TEXT
        self._guesses: dict[int, Guesses] = {}

    def completed(
        self,
        kernel: KernelSighting,
        declaration: Declaration,
        around: Surroundings,
        beside: Sequence[KernelSighting],
        sites: Sequence[Place] = (),
    ) -> KernelSighting:
        """Return what is seen of a template with a set that compiles; as it was where there is none.

        What was taken over from another kernel stays even so, as the unit's own compiler may be of another mind.
        What a branch asks for, at one of `sites` that name the kernel in what is not instantiated, is no guess to try.
        """
        if not kernel.template_parameters or kernel.instantiations:
            return kernel
        taken = lent(kernel, beside)
        asked = branched(kernel, taken, sites, around.sources)
        if asked:
            return sighting(declaration, around, self._command, asked)
        first = sighting(declaration, around, self._command, taken) if taken else kernel
        before = self._left
        for offered, most in self._sets(kernel, declaration, around, beside, taken):
            if not may_try() or self._left < max(0, before - _MOST_OF_ONE) or time.process_time() > self._until:
                break
            shown = first if offered is taken else sighting(declaration, around, self._command, offered)
            good = self._compiling(shown)[:most]
            if good:
                return shown if good == offered else sighting(declaration, around, self._command, good)
        return first

    def _sets(
        self,
        kernel: KernelSighting,
        declaration: Declaration,
        around: Surroundings,
        beside: Sequence[KernelSighting],
        taken: _Set,
    ) -> Iterator[tuple[_Set, int]]:
        """Yield sets to try, each with how many of it are kept."""
        made: tuple[tuple[Callable[[], _Set], int], ...] = (
            (lambda: taken, MOST),
            (lambda: defaults(kernel), MOST),
            (lambda: lent_from_afar(kernel, beside, around), _MOST_GUESSES),
            (lambda: self._guesses_of(around).beside(one.arguments for one in taken), _MOST_GUESSES),
            (lambda: self._guesses_of(around).of(kernel, declaration, lent_in_part(kernel, beside)), _MOST_GUESSES),
        )
        yield from ((offered, most) for make, most in made if (offered := make()))

    def _guesses_of(self, around: Surroundings) -> Guesses:
        known = self._guesses.get(id(around))
        if known is None:
            known = self._guesses[id(around)] = Guesses(around)
        return known

    def _compiling(self, shown: KernelSighting) -> _Set:
        if shown.closure is None or not shown.closure.complete:
            return ()
        self._left -= sum(map(len, shown.closure.fragments))
        standard = standards.asked(self._command.arguments)
        return compiling(shown.closure, shown.dialect, shown.qualified_name, shown.instantiations, standard)


def _allowed(spent: float) -> float:
    """Return the seconds that guesses may take: of what the unit may still take of a processor not more than half."""
    most, _ = resource.getrlimit(resource.RLIMIT_CPU)
    left = most - time.process_time() if most != resource.RLIM_INFINITY else float("inf")
    return min(max(_LEAST_SECONDS, spent / 2), left / 2)
