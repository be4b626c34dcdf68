"""Render a test that judges candidates: a program that runs one case, the reference kernel, and
the cases for the judge alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Final

from crawler.model import Case, Dialect, KernelUnit, Suite
from crawler.validate.emulator.source.program_source import (
    list_kernel_addresses,
    mark_dynamic_shared_memory,
)
from crawler.validate.harness.judge_case_file import render_case_file
from crawler.validate.harness.prelude_text import (
    DYNAMIC_SHARED_MACROS,
    render_prelude,
    split_prelude,
)
from crawler.validate.harness.program import STANDARD_HEADERS, read_part
from crawler.validate.values.blobs import Blobs

JUDGE_FOLDER: Final = "judge"
"""Where the judge's sources and its cases lie in a folder of tests."""
REFERENCES_FOLDER: Final = "kernels"
"""Where the kernels lie that candidates are held against."""
_ENCODING: Final = ("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTest:
    """The test of one kernel as files: none but those of the judge hold an output."""

    name: str
    file: str
    """Of the program that runs one case, and of the reference in its own folder."""
    dialect: Dialect
    standard: str
    """`17`, of C++."""
    files: Mapping[str, bytes]
    """By their names in a folder of tests."""


def build_judged_test(
    unit: KernelUnit,
    suite: Suite,
    blobs: Blobs,
    *,
    name: str,
    includes_hidden: bool = False,
    reference_unit: KernelUnit | None = None,
) -> JudgedTest:
    """Return the test called `name` of `unit` by the cases of `suite` that are not hidden, or by
    all of them for a judge whose files nobody is handed; raises `KeyError` without their bytes.

    Candidates are held against `unit` itself, or against `reference_unit`, as where a port is
    what may be wrong: on a CPU both dialects are compiled alike.
    """
    suffix = ".hip" if unit.dialect is Dialect.HIP else ".cu"
    file = name + suffix
    cases = [case for case in suite.cases if includes_hidden or not case.hidden]
    entries = sorted({case.entry for case in cases})
    prelude, _ = split_prelude(unit.source)
    _, reference_body = split_prelude((reference_unit or unit).source)
    reference = mark_dynamic_shared_memory(reference_body).encode(*_ENCODING)
    runner = _render_runner(unit, prelude, entries)
    case_file = render_case_file(
        _number_kernels(cases, entries),
        blobs,
        unit=unit,
        runner=file,
        reference=reference,
    )

    return JudgedTest(
        name=name,
        file=file,
        dialect=unit.dialect,
        standard=unit.standard.removeprefix("c++"),
        files={
            file: runner.encode(*_ENCODING),
            f"{REFERENCES_FOLDER}/{file}": reference,
            f"{JUDGE_FOLDER}/{name}.cases": case_file.text.encode(),
            f"{JUDGE_FOLDER}/{name}.bytes": case_file.stored_bytes,
        },
    )


def collect_judge_sources() -> Mapping[str, bytes]:
    """Return the sources of the judge, which all tests have in common, by their names."""
    package = resources.files(__package__)
    files = {}

    for source in package.joinpath(JUDGE_FOLDER).iterdir():
        if source.name.endswith((".cpp", ".h")):
            files[f"{JUDGE_FOLDER}/{source.name}"] = source.read_bytes()

    # the same numbers are right in a program that tests itself
    values = "#pragma once\n" + read_part("values")
    files[f"{JUDGE_FOLDER}/values.h"] = values.encode()

    return files


def _number_kernels(cases: list[Case], entries: list[int]) -> list[tuple[Case, int]]:
    """Return each case with the place of its kernel among those that the runner knows."""
    return [(case, entries.index(case.entry)) for case in cases]


def _render_runner(unit: KernelUnit, prelude: str, entries: list[int]) -> str:
    addresses = list_kernel_addresses(unit)
    kernels = ", ".join(f"KERNEL({addresses[entry]})" for entry in entries)
    sections = [
        f"// Runs one case of {unit.kernel_name}, as the judge sends it. "
        "The judge builds this beside kernel.inc,\n"
        "// which is the candidate or the reference, and believes nothing of what it says.\n",
        render_prelude(prelude, unit.dialect),
        STANDARD_HEADERS,
        DYNAMIC_SHARED_MACROS,
        '\n#include "kernel.inc"\n',
        read_part("device"),
        read_part("runner"),
        "\nint main() {\n"
        f"  static const test::Kernel kernels[] = {{{kernels}}};\n"
        "  return test::serve(kernels);\n}\n",
    ]

    return "".join(sections)
