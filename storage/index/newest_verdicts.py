"""SQL conditions that choose the builds and runs which speak for a kernel.

Ids of builds and runs only grow, so the largest of a unit and target, or of a unit and device,
is the newest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, false, or_, select

from storage.tables import BUILD, KERNEL, PORT, RUN

# aliases and conditions are made once: each alias copies every column of its table, and writing
# runs builds dozens of statements that hold several
_NEWER_BUILD: Final = BUILD.alias("newer")
_NEWER_RUN: Final = RUN.alias("newer_run")
_PRECEDING_RUN: Final = RUN.alias("preceding_run")
_PRECEDING_PORT: Final = PORT.alias("preceding_port")
_OTHER_RUN: Final = RUN.alias("other_run")
OWN_RUN: Final = RUN.alias("own_run")
"""A run of one of a kernel's instantiations, beside one that speaks for the kernel."""


@cache
def is_newest_build(build: Any) -> ColumnElement[bool]:
    """Return the condition for a unit's newest build on a target, by whatever toolchain."""
    newer = _NEWER_BUILD
    is_same_unit = newer.c.unit == build.c.unit
    is_same_target = newer.c.target == build.c.target
    is_newer = newer.c.id > build.c.id
    newer_builds = select(newer.c.id).where(is_same_unit, is_same_target, is_newer)

    return ~newer_builds.exists()


@cache
def is_newest_run(run: Any) -> ColumnElement[bool]:
    """Return the condition for a unit's newest run on a device, by whatever toolchain, and for
    the further ones that came with it.
    """
    newer = _NEWER_RUN
    is_same_unit = newer.c.unit == run.c.unit
    is_same_device = newer.c.device == run.c.device
    is_newer = newer.c.id > run.c.id
    newer_runs = select(newer.c.id).where(
        is_same_unit, is_same_device, is_newer, newer.c.is_further == false()
    )

    return ~newer_runs.exists()


@cache
def is_of_kernel(verdict: Any) -> ColumnElement[bool]:
    """Return the condition for a build or run of the kernel's unit, or of a port of it."""
    ports = select(PORT.c.ported)
    ports = ports.where(PORT.c.unit == KERNEL.c.unit)
    ports = ports.correlate(KERNEL)
    is_of_own_unit = verdict.c.unit == KERNEL.c.unit
    is_of_port = verdict.c.unit.in_(ports)

    return or_(is_of_own_unit, is_of_port)


def iter_current_builds() -> Iterator[ColumnElement[bool]]:
    """Yield the conditions for a newest build of the kernel: of its own unit, and of a port.

    Two conditions, since Postgres looks at every pair of rows that are joined by an `OR`.
    """
    for link in _links(BUILD):
        yield and_(link, is_newest_build(BUILD))


def iter_current_runs() -> Iterator[ColumnElement[bool]]:
    """Yield the same for a newest run."""
    for link in _links(RUN):
        yield and_(link, is_newest_run(RUN))


def iter_speaking_runs(run: Any) -> Iterator[ColumnElement[bool]]:
    """Yield the same for a run that speaks for a kernel; see `is_speaking_run`."""
    is_of_own_unit, is_of_port = _links(run)
    yield and_(is_of_own_unit, is_newest_run(run))

    yield and_(is_of_port, is_newest_run(run), _is_unpreceded(run))


@cache
def _is_unpreceded(run: Any) -> ColumnElement[bool]:
    """Return the condition for a port's run that no other of the device speaks before.

    Two conditions, since Postgres joins by none that denies an `OR`.
    """
    preceding, port = _PRECEDING_RUN, _PRECEDING_PORT
    is_on_device = preceding.c.device == run.c.device

    is_of_own_unit = preceding.c.unit == KERNEL.c.unit
    own_runs = select(preceding.c.id).where(is_on_device, is_of_own_unit)
    has_own_run = own_runs.correlate(KERNEL, run).exists()

    is_of_port = and_(port.c.unit == KERNEL.c.unit, preceding.c.unit == port.c.ported)
    # ports come in the order of their digests
    is_earlier = preceding.c.unit < run.c.unit
    port_runs = select(preceding.c.id).where(is_on_device, is_of_port, is_earlier)
    has_earlier_run = port_runs.correlate(KERNEL, run).exists()

    return and_(~has_own_run, ~has_earlier_run)


def iter_foremost_runs() -> Iterator[ColumnElement[bool]]:
    """Yield the same for the run that speaks for a kernel on a device."""
    for is_speaking in iter_speaking_runs(RUN):
        yield and_(is_speaking, RUN.c.is_further == false())


@cache
def _links(verdict: Any) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Return how a kernel leads to a verdict: of its own unit, and over one of its ports."""
    is_of_port = and_(PORT.c.unit == KERNEL.c.unit, verdict.c.unit == PORT.c.ported)
    return verdict.c.unit == KERNEL.c.unit, is_of_port


def exists_in_any(
    verdict: Any,
    links: Iterable[ColumnElement[bool]],
    *conditions: ColumnElement[bool],
) -> ColumnElement[bool]:
    """Return the condition that some row of `verdict` meets a link and all conditions."""
    return or_(
        *(
            select(verdict.c.id).where(link, *conditions).correlate(KERNEL).exists()
            for link in links
        )
    )


@cache
def is_speaking_run(run: Any) -> ColumnElement[bool]:
    """Return the condition for a run that speaks for a kernel, or for one of its instantiations,
    on a device.

    It is among the newest of the kernel's own unit, else among those of its first port.
    """
    other = _OTHER_RUN
    is_of_own_unit = run.c.unit == KERNEL.c.unit
    precedes = or_(
        other.c.unit == KERNEL.c.unit,
        # ports come in the order of their digests
        other.c.unit < run.c.unit,
    )
    preceding = select(other.c.id).where(
        other.c.device == run.c.device,
        is_of_kernel(other),
        precedes,
    )
    preceding = preceding.correlate(KERNEL, run)
    is_first = or_(is_of_own_unit, ~preceding.exists())

    return and_(is_of_kernel(run), is_newest_run(run), is_first)


def is_foremost_run() -> ColumnElement[bool]:
    """Return the condition for the run that speaks for a kernel on a device."""
    return and_(is_speaking_run(RUN), RUN.c.is_further == false())
