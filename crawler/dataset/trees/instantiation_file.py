"""The metadata beside the text of one instantiation: what is its own, and no other's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from crawler.dataset.rows.instantiation_row import (
    InstantiationRow,
    to_instantiation_row,
)
from crawler.dataset.rows.json_schema import build_json_schema
from crawler.dataset.rows.object_symbols import ObjectSymbols
from crawler.dataset.rows.row import Row
from crawler.dataset.texts.flatten import Flat
from crawler.model import Instantiation, KernelRecord, Launch

SCHEMA_NAME: Final = "kernelset.instantiation-file/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstantiationFile:
    """One set of template arguments; all that its kernel's instantiations share stands in the
    kernel's own file.
    """

    schema: str
    """Name and version of this form: `kernelset.instantiation-file/1`."""
    kernel: str
    """Path of the kernel's file from here."""
    instantiation: InstantiationRow
    """The template arguments, and the verdicts of their own runs."""
    flat: Flat
    """The kernel alone, template-free, with these arguments."""
    files: tuple[str, ...]
    """That text beside this file; none where it cannot be had."""
    is_in_unit: bool
    """Whether the unit instantiates it: one holds the first of very many."""
    launches: tuple[int, ...]
    """Positions in the kernel's `launches` of those that make it, or that do not tell their
    arguments.
    """
    runs: tuple[int, ...]
    """Positions in the kernel's `runs` of its own; none where only others were run."""
    test_files: tuple[str, ...]
    """Its tests, from the dataset's own folder; none where they are of another one."""


def describe_instantiation(
    record: KernelRecord,
    row: Row,
    instantiation: Instantiation,
    flat: Flat,
    kernel_file: str,
    files: tuple[str, ...],
    test_files: tuple[str, ...],
) -> InstantiationFile:
    """Return what is known of one instantiation of a record beyond its `row`."""
    label = instantiation.label
    unit_labels = [entry.label for entry in row.unit.instantiations] if row.unit else []
    runs = [
        position for position, run in enumerate(row.runs) if run.instantiation == label
    ]
    is_tested = any(
        row.runs[run].suite and not row.runs[run].is_further for run in runs
    )

    return InstantiationFile(
        schema=SCHEMA_NAME,
        kernel=kernel_file,
        instantiation=to_instantiation_row(
            instantiation, record.runs, ObjectSymbols(record)
        ),
        flat=flat,
        files=files,
        is_in_unit=label in unit_labels,
        launches=find_own_launches(instantiation, row.launches),
        runs=tuple(runs),
        test_files=test_files if is_tested else (),
    )


def find_own_launches(
    instantiation: Instantiation, launches: Sequence[Launch]
) -> tuple[int, ...]:
    """Return the positions of the launches that make this instantiation; those that do not tell
    their arguments may, and count.
    """
    positions = [
        position
        for position, launch in enumerate(launches)
        if not launch.template_arguments
        or instantiation.arguments in launch.template_arguments
    ]

    # all of them rather than none: an argument may be spelled in another way
    return tuple(positions) or tuple(range(len(launches)))


def build_instantiation_schema() -> dict[str, Any]:
    """Return the JSON Schema, as it lies beside this file."""
    return build_json_schema(InstantiationFile, SCHEMA_NAME)
