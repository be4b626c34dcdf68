"""Read what a page of kernels shows beside their own rows, in one transaction."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, Row, Select

from storage.index.pages.kernel_page import (
    KernelPage,
    KernelRows,
    RowsBeside,
    collect_texts,
    group_by_unit,
)
from storage.index.pages.page_statements import (
    BESIDE,
    BUILDS,
    PORTS,
    RUNS,
    TEXTS_OF_KERNELS,
    TEXTS_OF_UNITS,
)


def read_kernel_page(connection: Connection, kernels: KernelRows) -> KernelPage:
    """Return a page of these rows of the kernel table."""
    return KernelPage(kernels, read_rows_beside(connection, kernels))


def read_rows_beside(connection: Connection, kernels: KernelRows) -> RowsBeside:
    """Return what stands in other tables of these kernels."""
    ids = {"ids": [kernel.id for kernel in kernels]}
    units = {kernel.unit for kernel in kernels if kernel.unit}

    beside = connection.execute(BESIDE, ids)
    texts_of_kernels = connection.execute(TEXTS_OF_KERNELS, ids)
    texts_of_units = connection.execute(TEXTS_OF_UNITS, {"units": sorted(units)})
    ports = _read_by_unit(connection, PORTS, units)

    # verdicts of a port count for the kernel that it was ported from
    built_units = set(units)
    for ports_of_unit in ports.values():
        built_units.update(port.ported for port in ports_of_unit)

    return RowsBeside(
        commits_and_copies={row.id: row for row in beside},
        texts=collect_texts(
            (tuple(row) for row in texts_of_kernels),
            (tuple(row) for row in texts_of_units),
        ),
        ports=ports,
        builds=_read_by_unit(connection, BUILDS, built_units),
        runs=_read_by_unit(connection, RUNS, built_units),
    )


def _read_by_unit(
    connection: Connection, statement: Select[Any], units: Collection[str]
) -> dict[str, list[Row[Any]]]:
    return group_by_unit(connection.execute(statement, {"units": sorted(units)}))
