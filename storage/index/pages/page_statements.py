"""Statements that read what a page of kernels shows beside their own rows."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Select,
    literal_column,
    select,
    union_all,
)

from storage.index.key_lists import is_among
from storage.index.newest_verdicts import is_newest_build, is_newest_run
from storage.tables import (
    BUILD,
    DEFINITION,
    INSTANTIATION,
    KERNEL,
    KERNEL_OPERATOR,
    KERNEL_TAG,
    PORT,
    PORT_BLOCKER,
    REVIEW_STATE,
    REVISION,
    RUN,
)


def _select_beside() -> Select[Any]:
    is_commit = REVISION.c.id == KERNEL.c.revision
    is_text = DEFINITION.c.digest == KERNEL.c.definition
    joined = KERNEL.join(REVISION, is_commit).outerjoin(DEFINITION, is_text)
    statement = select(KERNEL.c.id, REVISION.c.url, DEFINITION.c.near_cluster)
    return statement.select_from(joined).where(is_among(KERNEL.c.id, "ids"))


def _select_texts_of_kernels() -> CompoundSelect[Any]:
    tag, name = KERNEL_TAG.c, KERNEL_OPERATOR.c
    label = INSTANTIATION.c
    no_position: ColumnElement[int] = literal_column("0").label("position")
    tags = select(_kind("tag"), tag.kernel, no_position, tag.tag)
    operators = select(_kind("operator"), name.kernel, no_position, name.name)
    labels = select(_kind("label"), label.kernel, label.position, label.label)

    return union_all(
        tags.where(is_among(tag.kernel, "ids")),
        operators.where(is_among(name.kernel, "ids")),
        labels.where(is_among(label.kernel, "ids")),
    )


def _select_texts_of_units() -> CompoundSelect[Any]:
    blocker, review = PORT_BLOCKER.c, REVIEW_STATE.c
    blockers = select(_kind("blocker"), blocker.unit, blocker.code)
    states = select(_kind("review"), review.unit, review.state)

    return union_all(
        blockers.where(is_among(blocker.unit, "units")),
        states.where(is_among(review.unit, "units")),
    )


def _kind(word: str) -> ColumnElement[str]:
    return literal_column(f"'{word}'").label("kind")


def _select_builds() -> Select[Any]:
    columns = BUILD.c
    builds = select(
        columns.unit,
        columns.target,
        columns.status,
        columns.code,
        columns.fidelity,
        columns.encoded,
    )
    is_of_unit = is_among(columns.unit, "units")
    builds = builds.where(is_of_unit, is_newest_build(BUILD))
    return builds.order_by(columns.target)


def _select_runs() -> Select[Any]:
    columns = RUN.c
    runs = select(
        columns.unit,
        columns.device,
        columns.instantiation,
        columns.extents,
        columns.oracle,
        columns.suite,
        columns.exe_status,
        columns.exe_code,
        columns.perf_status,
        columns.mutants,
        columns.killed,
        columns.strength,
        columns.encoded,
    )
    is_of_unit = is_among(columns.unit, "units")
    runs = runs.where(is_of_unit, is_newest_run(RUN))
    return runs.order_by(columns.device, columns.id)


# made once: making one costs as much as asking the database for the page
BESIDE: Final = _select_beside()
TEXTS_OF_KERNELS: Final = _select_texts_of_kernels()
TEXTS_OF_UNITS: Final = _select_texts_of_units()
PORTS: Final = (
    select(PORT).where(is_among(PORT.c.unit, "units")).order_by(PORT.c.ported)
)
BUILDS: Final = _select_builds()
RUNS: Final = _select_runs()
