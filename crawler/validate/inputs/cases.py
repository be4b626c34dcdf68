"""The cases of a kernel: variations of a trial that runs cleanly, each there to show something else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import CaseKind
from crawler.validate.inputs.contents import Content, Filling
from crawler.validate.inputs.plan import Subject
from crawler.validate.inputs.reach import reaching
from crawler.validate.inputs.search import Found, settle
from crawler.validate.inputs.sizes import Grow, resized
from crawler.validate.inputs.trials import Trial, extents, unit_seed, unsized, with_room, writes_one_value

ENOUGH: Final = 9
"""Cases, with the hidden one: some may turn out to tell nothing."""
REACH: Final = "reach-"
"""What the names of cases begin with that were drawn to take branches that no other takes."""
_BEYOND: Final = (
    ("gaps", Filling.SMALL, Filling.GAPS),
    ("empty-segments", Filling.RISING, Filling.STAIRS),
    ("wide", Filling.FRACTIONS, Filling.WIDE),
)
_TILE: Final = 16
"""Elements that a tile has at least."""
_LARGE: Final = 4
"""Times as many threads as an ordinary case has at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A case before its golden outputs are known."""

    name: str
    kind: CaseKind
    found: Found
    hidden: bool = False


def drafts(subject: Subject, base: Found, seed: int) -> tuple[Draft, ...]:
    """Return the cases that run cleanly: the base as the ordinary one, and its variations."""
    made = [Draft(name="ordinary", kind=CaseKind.ORDINARY, found=base)]
    _add(subject, base, list(_variations(subject, base, seed)), made)
    for further in (_extras, _restrained):
        if sum(_varies(each.found) for each in made) < ENOUGH:
            _add(subject, base, list(further(subject, base.trial, seed)), made)
    for number, found in enumerate(reaching(subject, base, [each.found for each in made], seed), 1):
        made.append(Draft(name=f"{REACH}{number}", kind=CaseKind.EXTRA, found=found))
    return tuple(made)


def _add(subject: Subject, base: Found, wanted: Sequence[tuple[str, CaseKind, Trial]], made: list[Draft]) -> None:
    """Add those of the wanted cases that run cleanly, mean what they say, and are none of those that are there."""
    settled = settle(subject.program, subject.layout, [trial for _, _, trial in wanted])
    for (name, kind, _), found in zip(wanted, settled, strict=True):
        clean = found.is_usable and set(found.alarms) <= set(base.alarms)
        if clean and _is_meant(kind, base, found) and all(not _same(each.found, found) for each in made):
            made.append(Draft(name=name, kind=kind, found=found, hidden=name == "hidden"))


def _varies(found: Found) -> bool:
    """Tell whether a run leaves more than one value where it writes."""
    accesses = enumerate(found.execution.accesses)
    written = [at for at, access in accesses if access.written[0] != access.written[1]]
    return any(not writes_one_value(found.trial, found.execution, at) for at in written)


def _same(one: Found, other: Found) -> bool:
    return one.trial == other.trial


def _is_meant(kind: CaseKind, base: Found, found: Found) -> bool:
    """Tell whether a larger grid left the work as it was, and nothing is read in front of where it began.

    Otherwise nothing guards the kernel's end, or its indices, and the case means something else.
    """
    if kind is CaseKind.MANY_BLOCKS:
        return extents(base.execution) == extents(found.execution)
    return found.trial.memory.before == base.trial.memory.before


def _variations(subject: Subject, found: Found, seed: int) -> Iterator[tuple[str, CaseKind, Trial]]:
    base = found.trial
    yield "smallest", CaseKind.SMALLEST, resized(subject, base, lambda value: min(value, 1), 1, seed)
    special = _special(base, subject)
    if special is not None:
        yield "special-values", CaseKind.SPECIAL, special
    yield from _beyond(base, found)
    yield "ragged", CaseKind.RAGGED, resized(subject, base, _odd, 2, seed)
    yield from _of_grid(base)
    yield "one-warp", CaseKind.ONE_WARP, _one_warp(base)
    yield "large", CaseKind.LARGE, resized(subject, base, _larger, 3, seed, _LARGE)
    yield "hidden", CaseKind.EXTRA, resized(subject, base, _other(9), 9, seed)


def _extras(subject: Subject, base: Trial, seed: int) -> Iterator[tuple[str, CaseKind, Trial]]:
    for number in range(4, 8):
        yield f"extra-{number - 3}", CaseKind.EXTRA, resized(subject, base, _other(number), number, seed)


def _restrained(subject: Subject, base: Trial, seed: int) -> Iterator[tuple[str, CaseKind, Trial]]:
    """Yield the base with more tiles of the same size, and with other data and modes in memory as large as it is."""
    yield "tiles", CaseKind.EXTRA, resized(subject, base, _more_tiles, 8, seed)
    for number in range(10, 14):
        other = resized(subject, base, lambda value: value, number, seed)
        yield f"other-{number - 9}", CaseKind.EXTRA, replace(other, memory=with_room(base).memory)


def _more_tiles(value: int) -> int:
    return 2 * value if value & -value >= _TILE else value


def _odd(value: int) -> int:
    return value + 7 if value >= 100 else value + 2 - value % 2 * 2 if value > 8 else value


def _larger(value: int) -> int:
    return value * 4 if value >= 100 else value * 2 if value >= 8 else value


def _other(number: int) -> Grow:
    def other(value: int) -> int:
        return max(1, value * (number + 1) // 8 + number % 3) if value >= 8 else value

    return other


def _beyond(base: Trial, found: Found) -> Iterator[tuple[str, CaseKind, Trial]]:
    """Yield the base with indices that mean none, with empty segments, and with coordinates that lie outside."""
    for name, of, to in _BEYOND:
        memory = base.memory
        for number, content in enumerate(memory.contents):
            signed = memory.elements[number].code.range[0] < 0
            if content.filling is of and signed and found.execution.accesses[number].exposed:
                memory = memory.with_content(number, replace(content, filling=to))
        if memory != base.memory:
            yield name, CaseKind.EXTRA, replace(base, memory=memory)


def _special(base: Trial, subject: Subject) -> Trial | None:
    memory = base.memory
    for number, content in enumerate(memory.contents):
        if content.filling is Filling.DATA:
            memory = memory.with_content(number, Content(Filling.SPECIAL))
    if memory == base.memory:
        return None
    return replace(base, memory=memory, seed=unit_seed(subject.unit.digest, 77))


def _of_grid(base: Trial) -> Iterator[tuple[str, CaseKind, Trial]]:
    grid = base.configuration.grid
    longest = max(range(3), key=lambda at: grid[at])
    yield from _with_blocks(base, "few-blocks", CaseKind.FEW_BLOCKS, longest, max(1, grid[longest] // 2))
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
        yield name, kind, replace(base, configuration=changed, memory=unsized(base.memory))


def _one_warp(base: Trial) -> Trial:
    block = base.configuration.block
    small = (32, 1, 1) if math.prod(block) > 32 else block
    configuration = replace(base.configuration, block=small)
    return replace(base, configuration=configuration, memory=unsized(base.memory))


def count(made: Sequence[Draft]) -> int:
    """Return how many of the cases are shown."""
    return sum(not each.hidden for each in made)
