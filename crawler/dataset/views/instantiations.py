"""View `instantiations`: one set of template arguments, and what was built and run for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crawler.dataset.interface import RowContext, View
from crawler.dataset.programs.narrowing import select_instantiation_source
from crawler.dataset.rows.instantiation_row import (
    InstantiationRow,
    to_instantiation_row,
)
from crawler.dataset.rows.object_symbols import ObjectSymbols, find_position
from crawler.dataset.rows.place_row import PlaceRow, to_place_row
from crawler.dataset.rows.unit_statuses import Execution, list_executions
from crawler.dataset.texts.depth import Depth
from crawler.dataset.texts.flatten import Flat, flatten_kernel
from crawler.model import (
    Build,
    Instantiation,
    InstantiationOrigin,
    Kernel,
    KernelRecord,
    KernelUnit,
    Launch,
    Resources,
)

_SCHEMA_NAME: Final = "kernelset.instantiations/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstantiationBuild:
    """A build of a unit, as far as it tells of one instantiation."""

    target: str
    """The processor that it was compiled for: `sm_80`, `gfx90a`."""
    status: str
    """`pass` where the object holds the instantiation; of a unit with others in it a `fail` may
    be theirs.
    """
    code: str
    """Stable slug of why it is no `pass`; empty for one."""
    compiler: str
    """`clang 19.1.7`, `nvcc 13.0.88`."""
    sharers: int
    """Instantiations in the same object, this one among them."""
    resources: Resources | None
    """What this one takes of the processor; null where the compiler does not tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstantiatedUnit:
    """A unit or a port that holds the instantiation."""

    digest: str
    """Of the whole unit, with all its instantiations."""
    dialect: str
    """`cuda` or `hip`."""
    source: str
    """The unit with this explicit instantiation alone; empty at the depth `pure`."""
    builds: tuple[InstantiationBuild, ...]
    """What compilers said; empty where nobody built it."""
    executions: tuple[Execution, ...]
    """What this instantiation did where it was run; empty where it was not: never those of
    others.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class InstantiatedKernel:
    """One set of template arguments of one kernel; a plain kernel has one row."""

    schema: str
    """Name and version of this form: `kernelset.instantiations/1`."""
    place: PlaceRow
    """The kernel's."""
    instantiation: InstantiationRow
    """The arguments, and the statuses of its own runs."""
    flat: Flat
    """The kernel alone, template-free, with these arguments."""
    units: tuple[InstantiatedUnit, ...]
    """The unit, then its ports, where they hold this instantiation; none where they leave it
    out.
    """
    launches: tuple[Launch, ...]
    """The places that launch it; one whose arguments nobody knows is not among them."""


class Instantiations:
    """One row for each set of template arguments that a project uses."""

    name = "instantiations"
    summary = "one set of template arguments, with what was built and run for it alone"
    order = 20
    row_type = InstantiatedKernel
    schema_name = _SCHEMA_NAME

    def make_rows(
        self, record: KernelRecord, context: RowContext
    ) -> Iterator[InstantiatedKernel]:
        """Yield the instantiations of a record in its order; none of a template that nothing
        says the arguments of.
        """
        kernel = record.kernel
        has_sources = context.depth is not Depth.PURE
        symbols = ObjectSymbols(record)
        for instantiation in list_instantiations(kernel):
            yield InstantiatedKernel(
                schema=_SCHEMA_NAME,
                place=to_place_row(record),
                instantiation=to_instantiation_row(instantiation, record.runs, symbols),
                flat=flatten_kernel(kernel, instantiation),
                units=_list_units(record, instantiation.label, symbols, has_sources),
                launches=_list_own_launches(kernel, instantiation),
            )


def list_instantiations(kernel: Kernel) -> tuple[Instantiation, ...]:
    """Return the instantiations of a kernel; of one that is no template itself, without label."""
    if kernel.instantiations or kernel.template_head:
        return kernel.instantiations

    plain = Instantiation(
        arguments=(),
        label="",
        symbol=kernel.mangled,
        origin=InstantiationOrigin.EXPLICIT,
    )
    return (plain,)


def _list_units(
    record: KernelRecord, label: str, symbols: ObjectSymbols, has_sources: bool
) -> tuple[InstantiatedUnit, ...]:
    units: list[InstantiatedUnit] = []
    for unit in (record.kernel.unit, *record.ports):
        if unit is None:
            continue

        position = find_position(unit, label)
        if position is not None:
            units.append(_describe_unit(record, unit, position, symbols, has_sources))

    return tuple(units)


def _describe_unit(
    record: KernelRecord,
    unit: KernelUnit,
    position: int,
    symbols: ObjectSymbols,
    has_sources: bool,
) -> InstantiatedUnit:
    instantiation = (unit.instantiations or (None,))[position]
    label = instantiation.label if instantiation else ""
    sharers = max(1, len(unit.instantiations))
    source = ""
    if has_sources:
        source = select_instantiation_source(unit, position)

    return InstantiatedUnit(
        digest=unit.digest,
        dialect=unit.dialect.value,
        source=source,
        builds=tuple(
            _describe_build(build, symbols.find(unit, build, position), sharers)
            for build in record.builds
            if build.unit == unit.digest
        ),
        executions=tuple(
            execution
            for execution in list_executions(record, unit.digest)
            if execution.instantiation == label
        ),
    )


def _describe_build(build: Build, symbol: str, sharers: int) -> InstantiationBuild:
    own_resources = [
        resources for resources in build.resources if resources.symbol == symbol
    ]
    return InstantiationBuild(
        target=build.target,
        # that an object holds all of its unit's instantiations is part of its verdict
        status=build.pass_call.status.value,
        code=build.pass_call.code,
        compiler=build.toolchain.compiler,
        sharers=sharers,
        resources=own_resources[0] if own_resources else None,
    )


def _list_own_launches(
    kernel: Kernel, instantiation: Instantiation
) -> tuple[Launch, ...]:
    # what is no template is launched everywhere as itself
    if not kernel.template_head:
        return kernel.launches

    return tuple(
        launch
        for launch in kernel.launches
        if instantiation.arguments in launch.template_arguments
    )


PLUGIN: Final[View] = Instantiations()
