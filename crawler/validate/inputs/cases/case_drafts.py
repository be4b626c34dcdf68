"""Draft the cases of a kernel as variations of its ordinary trial."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import CaseKind
from crawler.validate.inputs.cases.branch_search import search_branches
from crawler.validate.inputs.cases.resized_trial import GrowthRule, resize_trial
from crawler.validate.inputs.ordinary.ordinary_trial import TrialSubject
from crawler.validate.inputs.trials.buffer_contents import Filling, FillPattern
from crawler.validate.inputs.trials.content_search import (
    TrialResult,
    settle_buffer_sizes,
)
from crawler.validate.inputs.trials.trial import (
    Trial,
    add_headroom,
    derive_unit_seed,
    enlarge_buffers,
    list_touched_ranges,
    writes_single_value,
)

ENOUGH_CASES: Final = 9
"""Cases, with the hidden one: some may turn out to tell nothing."""
BRANCH_CASE_PREFIX: Final = "reach-"
"""What the names of cases begin with that were drawn to take branches that no other takes."""
_BEYOND: Final = (
    ("gaps", Filling.SMALL_INTEGERS, Filling.INDICES_WITH_NONE),
    ("empty-segments", Filling.ASCENDING, Filling.ASCENDING_WITH_REPEATS),
    ("wide", Filling.BOUNDED_REALS, Filling.OUT_OF_RANGE_REALS),
)
_TILE: Final = 16
"""Elements that a tile has at least."""
_LARGE: Final = 4
"""Times as many threads as an ordinary case has at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDraft:
    """A case before its golden outputs are known."""

    name: str
    kind: CaseKind
    result: TrialResult
    is_hidden: bool = False


def draft_cases(
    subject: TrialSubject, base: TrialResult, seed: int
) -> tuple[CaseDraft, ...]:
    """Return the cases that run cleanly: the base as the ordinary one, and its variations."""
    made = [CaseDraft(name="ordinary", kind=CaseKind.ORDINARY, result=base)]
    _add(subject, base, list(_variations(subject, base, seed)), made)
    for further in (_extras, _restrained):
        if sum(_varies(each.result) for each in made) < ENOUGH_CASES:
            _add(subject, base, list(further(subject, base.trial, seed)), made)
    for number, found in enumerate(
        search_branches(subject, base, [each.result for each in made], seed), 1
    ):
        made.append(
            CaseDraft(
                name=f"{BRANCH_CASE_PREFIX}{number}", kind=CaseKind.EXTRA, result=found
            )
        )
    return tuple(made)


def _add(
    subject: TrialSubject,
    base: TrialResult,
    wanted: Sequence[tuple[str, CaseKind, Trial]],
    made: list[CaseDraft],
) -> None:
    """Add those of the wanted cases that run cleanly, mean what they say, and are none of those
    that are there.
    """
    settled = settle_buffer_sizes(
        subject.program, subject.layout, [trial for _, _, trial in wanted]
    )
    for (name, kind, _), found in zip(wanted, settled, strict=True):
        clean = found.is_usable and set(found.problems) <= set(base.problems)
        if (
            clean
            and _is_meant(kind, base, found)
            and all(not _same(each.result, found) for each in made)
        ):
            made.append(
                CaseDraft(
                    name=name, kind=kind, result=found, is_hidden=name == "hidden"
                )
            )


def _varies(found: TrialResult) -> bool:
    """Tell whether a run leaves more than one value where it writes."""
    accesses = enumerate(found.execution.accesses)
    written = [
        at
        for at, access in accesses
        if access.written_range[0] != access.written_range[1]
    ]
    return any(
        not writes_single_value(found.trial, found.execution, at) for at in written
    )


def _same(one: TrialResult, other: TrialResult) -> bool:
    return one.trial == other.trial


def _is_meant(kind: CaseKind, base: TrialResult, found: TrialResult) -> bool:
    """Tell whether a larger grid left the work as it was, and nothing is read in front of where
    it began.

    Otherwise nothing guards the kernel's end, or its indices, and the case means something
    else.
    """
    if kind is CaseKind.MANY_BLOCKS:
        return list_touched_ranges(base.execution) == list_touched_ranges(
            found.execution
        )
    return found.trial.memory.leading_bytes == base.trial.memory.leading_bytes


def _variations(
    subject: TrialSubject, found: TrialResult, seed: int
) -> Iterator[tuple[str, CaseKind, Trial]]:
    base = found.trial
    yield (
        "smallest",
        CaseKind.SMALLEST,
        resize_trial(subject, base, lambda value: min(value, 1), 1, seed),
    )
    special = _special(base, subject)
    if special is not None:
        yield "special-values", CaseKind.SPECIAL, special
    yield from _beyond(base, found)
    yield "ragged", CaseKind.RAGGED, resize_trial(subject, base, _odd, 2, seed)
    yield from _of_grid(base)
    yield "one-warp", CaseKind.ONE_WARP, _one_warp(base)
    yield "large", CaseKind.LARGE, resize_trial(subject, base, _larger, 3, seed, _LARGE)
    yield "hidden", CaseKind.EXTRA, resize_trial(subject, base, _other(9), 9, seed)


def _extras(
    subject: TrialSubject, base: Trial, seed: int
) -> Iterator[tuple[str, CaseKind, Trial]]:
    for number in range(4, 8):
        yield (
            f"extra-{number - 3}",
            CaseKind.EXTRA,
            resize_trial(subject, base, _other(number), number, seed),
        )


def _restrained(
    subject: TrialSubject, base: Trial, seed: int
) -> Iterator[tuple[str, CaseKind, Trial]]:
    """Yield the base with more tiles of the same size, and with other data and modes in memory
    as large as it is.
    """
    yield "tiles", CaseKind.EXTRA, resize_trial(subject, base, _more_tiles, 8, seed)
    for number in range(10, 14):
        other = resize_trial(subject, base, lambda value: value, number, seed)
        yield (
            f"other-{number - 9}",
            CaseKind.EXTRA,
            replace(other, memory=enlarge_buffers(base).memory),
        )


def _more_tiles(value: int) -> int:
    return 2 * value if value & -value >= _TILE else value


def _odd(value: int) -> int:
    return (
        value + 7 if value >= 100 else value + 2 - value % 2 * 2 if value > 8 else value
    )


def _larger(value: int) -> int:
    return value * 4 if value >= 100 else value * 2 if value >= 8 else value


def _other(number: int) -> GrowthRule:
    def other(value: int) -> int:
        return max(1, value * (number + 1) // 8 + number % 3) if value >= 8 else value

    return other


def _beyond(base: Trial, found: TrialResult) -> Iterator[tuple[str, CaseKind, Trial]]:
    """Yield the base with indices that mean none, with empty segments, and with coordinates
    that lie outside.
    """
    for name, of, to in _BEYOND:
        memory = base.memory
        for number, content in enumerate(memory.patterns):
            signed = memory.elements[number].scalar.integer_range[0] < 0
            if (
                content.filling is of
                and signed
                and found.execution.accesses[number].is_input
            ):
                memory = memory.with_pattern(number, replace(content, filling=to))
        if memory != base.memory:
            yield name, CaseKind.EXTRA, replace(base, memory=memory)


def _special(base: Trial, subject: TrialSubject) -> Trial | None:
    memory = base.memory
    for number, content in enumerate(memory.patterns):
        if content.filling is Filling.DATA:
            memory = memory.with_pattern(number, FillPattern(Filling.SPECIAL_VALUES))
    if memory == base.memory:
        return None
    return replace(base, memory=memory, seed=derive_unit_seed(subject.unit.digest, 77))


def _of_grid(base: Trial) -> Iterator[tuple[str, CaseKind, Trial]]:
    grid = base.configuration.grid
    longest = max(range(3), key=lambda at: grid[at])
    yield from _with_blocks(
        base, "few-blocks", CaseKind.FEW_BLOCKS, longest, max(1, grid[longest] // 2)
    )
    for axis in (longest, *(at for at in range(3) if at != longest and grid[at] > 1)):
        name = "many-blocks" if axis == longest else f"many-blocks-{'xyz'[axis]}"
        yield from _with_blocks(base, name, CaseKind.MANY_BLOCKS, axis, grid[axis] + 2)


def _with_blocks(
    base: Trial, name: str, kind: CaseKind, axis: int, blocks: int
) -> Iterator[tuple[str, CaseKind, Trial]]:
    grid = list(base.configuration.grid)
    if grid[axis] != blocks:
        grid[axis] = blocks
        changed = replace(base.configuration, grid=(grid[0], grid[1], grid[2]))
        yield (
            name,
            kind,
            replace(base, configuration=changed, memory=add_headroom(base.memory)),
        )


def _one_warp(base: Trial) -> Trial:
    block = base.configuration.block
    small = (32, 1, 1) if math.prod(block) > 32 else block
    configuration = replace(base.configuration, block=small)
    return replace(base, configuration=configuration, memory=add_headroom(base.memory))


def count_shown_cases(cases: Sequence[CaseDraft]) -> int:
    """Return how many of the cases are shown."""
    return sum(not each.is_hidden for each in cases)
