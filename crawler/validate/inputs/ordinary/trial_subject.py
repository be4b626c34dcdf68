"""The kernel instantiation that is tried, and what is known of its launches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from crawler.cpp.comments import without_comments
from crawler.cpp.identifiers import WORD
from crawler.model import Kernel, KernelUnit, Launch
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
from crawler.validate.inputs.sizes.stride_choices import (
    choose_rounded_size,
    find_stride_parameters,
)
from crawler.validate.inputs.trials.trial import MAX_TRACE_SECONDS, derive_seed
from crawler.validate.strength.coverage_mapping import Branch, parse_branches
from crawler.validate.strength.operation_counts import (
    OperationCounts,
    locate_operations,
)
from crawler.validate.values.parameter_types import TypeKind, list_argument_names
from crawler.validate.values.scalar_types import ScalarType

MAX_TRACED_THREADS: Final = 1 << 13
"""Threads of a grid that is traced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSubject:
    """One instantiation of a unit, its traced program, and what is known of its launches."""

    kernel: Kernel
    unit: KernelUnit
    entry: int
    program: Program
    """Built with tracing."""
    layout: ArgumentLayout
    launch_site: LaunchSite
    mode_values: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Values that the kernel compares a scalar with."""
    compared_elements: tuple[int, ...] = ()
    """Values that it compares elements with."""
    threshold_values: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Values around those that it compares a scalar with for order."""
    nullable_buffers: tuple[int, ...] = ()
    """Buffers whose pointers it compares with null."""
    function_branches: dict[int, tuple[Branch, ...]] = field(default_factory=dict)
    """The branches of each function, where the program counts them."""
    operations: OperationCounts = field(default_factory=lambda: OperationCounts({}))

    size_multiple: int = 1
    """Sizes are multiples of this."""
    max_threads: int = MAX_TRACED_THREADS
    """Threads of a grid that is traced."""
    max_trace_seconds: float = MAX_TRACE_SECONDS
    """After which a traced run is given up of which nothing is known yet."""

    def choose_configuration(
        self, choose: ValueChooser, thread_factor: int = 1, block: Dim3 | None = None
    ) -> LaunchConfiguration:
        """Return the configuration with the sizes that `choose` chooses.

        `block` is used where the launch site does not say how large a block is. The grid has at
        most `thread_factor` times `max_threads` threads.
        """
        site = self.launch_site
        if block:
            site = replace(site, default_block=block)
        if self.size_multiple > 1:
            choose = partial(choose_rounded_size, self.size_multiple, choose)

        scalars = self.layout.list_free_scalars()
        return site.configure(scalars, choose, self.max_threads * thread_factor)

    def select_mode_values(self, case_number: int) -> dict[str, int | float]:
        """Return values of the scalars that switch modes, for the `case_number`th case.

        These are the first value of each, the second, then random ones.
        """
        selected: dict[str, int | float] = {}
        for position, (name, values) in enumerate(self.mode_values.items()):
            index = case_number
            if case_number >= 2:
                index = derive_seed(case_number, position)

            selected[name] = values[index % len(values)]

        return selected


def build_subject(
    kernel: Kernel,
    unit: KernelUnit,
    entry: int,
    program: Program,
    launch: Launch | None,
) -> TrialSubject:
    """Return the trial subject of a kernel at one of its launch sites.

    `entry` is the instantiation that is tried; `launch` is `None` where no site is known.
    """
    parameter_names = [parameter.name for parameter in kernel.parameters]
    argument_names = list_argument_names(program.signatures[entry], parameter_names)
    layout = _build_layout(kernel, unit, program, entry, argument_names)

    # A kernel that is no template has no instantiations.
    instantiation = None
    if entry < len(unit.instantiations):
        instantiation = unit.instantiations[entry]

    site = build_launch_site(
        kernel, launch, instantiation, unit.source, program.constants
    )

    source = without_comments(unit.source)
    integer_names = _list_integer_names(layout)
    enumerations = _enumeration_values(program, entry, argument_names)
    mode_values = _find_mode_values(
        source, layout, integer_names, dict(site.definitions), enumerations
    )
    # A mode that is also compared for order is drawn as a mode.
    threshold_values = {
        name: values
        for name, values in find_threshold_values(source, integer_names).items()
        if name not in mode_values
    }

    return TrialSubject(
        kernel=kernel,
        unit=unit,
        entry=entry,
        program=program,
        layout=layout,
        launch_site=site,
        mode_values=mode_values,
        compared_elements=find_element_values(kernel.source or source),
        threshold_values=threshold_values,
        nullable_buffers=tuple(_iter_nullable_buffers(source, layout)),
        function_branches=parse_branches(program.coverage_report),
        operations=locate_operations(unit.source, program.coverage_report),
    )


def _build_layout(
    kernel: Kernel,
    unit: KernelUnit,
    program: Program,
    entry: int,
    argument_names: Sequence[str],
) -> ArgumentLayout:
    layout = build_argument_layout(
        program.signatures[entry],
        argument_names,
        frozenset(WORD.findall(kernel.source)),
        find_stride_parameters(kernel.parameters, kernel.template_parameters),
    )

    buffer_slots = apply_half_precision_aliases(layout.buffer_slots, unit.source)
    return replace(layout, buffer_slots=buffer_slots)


def _list_integer_names(layout: ArgumentLayout) -> list[str]:
    return [
        slot.name
        for slot in layout.scalar_slots
        if not slot.scalar.is_real and slot.role == ""
    ]


def _find_mode_values(
    source: str,
    layout: ArgumentLayout,
    integer_names: Sequence[str],
    definitions: dict[str, str],
    enumerations: Mapping[str, tuple[int, ...]],
) -> dict[str, tuple[int, ...]]:
    """Return the values that each scalar is worth trying, which switches what the kernel does.

    These are what it is compared with and one more, for the branch that is left; 1 and 0 of a
    flag.
    """
    arithmetic_names = find_arithmetic_parameters(source, integer_names)
    compared_values: dict[str, tuple[int, ...]] = {}

    for name in find_flag_parameters(source, integer_names):
        # `if (n)` guards a size; what is counted with is no flag.
        if name not in arithmetic_names:
            compared_values[name] = (1, 0)

    # An element of an array is never compared by its own name in the source.
    plain_names = [name for name in integer_names if "[" not in name]
    compared_values |= find_equality_values(source, plain_names, definitions)

    mode_values: dict[str, tuple[int, ...]] = {}
    for name, values in compared_values.items():
        # One value more than any that it is compared with takes the `else`.
        distinct_values = dict.fromkeys((*values, values[-1] + 1))
        mode_values[name] = tuple(distinct_values)

    for slot in layout.scalar_slots:
        if slot.scalar is ScalarType.BOOL:
            mode_values[slot.name] = (1, 0)

    # Enumerators that are compared are better than 0 and 1.
    for name, values in enumerations.items():
        if name not in compared_values:
            mode_values[name] = values

    return mode_values


def _enumeration_values(
    program: Program, entry: int, argument_names: Sequence[str]
) -> dict[str, tuple[int, ...]]:
    return {
        argument_names[argument]: (0, 1)
        for argument, parameter_type in enumerate(program.signatures[entry])
        if parameter_type.kind is TypeKind.ENUMERATION
        and argument < len(argument_names)
    }


def _iter_nullable_buffers(source: str, layout: ArgumentLayout) -> Iterator[int]:
    for index, slot in enumerate(layout.buffer_slots):
        if find_flag_parameters(source, [slot.name]):
            yield index
