"""How a kernel's buffers must be filled: tried out, since what indexes another buffer shows by moving its extent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.validate.elements import Element
from crawler.validate.inputs.alarms import OVERWRITE, alarms, noted
from crawler.validate.inputs.contents import KEPT, Content, Filling
from crawler.validate.inputs.slots import Layout, Slot
from crawler.validate.inputs.trials import (
    ZEROS,
    Memory,
    Trial,
    extents,
    fitted,
    is_telling,
    shortened,
    too_large,
    traced,
    with_other_inputs,
)
from crawler.validate.numbers import Code
from crawler.validate.simt.execution import Execution, Outcome
from crawler.validate.simt.program import Program

_RISING: Final = re.compile(
    r"(?i)(?:^|_)ptr$|(?:row|col|ind|ind(?:ex|ice)s?|cs[rc]|seq)_?ptr|offsets?$|boundar(?:y|ies)$|indptr|cu_?seq|cum|prefix|start|row_?(?:splits|limits|idx)|(?:^|_)lod|splits|seqlens?$|begin"
)
_COUNTS: Final = re.compile(r"(?i)shapes?$|sizes?$|len(?:gth)?s?$|(?:^|_)(?:counts?|cnt|nums?)(?:_|$)|dims$")
_LINKS: Final = re.compile(r"(?i)child|sibling|successor|parent|(?:^|_)(?:next|links?)(?:_|$)")
_LOCKS: Final = re.compile(r"(?i)(?:(?<![bcf])locks?|mutex(?:es)?|semaphores?)_?$")
_ROUNDS: Final = 4
_MOST_PROMISING: Final = 3
_GENTLE: Final = Content(Filling.SMALL, 4)
LINKS: Final = Content(Filling.LINKS, 4)
_OPEN: Final = Content(Filling.OPEN)
_FRACTIONS: Final = Content(Filling.FRACTIONS, 4)
_DATA: Final = Content(Filling.DATA)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Memory that a configuration runs with, and what its run showed."""

    trial: Trial
    execution: Execution
    alarms: tuple[str, ...] = ()
    converged: bool = True
    tells: bool = False
    """Whether its outputs are known to depend on its inputs."""

    @property
    def is_clean(self) -> bool:
        """Tell whether nothing is wrong with the run and its memory is what it needs."""
        return self.is_usable and not self.alarms

    @property
    def is_usable(self) -> bool:
        """Tell whether it can be run for its results: clean, or with a race that the results will judge."""
        return self.converged and self.execution.outcome is Outcome.DONE and set(self.alarms) <= {OVERWRITE}


def settle(program: Program, layout: Layout, trials: Sequence[Trial]) -> tuple[Found, ...]:
    """Size the memory of trials until their runs stay within it; all are run together, round after round."""
    current = list(trials)
    found: dict[int, Found] = {}
    for number in range(_ROUNDS):
        waiting = [at for at in range(len(current)) if at not in found]
        done = traced(program, layout, [current[at] for at in waiting])
        for at, execution in zip(waiting, done, strict=True):
            trial = current[at]
            memory = fitted(trial.memory, execution)
            if too_large(memory) and number + 1 < _ROUNDS:
                memory = shortened(trial.memory, memory) or memory
            if _ended_badly(execution) or too_large(memory) or number == _ROUNDS - 1 or _fits(trial.memory, memory):
                found[at] = _judged(trial, memory, execution)
            else:
                current[at] = replace(trial, memory=memory)
        if len(found) == len(current):
            break
    return tuple(found[at] for at in range(len(current)))


def _ended_badly(execution: Execution) -> bool:
    return execution.outcome is not Outcome.DONE


def _fits(memory: Memory, needed: Memory) -> bool:
    return (memory.sizes, memory.before) == (needed.sizes, needed.before)


def _judged(trial: Trial, needed: Memory, execution: Execution) -> Found:
    if too_large(needed):
        return Found(trial=trial, execution=execution, alarms=("extent",), converged=False)
    return Found(
        trial=trial,
        execution=execution,
        alarms=alarms(execution),
        converged=_fits(trial.memory, needed) or execution.outcome is not Outcome.DONE,
    )


def first_contents(slots: Sequence[Slot], guess: Element) -> tuple[Content, ...]:
    """Return fillings that lead few kernels astray: small numbers, none negative."""
    return tuple(_gentle(slot, slot.element or guess) for slot in slots)


def _gentle(slot: Slot, of: Element) -> Content:
    if of.code.is_real:
        return _FRACTIONS
    if of.code.size < 4:
        return _GENTLE
    if _LOCKS.search(slot.name):
        return _OPEN
    if _LINKS.search(slot.name) and of.code.range[0] < 0:
        return LINKS
    if _RISING.search(slot.name):
        return Content(Filling.RISING, 4)
    return Content(Filling.COUNTS, 6) if _COUNTS.search(slot.name) else _GENTLE


def refined(program: Program, layout: Layout, base: Found) -> Found:
    """Return the trial with each buffer filled as widely as the run allows: data where it indexes nothing."""
    number_of = range(len(layout.slots))
    read = [
        number
        for number in number_of
        if base.execution.accesses[number].exposed and base.trial.memory.contents[number].filling not in KEPT
    ]
    if not read:
        return base
    wide = [replace(base.trial, memory=base.trial.memory.with_content(number, _DATA)) for number in read]
    done = traced(program, layout, wide)
    kept = {number for number, each in zip(read, done, strict=True) if _same(base, each)}
    memory = base.trial.memory
    for number in kept:
        memory = memory.with_content(number, _DATA)
    trial = replace(base.trial, memory=memory)
    (found,) = settle(program, layout, [trial])
    if not found.is_usable or not set(found.alarms) <= set(base.alarms) or _used(found) < _used(base):
        return base
    tells = telling(program, layout, [found])[0]
    return replace(found, tells=tells) if tells or not base.tells else base


def lively(program: Program, layout: Layout, base: Found, empty: Trial, pool: tuple[int, ...] = ()) -> Found:
    """Return the trial, or one filled otherwise, that uses most buffers and whose outputs depend on its inputs."""
    base = replace(base, tells=telling(program, layout, [base])[0])
    if base.tells and _used(base) == len(layout.slots):
        return base
    others = dict.fromkeys(_livelier(base.trial.memory, base.execution, pool))
    trials = [replace(empty, memory=replace(empty.memory, contents=other.contents)) for other in others]
    settled = settle(program, layout, _promising(program, layout, trials, base.alarms))
    usable = [each for each in settled if each.is_usable and set(each.alarms) <= set(base.alarms)]
    told = [replace(each, tells=tells) for each, tells in zip(usable, telling(program, layout, usable), strict=True)]
    return max((base, *told), key=lambda each: (each.tells, _used(each)))


def _promising(program: Program, layout: Layout, trials: Sequence[Trial], known: Sequence[str]) -> list[Trial]:
    """Return the few trials whose first run touches most buffers, with the least that is wrong."""
    done = traced(program, layout, trials)
    ranked = sorted(
        range(len(trials)),
        key=lambda at: (len(set(alarms(done[at], sizing=True)) - set(known)), -touched(done[at])),
    )
    return [trials[at] for at in ranked[:_MOST_PROMISING]]


def mended(program: Program, layout: Layout, found: Found, empty: Trial) -> list[Found]:
    """Return what comes of filling the memory of a trial, with which something is wrong, otherwise."""
    others = dict.fromkeys(alternatives(found.trial.memory, found.execution, layout.slots))
    read = fitted(found.trial.memory, found.execution).sizes if found.execution.accesses else ()
    trials = [replace(empty, memory=_as_read(replace(empty.memory, contents=other.contents), read)) for other in others]
    return list(settle(program, layout, _promising(program, layout, trials, ())))


def _as_read(memory: Memory, read: Sequence[int]) -> Memory:
    """Return memory whose permutations are as long as what was read: a longer one reaches as far as it is long."""
    sizes = list(memory.sizes)
    for at, size in enumerate(read):
        if size and memory.contents[at].filling is Filling.PERMUTATION:
            sizes[at] = size
    return replace(memory, sizes=tuple(sizes))


def _used(found: Found) -> int:
    """Return how many buffers a run touches."""
    return touched(found.execution)


def touched(execution: Execution) -> int:
    """Return how many buffers a run reads or writes."""
    return sum(access.role != "unused" for access in execution.accesses)


def writes(execution: Execution) -> bool:
    """Tell whether a run writes to any buffer."""
    return any(access.written[0] != access.written[1] for access in execution.accesses)


def telling(program: Program, layout: Layout, found: Sequence[Found]) -> list[bool]:
    """Tell of each run whether its outputs depend on its inputs: it is run again with others."""
    pairs = [with_other_inputs(each.trial, each.execution) for each in found]
    done = traced(program, layout, [trial for pair in pairs for trial in pair])
    return [is_telling(each.trial, each.execution, done[2 * at : 2 * at + 2]) for at, each in enumerate(found)]


def _livelier(memory: Memory, execution: Execution, pool: tuple[int, ...]) -> Iterator[Memory]:
    """Yield ways to fill what is read so that less of it is empty, closed or turned round."""
    exposed = [at for at, access in enumerate(execution.accesses) if access.exposed]
    # whatever else stood there would lead round for ever
    read = [at for at in exposed if memory.contents[at].filling not in KEPT]
    reals = [at for at in read if memory.elements[at].code.is_real]
    whole = [at for at in read if at not in reals]
    # smaller numbers all have the same upper half
    for at in (at for at in whole if memory.elements[at].code in (Code.I64, Code.U64)):
        yield memory.with_content(at, Content(Filling.KEYS, 2))
    for of_whole in (
        _GENTLE,
        Content(Filling.COUNTS, 6),
        Content(Filling.RISING, 3),
        Content(Filling.PERMUTATION),
        ZEROS,
    ):
        for of_reals in (_FRACTIONS, Content(Filling.FRACTIONS, 1), Content(Filling.RISING, 2), _DATA):
            yield _all(_all(memory, whole, of_whole), reals, of_reals)
    for at in read:
        yield memory.with_content(at, Content(Filling.RISING, 2))
        if pool and at in whole:
            yield memory.with_content(at, Content(Filling.POOL, 4, pool))
    if pool:
        yield _all(memory, whole, Content(Filling.POOL, 4, pool))


def _same(base: Found, execution: Execution) -> bool:
    """Tell whether a run touched what the base touched, and nothing more is wrong with it."""
    return (
        execution.outcome is Outcome.DONE
        and extents(execution) == extents(base.execution)
        and set(alarms(execution)) <= set(base.alarms)
        and noted(execution) <= noted(base.execution)
    )


def alternatives(memory: Memory, execution: Execution, slots: Sequence[Slot]) -> Iterator[Memory]:
    """Yield other ways to fill the memory of a run that something is wrong with, the likest first."""
    free = [at for at, content in enumerate(memory.contents) if content.filling is not Filling.OPEN]
    whole = [at for at in free if not memory.elements[at].code.is_real and memory.elements[at].code is not Code.BOOL]
    indices = [at for at in whole if at >= len(execution.accesses) or execution.accesses[at].exposed]
    yield _all(memory, indices, Content(Filling.PERMUTATION))
    yield _all(memory, [at for at in indices if not execution_atomic(execution, at)], Content(Filling.PERMUTATION))
    yield _all(memory, indices, ZEROS)
    yield _all(memory, indices, Content(Filling.STAIRS, 3))
    few = _all(memory, indices, Content(Filling.SMALL, 2))
    yield few
    for at in indices:
        yield memory.with_content(at, Content(Filling.PERMUTATION))
        yield memory.with_content(at, ZEROS)
        yield few.with_content(at, Content(Filling.PERMUTATION))
    reals = [at for at, of in enumerate(memory.elements) if of.code.is_real]
    yield _all(memory, reals, ZEROS)
    yield _all(memory, reals, Content(Filling.FRACTIONS, 1))
    yield _all(memory, range(len(slots)), ZEROS)


def execution_atomic(execution: Execution, at: int) -> bool:
    """Tell whether atomics touch a buffer."""
    return at < len(execution.accesses) and execution.accesses[at].atomic


def _all(memory: Memory, numbers: Sequence[int], content: Content) -> Memory:
    for number in numbers:
        memory = memory.with_content(number, content)
    return memory
