"""Search for buffer contents and sizes with which a kernel runs cleanly, by tracing its runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.validate.emulator.execution import Execution, Outcome
from crawler.validate.emulator.program import Program
from crawler.validate.inputs.arguments.argument_layout import ArgumentLayout, BufferSlot
from crawler.validate.inputs.trials.buffer_contents import (
    FIXED_FILLINGS,
    Filling,
    FillPattern,
)
from crawler.validate.inputs.trials.problems import (
    OVERWRITE,
    find_problems,
    find_undefined_arithmetic,
)
from crawler.validate.inputs.trials.trial import (
    ZERO_PATTERN,
    Trial,
    TrialMemory,
    fit_memory,
    has_informative_output,
    is_too_large,
    list_touched_ranges,
    shorten_permutations,
    trace_trials,
    vary_inputs,
)
from crawler.validate.values.element_types import ElementType
from crawler.validate.values.scalar_types import ScalarType

_RISING: Final = re.compile(
    r"(?i)(?:^|_)ptr$|(?:row|col|ind|ind(?:ex|ice)s?|cs[rc]|seq)_?ptr|offsets?$|boundar(?:y|ies)$|indptr|cu_?seq|cum|prefix|start|row_?(?:splits|limits|idx)|(?:^|_)lod|splits|seqlens?$|begin"
)
_COUNTS: Final = re.compile(
    r"(?i)shapes?$|sizes?$|len(?:gth)?s?$|(?:^|_)(?:counts?|cnt|nums?)(?:_|$)|dims$"
)
_LINKS: Final = re.compile(
    r"(?i)child|sibling|successor|parent|(?:^|_)(?:next|links?)(?:_|$)"
)
_LOCKS: Final = re.compile(r"(?i)(?:(?<![bcf])locks?|mutex(?:es)?|semaphores?)_?$")
_ROUNDS: Final = 4
_MOST_PROMISING: Final = 3
_GENTLE: Final = FillPattern(Filling.SMALL_INTEGERS, 4)
LINK_PATTERN: Final = FillPattern(Filling.FORWARD_LINKS, 4)
_OPEN: Final = FillPattern(Filling.UNLOCKED)
_FRACTIONS: Final = FillPattern(Filling.BOUNDED_REALS, 4)
_DATA: Final = FillPattern(Filling.DATA)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """Memory that a configuration runs with, and what its run showed."""

    trial: Trial
    execution: Execution
    problems: tuple[str, ...] = ()
    is_converged: bool = True
    is_informative: bool = False
    """Whether its outputs are known to depend on its inputs."""

    @property
    def is_clean(self) -> bool:
        """Tell whether nothing is wrong with the run and its memory is what it needs."""
        return self.is_usable and not self.problems

    @property
    def is_usable(self) -> bool:
        """Tell whether it can be run for its results: clean, or with a race that the results
        will judge.
        """
        return (
            self.is_converged
            and self.execution.outcome is Outcome.DONE
            and set(self.problems) <= {OVERWRITE}
        )


def settle_buffer_sizes(
    program: Program, layout: ArgumentLayout, trials: Sequence[Trial]
) -> tuple[TrialResult, ...]:
    """Size the memory of trials until their runs stay within it; all are run together, round
    after round.
    """
    current = list(trials)
    found: dict[int, TrialResult] = {}
    for number in range(_ROUNDS):
        waiting = [at for at in range(len(current)) if at not in found]
        done = trace_trials(program, layout, [current[at] for at in waiting])
        for at, execution in zip(waiting, done, strict=True):
            trial = current[at]
            memory = fit_memory(trial.memory, execution)
            if is_too_large(memory) and number + 1 < _ROUNDS:
                memory = shorten_permutations(trial.memory, memory) or memory
            if (
                _ended_badly(execution)
                or is_too_large(memory)
                or number == _ROUNDS - 1
                or _fits(trial.memory, memory)
            ):
                found[at] = _judged(trial, memory, execution)
            else:
                current[at] = replace(trial, memory=memory)
        if len(found) == len(current):
            break
    return tuple(found[at] for at in range(len(current)))


def _ended_badly(execution: Execution) -> bool:
    return execution.outcome is not Outcome.DONE


def _fits(memory: TrialMemory, needed: TrialMemory) -> bool:
    return (memory.sizes, memory.leading_bytes) == (needed.sizes, needed.leading_bytes)


def _judged(trial: Trial, needed: TrialMemory, execution: Execution) -> TrialResult:
    if is_too_large(needed):
        return TrialResult(
            trial=trial, execution=execution, problems=("extent",), is_converged=False
        )
    return TrialResult(
        trial=trial,
        execution=execution,
        problems=find_problems(execution),
        is_converged=_fits(trial.memory, needed)
        or execution.outcome is not Outcome.DONE,
    )


def choose_initial_patterns(
    slots: Sequence[BufferSlot], default_element: ElementType
) -> tuple[FillPattern, ...]:
    """Return fillings that lead few kernels astray: small numbers, none negative."""
    return tuple(_gentle(slot, slot.element or default_element) for slot in slots)


def _gentle(slot: BufferSlot, of: ElementType) -> FillPattern:
    if of.scalar.is_real:
        return _FRACTIONS
    if of.scalar.size < 4:
        return _GENTLE
    if _LOCKS.search(slot.name):
        return _OPEN
    if _LINKS.search(slot.name) and of.scalar.integer_range[0] < 0:
        return LINK_PATTERN
    if _RISING.search(slot.name):
        return FillPattern(Filling.ASCENDING, 4)
    return FillPattern(Filling.COUNTS, 6) if _COUNTS.search(slot.name) else _GENTLE


def widen_contents(
    program: Program, layout: ArgumentLayout, base: TrialResult
) -> TrialResult:
    """Return the trial with each buffer filled as widely as the run allows: data where it
    indexes nothing.
    """
    number_of = range(len(layout.buffer_slots))
    read = [
        number
        for number in number_of
        if base.execution.accesses[number].is_input
        and base.trial.memory.patterns[number].filling not in FIXED_FILLINGS
    ]
    if not read:
        return base
    wide = [
        replace(base.trial, memory=base.trial.memory.with_pattern(number, _DATA))
        for number in read
    ]
    done = trace_trials(program, layout, wide)
    kept = {
        number for number, each in zip(read, done, strict=True) if _same(base, each)
    }
    memory = base.trial.memory
    for number in kept:
        memory = memory.with_pattern(number, _DATA)
    trial = replace(base.trial, memory=memory)
    (found,) = settle_buffer_sizes(program, layout, [trial])
    if (
        not found.is_usable
        or not set(found.problems) <= set(base.problems)
        or _used(found) < _used(base)
    ):
        return base
    tells = check_informative(program, layout, [found])[0]
    return (
        replace(found, is_informative=tells)
        if tells or not base.is_informative
        else base
    )


def find_informative_contents(
    program: Program,
    layout: ArgumentLayout,
    base: TrialResult,
    unsized_trial: Trial,
    compared_values: tuple[int, ...] = (),
) -> TrialResult:
    """Return the trial, or one filled otherwise, that uses most buffers and whose outputs
    depend on its inputs.
    """
    base = replace(base, is_informative=check_informative(program, layout, [base])[0])
    if base.is_informative and _used(base) == len(layout.buffer_slots):
        return base
    others = dict.fromkeys(
        _livelier(base.trial.memory, base.execution, compared_values)
    )
    trials = [
        replace(
            unsized_trial, memory=replace(unsized_trial.memory, patterns=other.patterns)
        )
        for other in others
    ]
    settled = settle_buffer_sizes(
        program, layout, _promising(program, layout, trials, base.problems)
    )
    usable = [
        each
        for each in settled
        if each.is_usable and set(each.problems) <= set(base.problems)
    ]
    told = [
        replace(each, is_informative=tells)
        for each, tells in zip(
            usable, check_informative(program, layout, usable), strict=True
        )
    ]
    return max((base, *told), key=lambda each: (each.is_informative, _used(each)))


def _promising(
    program: Program,
    layout: ArgumentLayout,
    trials: Sequence[Trial],
    known: Sequence[str],
) -> list[Trial]:
    """Return the few trials whose first run touches most buffers, with the least that is wrong."""
    done = trace_trials(program, layout, trials)
    ranked = sorted(
        range(len(trials)),
        key=lambda at: (
            len(set(find_problems(done[at], ignore_out_of_bounds=True)) - set(known)),
            -count_touched_buffers(done[at]),
        ),
    )
    return [trials[at] for at in ranked[:_MOST_PROMISING]]


def repair_contents(
    program: Program, layout: ArgumentLayout, failed: TrialResult, unsized_trial: Trial
) -> list[TrialResult]:
    """Return what comes of filling the memory of a trial, with which something is wrong,
    otherwise.
    """
    others = dict.fromkeys(
        list_alternative_contents(
            failed.trial.memory, failed.execution, layout.buffer_slots
        )
    )
    read = (
        fit_memory(failed.trial.memory, failed.execution).sizes
        if failed.execution.accesses
        else ()
    )
    trials = [
        replace(
            unsized_trial,
            memory=_as_read(
                replace(unsized_trial.memory, patterns=other.patterns), read
            ),
        )
        for other in others
    ]
    return list(
        settle_buffer_sizes(program, layout, _promising(program, layout, trials, ()))
    )


def _as_read(memory: TrialMemory, read: Sequence[int]) -> TrialMemory:
    """Return memory whose permutations are as long as what was read: a longer one reaches as
    far as it is long.
    """
    sizes = list(memory.sizes)
    for at, size in enumerate(read):
        if size and memory.patterns[at].filling is Filling.PERMUTATION:
            sizes[at] = size
    return replace(memory, sizes=tuple(sizes))


def _used(found: TrialResult) -> int:
    """Return how many buffers a run touches."""
    return count_touched_buffers(found.execution)


def count_touched_buffers(execution: Execution) -> int:
    """Return how many buffers a run reads or writes."""
    return sum(access.role != "unused" for access in execution.accesses)


def writes_any_buffer(execution: Execution) -> bool:
    """Tell whether a run writes to any buffer."""
    return any(
        access.written_range[0] != access.written_range[1]
        for access in execution.accesses
    )


def check_informative(
    program: Program, layout: ArgumentLayout, results: Sequence[TrialResult]
) -> list[bool]:
    """Tell of each run whether its outputs depend on its inputs: it is run again with others."""
    pairs = [vary_inputs(each.trial, each.execution) for each in results]
    done = trace_trials(program, layout, [trial for pair in pairs for trial in pair])
    return [
        has_informative_output(each.trial, each.execution, done[2 * at : 2 * at + 2])
        for at, each in enumerate(results)
    ]


def _livelier(
    memory: TrialMemory, execution: Execution, pool: tuple[int, ...]
) -> Iterator[TrialMemory]:
    """Yield ways to fill what is read so that less of it is empty, closed or turned round."""
    exposed = [at for at, access in enumerate(execution.accesses) if access.is_input]
    # whatever else stood there would lead round for ever
    read = [at for at in exposed if memory.patterns[at].filling not in FIXED_FILLINGS]
    reals = [at for at in read if memory.elements[at].scalar.is_real]
    whole = [at for at in read if at not in reals]
    # smaller numbers all have the same upper half
    for at in (
        at
        for at in whole
        if memory.elements[at].scalar in (ScalarType.I64, ScalarType.U64)
    ):
        yield memory.with_pattern(at, FillPattern(Filling.PACKED_KEYS, 2))
    for of_whole in (
        _GENTLE,
        FillPattern(Filling.COUNTS, 6),
        FillPattern(Filling.ASCENDING, 3),
        FillPattern(Filling.PERMUTATION),
        ZERO_PATTERN,
    ):
        for of_reals in (
            _FRACTIONS,
            FillPattern(Filling.BOUNDED_REALS, 1),
            FillPattern(Filling.ASCENDING, 2),
            _DATA,
        ):
            yield _all(_all(memory, whole, of_whole), reals, of_reals)
    for at in read:
        yield memory.with_pattern(at, FillPattern(Filling.ASCENDING, 2))
        if pool and at in whole:
            yield memory.with_pattern(at, FillPattern(Filling.COMPARED_VALUES, 4, pool))
    if pool:
        yield _all(memory, whole, FillPattern(Filling.COMPARED_VALUES, 4, pool))


def _same(base: TrialResult, execution: Execution) -> bool:
    """Tell whether a run touched what the base touched, and nothing more is wrong with it."""
    return (
        execution.outcome is Outcome.DONE
        and list_touched_ranges(execution) == list_touched_ranges(base.execution)
        and set(find_problems(execution)) <= set(base.problems)
        and find_undefined_arithmetic(execution)
        <= find_undefined_arithmetic(base.execution)
    )


def list_alternative_contents(
    memory: TrialMemory, execution: Execution, slots: Sequence[BufferSlot]
) -> Iterator[TrialMemory]:
    """Yield other ways to fill the memory of a run that something is wrong with, the likest
    first.
    """
    free = [
        at
        for at, content in enumerate(memory.patterns)
        if content.filling is not Filling.UNLOCKED
    ]
    whole = [
        at
        for at in free
        if not memory.elements[at].scalar.is_real
        and memory.elements[at].scalar is not ScalarType.BOOL
    ]
    indices = [
        at
        for at in whole
        if at >= len(execution.accesses) or execution.accesses[at].is_input
    ]
    yield _all(memory, indices, FillPattern(Filling.PERMUTATION))
    yield _all(
        memory,
        [at for at in indices if not has_atomic_access(execution, at)],
        FillPattern(Filling.PERMUTATION),
    )
    yield _all(memory, indices, ZERO_PATTERN)
    yield _all(memory, indices, FillPattern(Filling.ASCENDING_WITH_REPEATS, 3))
    few = _all(memory, indices, FillPattern(Filling.SMALL_INTEGERS, 2))
    yield few
    for at in indices:
        yield memory.with_pattern(at, FillPattern(Filling.PERMUTATION))
        yield memory.with_pattern(at, ZERO_PATTERN)
        yield few.with_pattern(at, FillPattern(Filling.PERMUTATION))
    reals = [at for at, of in enumerate(memory.elements) if of.scalar.is_real]
    yield _all(memory, reals, ZERO_PATTERN)
    yield _all(memory, reals, FillPattern(Filling.BOUNDED_REALS, 1))
    yield _all(memory, range(len(slots)), ZERO_PATTERN)


def has_atomic_access(execution: Execution, buffer_index: int) -> bool:
    """Tell whether atomics touch a buffer."""
    return (
        buffer_index < len(execution.accesses)
        and execution.accesses[buffer_index].is_atomic
    )


def _all(
    memory: TrialMemory, numbers: Sequence[int], content: FillPattern
) -> TrialMemory:
    for number in numbers:
        memory = memory.with_pattern(number, content)
    return memory
