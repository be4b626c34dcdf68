"""Find a trial of ordinary sizes that runs cleanly at a launch site of a kernel."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from crawler.cpp.comments import without_comments
from crawler.model import Kernel, KernelUnit, Launch
from crawler.validate.emulator.execution import SHARED_MEMORY
from crawler.validate.emulator.program import Program
from crawler.validate.evidence.launch_configuration import (
    Dim3,
    LaunchConfiguration,
    ValueChooser,
)
from crawler.validate.evidence.launch_site import LaunchSite
from crawler.validate.evidence.recorded_launch_site import build_launch_site
from crawler.validate.evidence.source_constants import (
    find_arithmetic_parameters,
    find_element_values,
    find_equality_values,
    find_flag_parameters,
    find_threshold_values,
)
from crawler.validate.inputs.arguments.argument_layout import (
    ArgumentLayout,
    build_argument_layout,
)
from crawler.validate.inputs.arguments.half_precision_aliases import (
    apply_half_precision_aliases,
)
from crawler.validate.inputs.sizes.size_choices import (
    choose_excess_blocks,
    choose_usual_size,
    generate_flat_grid_choices,
    generate_larger_choices,
    generate_nudged_choices,
    generate_size_choices,
    generate_small_choices,
    generate_wide_row_choices,
)
from crawler.validate.inputs.sizes.stride_choices import (
    choose_rounded_size,
    find_stride_parameters,
    generate_far_stride_choices,
    generate_stride_choices,
)
from crawler.validate.inputs.trials.buffer_contents import Filling, FillPattern
from crawler.validate.inputs.trials.content_search import (
    LINK_PATTERN,
    TrialResult,
    choose_initial_patterns,
    count_touched_buffers,
    find_informative_contents,
    repair_contents,
    settle_buffer_sizes,
    widen_contents,
    writes_any_buffer,
)
from crawler.validate.inputs.trials.problems import OVERWRITE
from crawler.validate.inputs.trials.trial import (
    MAX_TRACE_SECONDS,
    Trial,
    add_headroom,
    build_initial_memory,
    derive_seed,
    derive_unit_seed,
)
from crawler.validate.strength.coverage_mapping import Branch, parse_branches
from crawler.validate.strength.operation_counts import (
    OperationCounts,
    locate_operations,
)
from crawler.validate.values.element_types import ElementType, resolve_element_type
from crawler.validate.values.parameter_types import TypeKind, list_argument_names
from crawler.validate.values.scalar_types import ScalarType

MAX_TRACED_THREADS: Final = 1 << 13
"""Threads of a grid that is traced."""
_FLOAT: Final = ElementType("float", 4, ScalarType.FLOAT)
_GAPS: Final = FillPattern(Filling.INDICES_WITH_NONE, 4)
_FAULTS: Final = frozenset(
    {
        "race",
        "uninitialised-read",
        "divide-by-zero",
        "divergent-barrier",
        "divergent-warp",
    }
)
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
class TrialSubject:
    """What is tried: one instantiation of a unit, its traced program, and what is known of its
    launches.
    """

    kernel: Kernel
    unit: KernelUnit
    entry: int
    program: Program
    """Traced."""
    layout: ArgumentLayout
    launch_site: LaunchSite
    mode_values: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Values that the kernel compares a scalar with."""
    compared_elements: tuple[int, ...] = ()
    """Values that it compares elements with."""
    threshold_values: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Values around those that it holds a scalar to be more or less than."""
    nullable_buffers: tuple[int, ...] = ()
    """Buffers whose pointers it asks whether they are null."""
    function_branches: dict[int, tuple[Branch, ...]] = field(default_factory=dict)
    """The branches of each function, where the program counts them."""
    operations: OperationCounts = field(default_factory=lambda: OperationCounts({}))

    size_multiple: int = 1
    """What sizes are multiples of."""
    max_threads: int = MAX_TRACED_THREADS
    """Of a grid that is traced."""

    def choose_configuration(
        self, choose: ValueChooser, thread_factor: int = 1, block: Dim3 | None = None
    ) -> LaunchConfiguration:
        """Return the configuration that `choose` leads to, with this block where nothing else
        tells of any.

        Its grid has at most so many `thread_factor` the threads of one that is traced.
        """
        site = (
            replace(self.launch_site, default_block=block)
            if block
            else self.launch_site
        )
        chosen = (
            partial(choose_rounded_size, self.size_multiple, choose)
            if self.size_multiple > 1
            else choose
        )
        return site.configure(
            self.layout.list_free_scalars(), chosen, self.max_threads * thread_factor
        )

    def select_mode_values(self, case_number: int) -> dict[str, int | float]:
        """Return the scalars that switch modes for the `case_number`th case: the first of each,
        the next, then any.
        """
        if case_number < 2:
            return {
                name: values[case_number % len(values)]
                for name, values in self.mode_values.items()
            }
        return {
            name: values[derive_seed(case_number, at) % len(values)]
            for at, (name, values) in enumerate(self.mode_values.items())
        }


def build_subject(
    kernel: Kernel,
    unit: KernelUnit,
    entry: int,
    program: Program,
    launch: Launch | None,
) -> TrialSubject:
    """Return what is tried of a kernel at one of its launch sites."""
    spoken = frozenset(re.findall(r"\w+", kernel.source))
    names = list_argument_names(
        program.signatures[entry], [each.name for each in kernel.parameters]
    )
    shape = build_argument_layout(
        program.signatures[entry],
        names,
        spoken,
        find_stride_parameters(kernel.parameters, kernel.template_parameters),
    )
    shape = replace(
        shape,
        buffer_slots=apply_half_precision_aliases(shape.buffer_slots, unit.source),
    )
    instantiation = (
        unit.instantiations[entry] if entry < len(unit.instantiations) else None
    )
    site = build_launch_site(
        kernel, launch, instantiation, unit.source, program.constants
    )
    source = without_comments(unit.source)
    whole = [
        each.name
        for each in shape.scalar_slots
        if not each.scalar.is_real and each.role == ""
    ]
    known = dict(site.definitions)
    counted = find_arithmetic_parameters(source, whole)
    flags = dict.fromkeys(
        (each for each in find_flag_parameters(source, whole) if each not in counted),
        (1, 0),
    )
    modes = flags | find_equality_values(
        source, [name for name in whole if "[" not in name], known
    )
    switches = {
        name: tuple(dict.fromkeys((*values, values[-1] + 1)))
        for name, values in modes.items()
    }
    switches |= {
        each.name: (1, 0)
        for each in shape.scalar_slots
        if each.scalar is ScalarType.BOOL
    }
    switches |= {
        name: values
        for name, values in _enumerations(program, entry, names).items()
        if name not in modes
    }
    return TrialSubject(
        kernel=kernel,
        unit=unit,
        entry=entry,
        program=program,
        layout=shape,
        launch_site=site,
        mode_values=switches,
        compared_elements=find_element_values(kernel.source or source),
        threshold_values={
            name: values
            for name, values in find_threshold_values(source, whole).items()
            if name not in switches
        },
        nullable_buffers=tuple(
            shape.buffer_slots.index(each)
            for each in shape.buffer_slots
            if find_flag_parameters(source, [each.name])
        ),
        function_branches=parse_branches(program.coverage_report),
        operations=locate_operations(unit.source, program.coverage_report),
    )


def _enumerations(
    program: Program, entry: int, names: Sequence[str]
) -> dict[str, tuple[int, ...]]:
    return {
        names[at]: (0, 1)
        for at, kind in enumerate(program.signatures[entry])
        if kind.kind is TypeKind.ENUMERATION and at < len(names)
    }


def rank_launch_sites(
    kernel: Kernel, entry_arguments: Sequence[str]
) -> tuple[Launch | None, ...]:
    """Return the launch sites of an instantiation, the best known first; one `None` where there
    is none.
    """
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


def find_ordinary_trial(subject: TrialSubject, seed: int) -> TrialResult:
    """Return the best trial that was found for ordinary sizes: clean, or with the least that is
    wrong.

    A fault that every natural choice of sizes shows, whatever memory holds, is the kernel's
    own: sizes that hide it,
    such as 1 of everything, are no cure. Strides are no sizes: rows that lie upon each other
    are a fault of ours.
    """
    found = _ordinary(subject, seed)
    lacks = found.execution.find_finding("out-of-bounds")
    if (
        lacks is None
        or lacks.buffer != SHARED_MEMORY
        or not subject.launch_site.request_more_shared_memory(found.trial.configuration)
    ):
        return found
    return min(found, _ordinary(subject, seed), key=_badness)


def _ordinary(subject: TrialSubject, seed: int) -> TrialResult:
    until = time.monotonic() + _MOST_SECONDS
    natural = _apart(subject, _natural(subject, seed), seed)
    if natural[0].is_usable and not natural[0].is_informative:
        natural = _best(
            subject,
            [
                build_first_trial(subject, choose, seed)
                for choose in generate_larger_choices(natural[0].trial)
            ],
            natural,
        )
    if natural[0].is_usable and not natural[0].is_informative:
        busiest = max(natural, key=lambda each: count_touched_buffers(each.execution))
        natural = _best(
            subject, list(_of_other_blocks(subject, busiest.trial)), natural
        )
    if natural[0].is_usable:
        return natural[0]
    if subject.launch_site.has_computed_block and _own_faults(natural):
        return natural[0]
    if time.monotonic() > until:
        return natural[0]
    if all("timeout" in each.problems for each in natural):
        little = [
            build_first_trial(subject, choose, seed)
            for choose in generate_small_choices()
        ]
        return _best(
            subject,
            [*(_with_ends(little[0], ends) for ends in (LINK_PATTERN, _GAPS)), *little],
        )[0]
    nudged = [
        build_first_trial(subject, choose, seed)
        for choose in generate_nudged_choices(natural[0].trial)
    ]
    return _best(
        subject, [*nudged, *_of_other_blocks(subject, natural[0].trial)], natural
    )[0]


def _natural(subject: TrialSubject, seed: int) -> list[TrialResult]:
    """Return what comes of sizes by their names, and of others where that is not all that is
    wished for.
    """
    first = build_first_trial(subject, choose_usual_size, seed)
    natural = _in_one_turn(subject, _best(subject, [first]), seed)
    if natural[0].is_clean and natural[0].is_informative:
        return natural
    others = [
        build_first_trial(subject, choose, seed)
        for choose in generate_size_choices(math.prod(first.configuration.block))
    ]
    natural = sorted([*natural, *_best(subject, others)], key=_badness)
    if not natural[0].is_clean and subject.mode_values:
        natural = _best(
            subject,
            [replace(first, scalar_overrides=subject.select_mode_values(1))],
            natural,
        )
    return natural


def _apart(
    subject: TrialSubject, natural: list[TrialResult], seed: int
) -> list[TrialResult]:
    """Return what comes of strides and sizes with which rows lie apart, too, where they may lie
    upon each other.
    """
    names = list(natural[0].trial.configuration.free_variables)
    if not (natural[0].is_clean and natural[0].is_informative):
        natural = _best(
            subject,
            [
                build_first_trial(subject, choose, seed)
                for choose in generate_stride_choices(names)
            ],
            natural,
        )
    if _OF_ROWS.intersection(natural[0].problems):
        natural = _best(
            subject,
            [
                build_first_trial(subject, choose, seed)
                for choose in generate_far_stride_choices(names)
            ],
            natural,
        )
    if _OF_ROWS.intersection(natural[0].problems):
        fewer = generate_flat_grid_choices(
            natural[0].trial.configuration.grid_variables,
            [choose_usual_size, *generate_stride_choices(names)],
        )
        natural = _best(
            subject,
            [build_first_trial(subject, choose, seed) for choose in fewer],
            natural,
        )
    if natural[0].is_usable and not natural[0].is_clean:
        natural = _best(
            subject,
            [
                build_first_trial(subject, choose, seed)
                for choose in generate_wide_row_choices(natural[0].trial)
            ],
            natural,
        )
    return natural


def _in_one_turn(
    subject: TrialSubject, natural: list[TrialResult], seed: int
) -> list[TrialResult]:
    """Return what comes of more blocks than work, too, where turns of one block race for its
    shared memory.

    A launch that has a block for each piece of work never takes a second turn.
    """
    race, of_grid = (
        natural[0].execution.find_finding("race"),
        natural[0].trial.configuration.grid_variables,
    )
    if race is None or race.buffer != SHARED_MEMORY or not of_grid:
        return natural
    return _best(
        subject,
        [build_first_trial(subject, choose_excess_blocks(of_grid), seed)],
        natural,
    )


def _best(
    subject: TrialSubject, trials: Sequence[Trial], known: Sequence[TrialResult] = ()
) -> list[TrialResult]:
    """Return what comes of trials, the best of them improved, and what is known; the best first."""
    pool = sorted(
        settle_buffer_sizes(subject.program, subject.layout, trials), key=_badness
    )
    for at, found in enumerate(pool[:_MOST_MENDED]):
        if "timeout" in found.problems:
            continue
        pool[at] = _improved(subject, found)
        if pool[at].is_clean and pool[at].is_informative:
            break
    return sorted([*known, *pool], key=_badness)


def _own_faults(natural: Sequence[TrialResult]) -> frozenset[str]:
    return _FAULTS.intersection(*(each.problems for each in natural))


def _badness(found: TrialResult) -> tuple[int, ...]:
    # what ended before it touched anything shows little of what is wrong, and what writes
    # nothing little at all
    idle = not (
        writes_any_buffer(found.execution)
        if found.is_usable
        else count_touched_buffers(found.execution)
    )
    return (
        0 if found.is_usable else 1,
        int(idle),
        len(found.problems),
        int(not found.is_informative),
        int(not found.is_converged),
    )


def _with_ends(trial: Trial, ends: FillPattern) -> Trial:
    """Return a trial in which some indices mean none: what is followed from one to the next has
    an end.
    """
    memory = trial.memory
    for number, of in enumerate(memory.elements):
        if of.scalar.integer_range[0] < 0 and not of.scalar.is_real:
            memory = memory.with_pattern(number, ends)
    return replace(trial, memory=memory)


def _of_other_blocks(subject: TrialSubject, trial: Trial) -> Iterator[Trial]:
    """Yield the trial with other blocks, and sizes in whole ones, where only a name says how
    large a block is.
    """
    if not subject.launch_site.has_guessed_block:
        return

    def chosen(text: str, _names: tuple[str, ...], value: int) -> int:
        return trial.configuration.free_variables.get(text, value)

    for block in (
        (32, 1, 1),
        (64, 1, 1),
        (128, 1, 1),
        (512, 1, 1),
        (1024, 1, 1),
        (16, 16, 1),
        (8, 8, 8),
    ):
        for choose in (
            chosen,
            partial(choose_rounded_size, math.prod(block), choose_usual_size),
        ):
            yield replace(
                trial,
                configuration=subject.choose_configuration(choose, block=block),
                memory=add_headroom(trial.memory),
            )


def build_first_trial(subject: TrialSubject, choose: ValueChooser, seed: int) -> Trial:
    """Return a trial of which no more is known than what a launch site and names tell."""
    guess = _guessed(subject)
    return Trial(
        configuration=subject.choose_configuration(choose),
        memory=build_initial_memory(
            subject.layout.buffer_slots,
            choose_initial_patterns(subject.layout.buffer_slots, guess),
            guess,
        ),
        seed=derive_unit_seed(subject.unit.digest, seed),
        entry=subject.entry,
        scalar_overrides=subject.select_mode_values(0),
    )


def _improved(subject: TrialSubject, found: TrialResult) -> TrialResult:
    """Return a trial with contents that cure what is wrong with it, and that tell as much as
    they may.
    """
    if not found.is_clean:
        others = repair_contents(
            subject.program, subject.layout, found, _emptied(subject, found.trial)
        )
        found = min((found, *others), key=_badness)
    if not found.is_usable:
        return found
    found = _with_patience(found)
    found = find_informative_contents(
        subject.program,
        subject.layout,
        found,
        _emptied(subject, found.trial),
        subject.compared_elements,
    )
    return widen_contents(subject.program, subject.layout, found)


def _with_patience(found: TrialResult) -> TrialResult:
    """Return a trial whose variations may take many times as long as it, and no longer."""
    seconds = min(
        MAX_TRACE_SECONDS, _LEAST_SECONDS + _TIMES * found.execution.nanoseconds * 1e-9
    )
    return replace(found, trial=replace(found.trial, max_seconds=seconds))


def _emptied(subject: TrialSubject, trial: Trial) -> Trial:
    """Return a trial of which no extent is known."""
    return replace(
        trial,
        memory=build_initial_memory(
            subject.layout.buffer_slots, trial.memory.patterns, _guessed(subject)
        ),
    )


def _guessed(subject: TrialSubject) -> ElementType:
    """Return what a `void *` is taken for: the first type that the instantiation names."""
    arguments = (
        subject.unit.instantiations[subject.entry].arguments
        if subject.unit.instantiations
        else ()
    )
    for name in arguments:
        if name in ("float", "double"):
            return resolve_element_type(
                name, TypeKind.FLOATING, 4 if name == "float" else 8
            )
        if "half" in name.lower() or "bfloat16" in name.lower():
            return resolve_element_type(name, TypeKind.CLASS, 2)
    return _FLOAT
