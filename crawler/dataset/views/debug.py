"""View `debug`: a failed sample as a folder in which somebody can look for the fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.dataset.interface import RowContext, View
from crawler.dataset.programs.single_file_test import build_single_file_test
from crawler.dataset.prompts.instruct_text import render_instruct
from crawler.dataset.prompts.prompt_row import make_prompt_row, make_task_id
from crawler.dataset.rows.place_row import PlaceRow, to_place_row
from crawler.dataset.rows.rejection_row import Rejection, list_rejections
from crawler.dataset.rows.repair_memory import render_repair_files
from crawler.dataset.texts.file_names import sanitize_name
from crawler.model import Dialect, Kernel, KernelRecord, KernelUnit

_SCHEMA_NAME: Final = "kernelset.debug/1"
_ID_CHARACTERS: Final = 8
_LABEL_SUFFIXES: Final = {Dialect.CUDA: ".cu", Dialect.HIP: ".hip"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DebugRow:
    """A kernel of which something failed, with what is needed to find out why."""

    schema: str
    """Name and version of this form: `kernelset.debug/1`."""
    folder: str
    """Name of the folder, unique: `fps_kernel_cc680924`."""
    place: PlaceRow
    """Where the kernel stands."""
    stages: tuple[str, ...]
    """Stages that failed, in their order: `extract`, `port`, `pass_call`, `pass_exe`."""
    codes: tuple[str, ...]
    """Stable slugs of why, each once."""
    files: dict[str, str]
    """Name to text: `0_instruction.txt`, `1_label_source.cu`, `2_initial_predict.hip.cpp`,
    `3_test_code.hip` and `error_log.txt`, and of repairs by a model `candidate_call_fix`,
    `candidate_exe_fix`, `candidate_perf_fix_1`, `reflection_strategy.md` and `_mem.json`, where
    there is such a thing.
    """
    written_by_model: tuple[str, ...]
    """Names of the files that hold what a model wrote."""


class Debug:
    """One row for each kernel of which something failed."""

    name = "debug"
    summary = "a failed sample as a folder: instruction, sources, test and errors"
    order = 80
    row_type = DebugRow
    schema_name = _SCHEMA_NAME

    def make_rows(
        self, record: KernelRecord, context: RowContext
    ) -> Iterator[DebugRow]:
        """Yield the row of a record that is in the view `rejected`, or that a model repaired."""
        rejections = tuple(list_rejections(record))
        place = to_place_row(record)
        name = sanitize_name(record.kernel.name)
        folder = f"{name}_{place.kernel[:_ID_CHARACTERS]}"
        # what is slow alone is not rejected
        repair_files = _render_repairs(record, context, folder)
        if not rejections and not repair_files:
            return

        yield DebugRow(
            schema=_SCHEMA_NAME,
            folder=folder,
            place=place,
            stages=tuple(dict.fromkeys(rejection.stage for rejection in rejections)),
            codes=tuple(dict.fromkeys(rejection.code for rejection in rejections)),
            files={**_render_files(record, context, rejections), **repair_files},
            written_by_model=tuple(sorted(repair_files)),
        )


def _render_files(
    record: KernelRecord, context: RowContext, rejections: Sequence[Rejection]
) -> dict[str, str]:
    kernel = record.kernel
    files: dict[str, str] = {}

    prompt = make_prompt_row(record, RowContext(), _SCHEMA_NAME, render_instruct)
    if prompt is not None:
        files["0_instruction.txt"] = prompt.prompt + "\n"

    label_file = f"1_label_source{_LABEL_SUFFIXES[kernel.dialect]}"
    files[label_file] = (kernel.unit or kernel).source

    port = _find_port(kernel, record.ports)
    if port is not None:
        files["2_initial_predict.hip.cpp"] = port.source

    test = build_single_file_test(record, Dialect.HIP, context.read_content)
    if test is not None:
        files["3_test_code.hip"] = test.source

    if rejections:
        files["error_log.txt"] = "".join(map(_format_rejection, rejections))
    return files


def _render_repairs(
    record: KernelRecord, context: RowContext, folder: str
) -> dict[str, str]:
    """Return the files of what models tried of the units that the folder shows."""
    shown_units = (record.kernel.unit, _find_port(record.kernel, record.ports))
    digests = [unit.digest for unit in shown_units if unit is not None]
    attempts = context.list_attempts(make_task_id(record))
    return render_repair_files(attempts, digests, f"{folder}.hip")


def _find_port(kernel: Kernel, ports: Sequence[KernelUnit]) -> KernelUnit | None:
    if kernel.dialect is Dialect.HIP:
        return None

    hip_ports = [port for port in ports if port.dialect is Dialect.HIP]
    return hip_ports[0] if hip_ports else None


def _format_rejection(rejection: Rejection) -> str:
    words = [rejection.stage, rejection.dialect, rejection.processor]
    subject = " ".join(word for word in words if word)
    instantiation = f" <{rejection.instantiation}>" if rejection.instantiation else ""
    return (
        f"{subject}{instantiation}: {rejection.status}, {rejection.code}: "
        f"{rejection.message}\n"
    )


PLUGIN: Final[View] = Debug()
