"""From a kernel and what is known of it to a trial that runs cleanly, or to why there is none."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from crawler.model import Kernel, KernelUnit, Launch
from crawler.validate.elements import Element, element
from crawler.validate.evidence.configuration import Choose, Configuration, Dim3
from crawler.validate.evidence.constants import (
    compared,
    counted_with,
    elements_compared,
    switched,
    thresholds,
    without_comments,
)
from crawler.validate.evidence.recorded import site_of
from crawler.validate.evidence.site import Site
from crawler.validate.inputs.alarms import OVERWRITE
from crawler.validate.inputs.aliases import said_by_aliases
from crawler.validate.inputs.choices import by_name, choices, flat, nudges, outnumbering, rich, small, wide
from crawler.validate.inputs.contents import Content, Filling
from crawler.validate.inputs.search import (
    LINKS,
    Found,
    first_contents,
    lively,
    mended,
    refined,
    settle,
    touched,
    writes,
)
from crawler.validate.inputs.slots import Layout, layout
from crawler.validate.inputs.strides import far, grained, strided, strides
from crawler.validate.inputs.trials import TRACE_SECONDS, Trial, derived, first_memory, unit_seed, unsized
from crawler.validate.numbers import Code
from crawler.validate.simt.execution import SHARED
from crawler.validate.simt.program import Program
from crawler.validate.simt.signature import Form, names_of
from crawler.validate.strength.operations import Operations, operations
from crawler.validate.strength.regions import Branch, branches

MOST_TRACED: Final = 1 << 13
"""Threads of a grid that is traced."""
_FLOAT: Final = Element("float", 4, Code.FLOAT)
_GAPS: Final = Content(Filling.GAPS, 4)
_FAULTS: Final = frozenset({"race", "uninitialised-read", "divide-by-zero", "divergent-barrier", "divergent-warp"})
_OF_ROWS: Final = frozenset({"race", OVERWRITE})
"""What is wrong with a run in which rows lie upon each other."""
_MOST_SECONDS: Final = 40.0
"""After which no further sizes are tried at a launch site."""
_LEAST_SECONDS: Final = 1.0
_TIMES: Final = 20
_MOST_SITES: Final = 3
_MEMBER: Final = re.compile(r"\w+(?:(?:\.|->)\w+)+")
_MOST_MENDED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is tried: one instantiation of a unit, its traced program, and what is known of its launches."""

    kernel: Kernel
    unit: KernelUnit
    entry: int
    program: Program
    """Traced."""
    layout: Layout
    site: Site
    modes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Values that the kernel compares a scalar with."""
    pool: tuple[int, ...] = ()
    """Values that it compares elements with."""
    bounds: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Values around those that it holds a scalar to be more or less than."""
    optional: tuple[int, ...] = ()
    """Buffers whose pointers it asks whether they are null."""
    ways: dict[int, tuple[Branch, ...]] = field(default_factory=dict)
    """The branches of each function, where the program counts them."""
    operations: Operations = field(default_factory=lambda: Operations({}))

    grain: int = 1
    """What sizes are multiples of."""
    most_threads: int = MOST_TRACED
    """Of a grid that is traced."""

    def configured(self, choose: Choose, times: int = 1, block: Dim3 | None = None) -> Configuration:
        """Return the configuration that `choose` leads to, with this block where nothing else tells of any.

        Its grid has at most so many `times` the threads of one that is traced.
        """
        site = replace(self.site, default_block=block) if block else self.site
        chosen = partial(grained, self.grain, choose) if self.grain > 1 else choose
        return site.configure(self.layout.scalars(), chosen, self.most_threads * times)

    def mode(self, number: int) -> dict[str, int | float]:
        """Return the scalars that switch modes for the `number`th case: the first of each, the next, then any."""
        if number < 2:
            return {name: values[number % len(values)] for name, values in self.modes.items()}
        return {name: values[derived(number, at) % len(values)] for at, (name, values) in enumerate(self.modes.items())}


def subject(kernel: Kernel, unit: KernelUnit, entry: int, program: Program, launch: Launch | None) -> Subject:
    """Return what is tried of a kernel at one of its launch sites."""
    spoken = frozenset(re.findall(r"\w+", kernel.source))
    names = names_of(program.signatures[entry], [each.name for each in kernel.parameters])
    shape = layout(program.signatures[entry], names, spoken, strided(kernel.parameters, kernel.template_parameters))
    shape = replace(shape, slots=said_by_aliases(shape.slots, unit.source))
    instantiation = unit.instantiations[entry] if entry < len(unit.instantiations) else None
    site = site_of(kernel, launch, instantiation, unit.source, program.constants)
    source = without_comments(unit.source)
    whole = [each.name for each in shape.places if not each.code.is_real and each.role == ""]
    known = dict(site.scope_of)
    counted = counted_with(source, whole)
    flags = dict.fromkeys((each for each in switched(source, whole) if each not in counted), (1, 0))
    modes = flags | compared(source, [name for name in whole if "[" not in name], known)
    switches = {name: tuple(dict.fromkeys((*values, values[-1] + 1))) for name, values in modes.items()}
    switches |= {each.name: (1, 0) for each in shape.places if each.code is Code.BOOL}
    switches |= {name: values for name, values in _enumerations(program, entry, names).items() if name not in modes}
    return Subject(
        kernel=kernel,
        unit=unit,
        entry=entry,
        program=program,
        layout=shape,
        site=site,
        modes=switches,
        pool=elements_compared(kernel.source or source),
        bounds={name: values for name, values in thresholds(source, whole).items() if name not in switches},
        optional=tuple(shape.slots.index(each) for each in shape.slots if switched(source, [each.name])),
        ways=branches(program.regions),
        operations=operations(unit.source, program.regions),
    )


def _enumerations(program: Program, entry: int, names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    return {
        names[at]: (0, 1)
        for at, kind in enumerate(program.signatures[entry])
        if kind.form is Form.ENUMERATION and at < len(names)
    }


def launches(kernel: Kernel, entry_arguments: Sequence[str]) -> tuple[Launch | None, ...]:
    """Return the launch sites of an instantiation, the best known first; one `None` where there is none."""
    wanted = tuple(entry_arguments)
    ranked = sorted(
        kernel.launches,
        key=lambda each: (
            wanted not in each.template_arguments,
            not each.argument_map,
            # what a structure holds, nobody knows
            bool(_MEMBER.fullmatch(each.grid)),
            not each.setup,
        ),
    )
    return tuple(ranked[:_MOST_SITES]) or (None,)


def ordinary(subject: Subject, seed: int) -> Found:
    """Return the best trial that was found for ordinary sizes: clean, or with the least that is wrong.

    A fault that every natural choice of sizes shows, whatever memory holds, is the kernel's own: sizes that hide it,
    such as 1 of everything, are no cure. Strides are no sizes: rows that lie upon each other are a fault of ours.
    """
    found = _ordinary(subject, seed)
    lacks = found.execution.finding("out-of-bounds")
    if lacks is None or lacks.buffer != SHARED or not subject.site.ask_for_more(found.trial.configuration):
        return found
    return min(found, _ordinary(subject, seed), key=_badness)


def _ordinary(subject: Subject, seed: int) -> Found:
    until = time.monotonic() + _MOST_SECONDS
    natural = _apart(subject, _natural(subject, seed), seed)
    if natural[0].is_usable and not natural[0].tells:
        natural = _best(subject, [first_trial(subject, choose, seed) for choose in rich(natural[0].trial)], natural)
    if natural[0].is_usable and not natural[0].tells:
        busiest = max(natural, key=lambda each: touched(each.execution))
        natural = _best(subject, list(_of_other_blocks(subject, busiest.trial)), natural)
    if natural[0].is_usable:
        return natural[0]
    if subject.site.knows_block and _own_faults(natural):
        return natural[0]
    if time.monotonic() > until:
        return natural[0]
    if all("timeout" in each.alarms for each in natural):
        little = [first_trial(subject, choose, seed) for choose in small()]
        return _best(subject, [*(_with_ends(little[0], ends) for ends in (LINKS, _GAPS)), *little])[0]
    nudged = [first_trial(subject, choose, seed) for choose in nudges(natural[0].trial)]
    return _best(subject, [*nudged, *_of_other_blocks(subject, natural[0].trial)], natural)[0]


def _natural(subject: Subject, seed: int) -> list[Found]:
    """Return what comes of sizes by their names, and of others where that is not all that is wished for."""
    first = first_trial(subject, by_name, seed)
    natural = _in_one_turn(subject, _best(subject, [first]), seed)
    if natural[0].is_clean and natural[0].tells:
        return natural
    others = [first_trial(subject, choose, seed) for choose in choices(math.prod(first.configuration.block))]
    natural = sorted([*natural, *_best(subject, others)], key=_badness)
    if not natural[0].is_clean and subject.modes:
        natural = _best(subject, [replace(first, modes=subject.mode(1))], natural)
    return natural


def _apart(subject: Subject, natural: list[Found], seed: int) -> list[Found]:
    """Return what comes of strides and sizes with which rows lie apart, too, where they may lie upon each other."""
    names = list(natural[0].trial.configuration.free)
    if not (natural[0].is_clean and natural[0].tells):
        natural = _best(subject, [first_trial(subject, choose, seed) for choose in strides(names)], natural)
    if _OF_ROWS.intersection(natural[0].alarms):
        natural = _best(subject, [first_trial(subject, choose, seed) for choose in far(names)], natural)
    if _OF_ROWS.intersection(natural[0].alarms):
        fewer = flat(natural[0].trial.configuration.of_grid, [by_name, *strides(names)])
        natural = _best(subject, [first_trial(subject, choose, seed) for choose in fewer], natural)
    if natural[0].is_usable and not natural[0].is_clean:
        natural = _best(subject, [first_trial(subject, choose, seed) for choose in wide(natural[0].trial)], natural)
    return natural


def _in_one_turn(subject: Subject, natural: list[Found], seed: int) -> list[Found]:
    """Return what comes of more blocks than work, too, where turns of one block race for its shared memory.

    A launch that has a block for each piece of work never takes a second turn.
    """
    race, of_grid = natural[0].execution.finding("race"), natural[0].trial.configuration.of_grid
    if race is None or race.buffer != SHARED or not of_grid:
        return natural
    return _best(subject, [first_trial(subject, outnumbering(of_grid), seed)], natural)


def _best(subject: Subject, trials: Sequence[Trial], known: Sequence[Found] = ()) -> list[Found]:
    """Return what comes of trials, the best of them improved, and what is known; the best first."""
    pool = sorted(settle(subject.program, subject.layout, trials), key=_badness)
    for at, found in enumerate(pool[:_MOST_MENDED]):
        if "timeout" in found.alarms:
            continue
        pool[at] = _improved(subject, found)
        if pool[at].is_clean and pool[at].tells:
            break
    return sorted([*known, *pool], key=_badness)


def _own_faults(natural: Sequence[Found]) -> frozenset[str]:
    return _FAULTS.intersection(*(each.alarms for each in natural))


def _badness(found: Found) -> tuple[int, ...]:
    # what ended before it touched anything shows little of what is wrong, and what writes nothing little at all
    idle = not (writes(found.execution) if found.is_usable else touched(found.execution))
    return 0 if found.is_usable else 1, int(idle), len(found.alarms), int(not found.tells), int(not found.converged)


def _with_ends(trial: Trial, ends: Content) -> Trial:
    """Return a trial in which some indices mean none: what is followed from one to the next has an end."""
    memory = trial.memory
    for number, of in enumerate(memory.elements):
        if of.code.range[0] < 0 and not of.code.is_real:
            memory = memory.with_content(number, ends)
    return replace(trial, memory=memory)


def _of_other_blocks(subject: Subject, trial: Trial) -> Iterator[Trial]:
    """Yield the trial with other blocks, and sizes in whole ones, where only a name says how large a block is."""
    if not subject.site.guesses_block:
        return

    def chosen(text: str, _names: tuple[str, ...], value: int) -> int:
        return trial.configuration.free.get(text, value)

    for block in ((32, 1, 1), (64, 1, 1), (128, 1, 1), (512, 1, 1), (1024, 1, 1), (16, 16, 1), (8, 8, 8)):
        for choose in (chosen, partial(grained, math.prod(block), by_name)):
            yield replace(trial, configuration=subject.configured(choose, block=block), memory=unsized(trial.memory))


def first_trial(subject: Subject, choose: Choose, seed: int) -> Trial:
    """Return a trial of which no more is known than what a launch site and names tell."""
    guess = _guessed(subject)
    return Trial(
        configuration=subject.configured(choose),
        memory=first_memory(subject.layout.slots, first_contents(subject.layout.slots, guess), guess),
        seed=unit_seed(subject.unit.digest, seed),
        entry=subject.entry,
        modes=subject.mode(0),
    )


def _improved(subject: Subject, found: Found) -> Found:
    """Return a trial with contents that cure what is wrong with it, and that tell as much as they may."""
    if not found.is_clean:
        others = mended(subject.program, subject.layout, found, _emptied(subject, found.trial))
        found = min((found, *others), key=_badness)
    if not found.is_usable:
        return found
    found = _with_patience(found)
    found = lively(subject.program, subject.layout, found, _emptied(subject, found.trial), subject.pool)
    return refined(subject.program, subject.layout, found)


def _with_patience(found: Found) -> Found:
    """Return a trial whose variations may take many times as long as it, and no longer."""
    seconds = min(TRACE_SECONDS, _LEAST_SECONDS + _TIMES * found.execution.nanoseconds * 1e-9)
    return replace(found, trial=replace(found.trial, seconds=seconds))


def _emptied(subject: Subject, trial: Trial) -> Trial:
    """Return a trial of which no extent is known."""
    return replace(trial, memory=first_memory(subject.layout.slots, trial.memory.contents, _guessed(subject)))


def _guessed(subject: Subject) -> Element:
    """Return what a `void *` is taken for: the first type that the instantiation names."""
    arguments = subject.unit.instantiations[subject.entry].arguments if subject.unit.instantiations else ()
    for name in arguments:
        if name in ("float", "double"):
            return element(name, Form.FLOATING, 4 if name == "float" else 8)
        if "half" in name.lower() or "bfloat16" in name.lower():
            return element(name, Form.CLASS, 2)
    return _FLOAT
