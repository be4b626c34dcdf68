"""Trials drawn until a kernel's branches are taken: other contents, sizes, flags and null pointers than a case has."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from crawler.validate.inputs.contents import KEPT, Content, Filling
from crawler.validate.inputs.plan import Subject
from crawler.validate.inputs.search import Found, settle
from crawler.validate.inputs.sizes import Grow, resized
from crawler.validate.inputs.trials import Memory, Trial, derived, unsized
from crawler.validate.numbers import Code
from crawler.validate.strength.regions import Key, taken

_BATCH: Final = 16
"""Trials that are drawn at a time."""
BATCHES: Final = 4
_IN_VAIN: Final = 2
"""Batches in a row that reach nothing more, after which no other is drawn."""
_MOST: Final = 8
_ANYWAY: Final = 2
"""Trials that are kept although they reach nothing more: they differ, and tell mutants."""
_REALS: Final = (0.0, 0.001, 0.1, 0.5, 1.0, 3.0, 10.0, 100.0, -1.0)
"""Of thresholds, bounds and factors."""
_OF_REALS: Final = (
    *(Content(Filling.FRACTIONS, bound) for bound in (1, 4, 16, 64)),
    *(Content(Filling.WIDE, bound) for bound in (1, 4, 16, 64)),
    *(Content(Filling.RISING, 2), Content(Filling.DATA), Content(Filling.ZEROS), Content(Filling.SMALL, 4)),
)
_OF_WHOLE: Final = (
    *(Content(Filling.SMALL, bound) for bound in (2, 3, 4, 8, 16, 64)),
    *(Content(Filling.GAPS, 4), Content(Filling.COUNTS, 6), Content(Filling.ZEROS), Content(Filling.STAIRS, 2)),
    *(Content(Filling.RISING, 3), Content(Filling.PERMUTATION), Content(Filling.DATA)),
)


class Reached:
    """The branches of one entry, and those that some run took."""

    def __init__(self, subject: Subject) -> None:
        self._ways = subject.ways
        self._all: set[Key] = set()
        self._taken: set[Key] = set()

    def add(self, found: Found) -> bool:
        """Take note of a run; tell whether it took a branch that none has before."""
        counts = found.execution.counts
        self._all |= {branch.key for name, _ in counts for branch in self._ways.get(name, ())}
        more = {branch.key for branch in taken(self._ways, counts)} - self._taken
        self._taken |= more
        return bool(more)

    @property
    def is_complete(self) -> bool:
        """Tell whether no branch is left."""
        return self._all <= self._taken


def reaching(subject: Subject, base: Found, known: Sequence[Found], seed: int) -> tuple[Found, ...]:
    """Return runs that end cleanly and take branches that no run of `known` takes, and few that do not."""
    reached = Reached(subject)
    for each in known:
        reached.add(each)
    drawn = Draws(subject, base, seed)
    kept: list[Found] = []
    spare: list[Found] = []
    in_vain = 0
    for batch in range(BATCHES):
        if in_vain == _IN_VAIN or len(kept) >= _MOST or (batch and reached.is_complete):
            break
        before = len(kept)
        for found in settle(subject.program, subject.layout, list(drawn.batch(batch))):
            if not (found.is_usable and set(found.alarms) <= set(base.alarms)):
                continue
            (kept if reached.add(found) else spare).append(found)
        in_vain = in_vain + 1 if len(kept) == before else 0
    return (*kept[:_MOST], *spare[:_ANYWAY])


class Draws:
    """Trials drawn at random, the same for the same unit and seed."""

    def __init__(self, subject: Subject, base: Found, seed: int) -> None:
        self._subject, self._base, self._seed = subject, base.trial, seed
        accesses = base.execution.accesses
        contents = base.trial.memory.contents
        self._read = [at for at, access in enumerate(accesses) if access.exposed and contents[at].filling not in KEPT]

    def batch(self, number: int) -> Iterator[Trial]:
        """Yield the `number`th trials."""
        for at in range(_BATCH):
            yield self._trial(number * _BATCH + at)

    def _trial(self, number: int) -> Trial:
        rng = random.Random(derived(self._seed, 10_000 + number))  # noqa: S311
        grow = self._grow(rng)
        base = self._base
        sized = replace(base, memory=unsized(base.memory)) if grow is None else self._sized(grow, number)
        nulls = frozenset(at for at in self._subject.optional if rng.random() < 0.5)
        memory = self.refilled(base.memory if grow is None and rng.random() < 0.5 else sized.memory, rng)
        modes = self._modes(rng) | self.reals(rng)
        return replace(sized, memory=unsized(memory), modes=modes, nulls=nulls, seed=derived(base.seed, number))

    def _sized(self, grow: Grow, number: int) -> Trial:
        return resized(self._subject, self._base, grow, 100 + number, self._seed)

    @staticmethod
    def _grow(rng: random.Random) -> Grow | None:
        if rng.random() < 0.4:
            return None
        if rng.random() < 0.4:
            most = rng.choice((1, 2, 3, 5, 9))
            return lambda value: min(value, most)
        times = rng.choice((0.3, 0.6, 1.4, 2.0))
        by = rng.choice((-1, 0, 1))
        return lambda value: max(1, int(value * times) + by) if value >= 8 else max(1, value + by)

    def _modes(self, rng: random.Random) -> dict[str, int | float]:
        modes: dict[str, int | float] = {name: rng.choice(values) for name, values in self._subject.modes.items()}
        for name, values in self._subject.bounds.items():
            if rng.random() < 0.5:
                modes[name] = rng.choice(values)
        return modes

    def reals(self, rng: random.Random) -> dict[str, int | float]:
        """Return other values of some of the real numbers that the kernel is passed."""
        places = self._subject.layout.places
        names = [each.name for each in places if each.code.is_real and each.role == ""]
        return {name: rng.choice(_REALS) for name in names if rng.random() < 0.3}

    def refilled(self, memory: Memory, rng: random.Random) -> Memory:
        """Return memory of which most of what is read holds something else."""
        for at in self._read:
            if rng.random() < 0.7:
                memory = memory.with_content(at, rng.choice(self._contents(memory.elements[at].code)))
        return memory

    def alike(self, memory: Memory, rng: random.Random) -> Memory:
        """Return memory of which all that is read holds something else, what is of one type the same kind of it."""
        chosen: dict[Code, Content] = {}
        for at in self._read:
            code = memory.elements[at].code
            memory = memory.with_content(at, chosen.setdefault(code, rng.choice(self._contents(code))))
        return memory

    def _contents(self, code: Code) -> Sequence[Content]:
        return _OF_REALS if code.is_real else (*_OF_WHOLE, *self._pooled)

    @cached_property
    def _pooled(self) -> tuple[Content, ...]:
        pool = self._subject.pool
        return (Content(Filling.POOL, 4, pool),) if pool else ()
