"""Gather what a reviewer judges of a kernel."""

from __future__ import annotations

from collections.abc import Iterator

from crawler.dataset.interface import RowContext
from crawler.dataset.programs.harness_programs import ContentReader
from crawler.dataset.programs.single_file_test import build_single_file_test
from crawler.dataset.prompts.instruct_text import render_instruct
from crawler.dataset.prompts.prompt_row import PromptRow, make_prompt_row
from crawler.model import Dialect, KernelRecord, select_run_per_device
from crawler.reviews.material import ReviewMaterial


def make_review_material(
    record: KernelRecord, read_content: ContentReader | None
) -> ReviewMaterial:
    """Return the texts of a record that has a unit; its test only where bytes are to be had."""
    unit = record.kernel.unit
    assert unit is not None, "without a unit there is nothing to review"

    # the schema's name is not shown
    prompt = make_prompt_row(record, RowContext(), "", render_instruct)
    span = record.kernel.span
    port = next((port.source for port in record.ports), "")
    return ReviewMaterial(
        unit=unit.digest,
        name=record.kernel.name,
        place=f"{record.provenance.repo.label} {span.path}:{span.line}",
        verdicts=tuple(_iter_verdicts(record)),
        prompt=prompt.prompt if prompt else "",
        source=unit.source,
        port=port,
        tests=_render_test(record, prompt, read_content),
    )


def _iter_verdicts(record: KernelRecord) -> Iterator[str]:
    for build in record.builds:
        yield f"{build.target}: {build.pass_call.status.value}"
    for run in select_run_per_device(record.runs):
        yield f"{run.device}: {run.pass_exe.status.value}"


def _render_test(
    record: KernelRecord, prompt: PromptRow | None, read_content: ContentReader | None
) -> str:
    dialect = Dialect(prompt.language.lower()) if prompt else record.kernel.dialect
    test = build_single_file_test(record, dialect, read_content)
    return test.source if test else ""
