"""View `geak`: the form in which GEAK keeps HIP kernels that are to be optimised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crawler.dataset.interface import RowContext, View
from crawler.dataset.programs.single_file_test import build_single_file_test
from crawler.dataset.prompts.instruct_text import render_instruct
from crawler.dataset.prompts.prompt_row import PromptRow, make_prompt_row
from crawler.dataset.texts.file_names import sanitize_name
from crawler.model import Dialect, KernelRecord
from crawler.validate.harness.program import Harness

_SCHEMA_NAME: Final = "kernelset.geak/1"
_ID_CHARACTERS: Final = 8
_MAKEFILE: Final = """\
HIPCC ?= hipcc

test_{task}: {file}
\t$(HIPCC) -O3 -std={standard} $< -o $@

test: test_{task}
\t./test_{task}

clean:
\trm -f test_{task}

.PHONY: test clean
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GeakRow:
    """A HIP kernel in a folder of its own, with a request to make it faster."""

    schema: str
    """Name and version of this form: `kernelset.geak/1`."""
    task: str
    """Unique: `fps_kernel_cc680924`."""
    instruction: str
    """What is asked, with the name and the parameters that must stay."""
    file_path: str
    """Folder of the task."""
    file_name: str
    """The source in it that is to be optimised, and tests itself."""
    files: dict[str, str]
    """Name to text of the files in that folder: the source and its `Makefile`."""

    @property
    def folder(self) -> str:
        """What the format `folder` calls the folder of the files."""
        return self.file_path


class Geak:
    """One row for each kernel with a HIP form that came through its cases."""

    name = "geak"
    summary = (
        "a HIP kernel to be optimised, in a folder with its test, as GEAK has them"
    )
    order = 72
    row_type = GeakRow
    schema_name = _SCHEMA_NAME

    def make_rows(self, record: KernelRecord, context: RowContext) -> Iterator[GeakRow]:
        """Yield the row of a record, at every depth with its test; none without one."""
        prompt = make_prompt_row(record, RowContext(), _SCHEMA_NAME, render_instruct)
        test = build_single_file_test(record, Dialect.HIP, context.read_content)
        unit = record.kernel.unit
        if prompt is None or test is None or unit is None:
            return

        kernel_id = prompt.place.kernel[:_ID_CHARACTERS]
        task = f"{sanitize_name(record.kernel.name)}_{kernel_id}"
        file = f"{task}.hip"
        makefile = _MAKEFILE.format(task=task, file=file, standard=unit.standard)
        yield GeakRow(
            schema=_SCHEMA_NAME,
            task=task,
            instruction=_format_instruction(record, prompt),
            file_path=task,
            file_name=file,
            files={file: _name_file(test, file), "Makefile": makefile},
        )


def _name_file(test: Harness, file: str) -> str:
    """Return the source of a test whose first lines say how this file is built."""
    stem = file.removesuffix(".hip")
    return re.sub(rf"\b{re.escape(test.name)}\b", stem, test.source)


def _format_instruction(record: KernelRecord, prompt: PromptRow) -> str:
    signature = " ".join(prompt.signature.split())
    return (
        f"Optimize the HIP kernel {prompt.entry_point}. "
        f"MUST keep kernel name: {record.kernel.name} and signature: {signature}."
    )


PLUGIN: Final[View] = Geak()
