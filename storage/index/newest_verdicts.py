"""SQL conditions that choose the builds and runs which speak for a kernel.

Ids of builds and runs only grow, so the largest of a unit and target, or of a unit and device,
is the newest.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, false, or_, select

from storage.tables import BUILD, KERNEL, PORT, RUN


def is_newest_build(build: Any) -> ColumnElement[bool]:
    """Return the condition for a unit's newest build on a target, by whatever toolchain."""
    newer = BUILD.alias("newer")
    is_same_unit = newer.c.unit == build.c.unit
    is_same_target = newer.c.target == build.c.target
    is_newer = newer.c.id > build.c.id
    newer_builds = select(newer.c.id).where(is_same_unit, is_same_target, is_newer)

    return ~newer_builds.exists()


def is_newest_run(run: Any) -> ColumnElement[bool]:
    """Return the condition for a unit's newest run on a device, by whatever toolchain, and for
    the further ones that came with it.
    """
    newer = RUN.alias("newer_run")
    is_same_unit = newer.c.unit == run.c.unit
    is_same_device = newer.c.device == run.c.device
    is_newer = newer.c.id > run.c.id
    newer_runs = select(newer.c.id).where(
        is_same_unit, is_same_device, is_newer, newer.c.is_further == false()
    )

    return ~newer_runs.exists()


def is_of_kernel(verdict: Any) -> ColumnElement[bool]:
    """Return the condition for a build or run of the kernel's unit, or of a port of it."""
    ports = select(PORT.c.ported)
    ports = ports.where(PORT.c.unit == KERNEL.c.unit)
    ports = ports.correlate(KERNEL)
    is_of_own_unit = verdict.c.unit == KERNEL.c.unit
    is_of_port = verdict.c.unit.in_(ports)

    return or_(is_of_own_unit, is_of_port)


def is_current_build() -> ColumnElement[bool]:
    """Return the condition for a newest build of the kernel."""
    return and_(is_of_kernel(BUILD), is_newest_build(BUILD))


def is_current_run() -> ColumnElement[bool]:
    """Return the condition for a newest run of the kernel."""
    return and_(is_of_kernel(RUN), is_newest_run(RUN))


def is_speaking_run(run: Any) -> ColumnElement[bool]:
    """Return the condition for a run that speaks for a kernel, or for one of its instantiations,
    on a device.

    It is among the newest of the kernel's own unit, else among those of its first port.
    """
    other = RUN.alias("other_run")
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
