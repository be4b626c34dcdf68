"""SQL conditions that choose the builds and runs which speak for a kernel.

Ids of builds and runs only grow, so the largest of a unit and target, or of a unit and device,
is the newest.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, or_, select

from storage.tables import BUILD, KERNEL, PORT, RUN


def is_newest_build(build: Any) -> ColumnElement[bool]:
    """Return the condition for a unit's newest build on a target, by whatever toolchain."""
    newer = BUILD.alias("newer")
    newer_builds = select(newer.c.id).where(
        newer.c.unit == build.c.unit,
        newer.c.target == build.c.target,
        newer.c.id > build.c.id,
    )
    return ~newer_builds.exists()


def is_newest_run(run: Any) -> ColumnElement[bool]:
    """Return the condition for a unit's newest run on a device, by whatever toolchain."""
    newer = RUN.alias("newer_run")
    newer_runs = select(newer.c.id).where(
        newer.c.unit == run.c.unit,
        newer.c.device == run.c.device,
        newer.c.id > run.c.id,
    )
    return ~newer_runs.exists()


def is_of_kernel(verdict: Any) -> ColumnElement[bool]:
    """Return the condition for a build or run of the kernel's unit, or of a port of it."""
    ports = select(PORT.c.ported).where(PORT.c.unit == KERNEL.c.unit).correlate(KERNEL)
    return or_(verdict.c.unit == KERNEL.c.unit, verdict.c.unit.in_(ports))


def is_current_build() -> ColumnElement[bool]:
    """Return the condition for a newest build of the kernel."""
    return and_(is_of_kernel(BUILD), is_newest_build(BUILD))


def is_current_run() -> ColumnElement[bool]:
    """Return the condition for a newest run of the kernel."""
    return and_(is_of_kernel(RUN), is_newest_run(RUN))


def is_foremost_run() -> ColumnElement[bool]:
    """Return the condition for the run that speaks for a kernel on a device.

    It is the newest of the kernel's own unit, else that of its first port.
    """
    other = RUN.alias("other_run")
    precedes = or_(other.c.unit == KERNEL.c.unit, other.c.unit < RUN.c.unit)
    preceding = (
        select(other.c.id)
        .where(other.c.device == RUN.c.device, is_of_kernel(other), precedes)
        .correlate(KERNEL, RUN)
    )
    is_first = or_(RUN.c.unit == KERNEL.c.unit, ~preceding.exists())

    return and_(is_current_run(), is_first)
