"""A test in three sources: what is given, the solution, and the test that is held out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.dataset.programs.harness_programs import (
    ContentReader,
    JudgedUnit,
    list_judged_units,
)
from crawler.dataset.programs.single_file_test import (
    MAX_CONTENT_BYTES,
    select_small_cases,
)
from crawler.dataset.prompts.solution import SplitUnit, split_unit
from crawler.model import Dialect, KernelRecord, KernelUnit, Suite
from crawler.toolchains.clang_flags import CALLED_CLANG
from crawler.validate.emulator.source.program_source import mark_dynamic_shared_memory
from crawler.validate.harness.embedded_bytes import HarnessContents
from crawler.validate.harness.prelude_text import (
    DYNAMIC_SHARED_MACROS,
    render_prelude,
    split_prelude,
)
from crawler.validate.harness.program import (
    HEADER_TREES,
    STANDARD_HEADERS,
    describe_oracle,
    render_launches,
)

CONTEXT_FILE: Final = "include/kernel_context.h"
SOLUTION_FILE: Final = "solution.cu"
TEST_FILE: Final = "test/test_main.cu"
PROGRAM: Final = "test.out"
# masked code up to the kernel, brace by brace
_BRACE: Final = re.compile("[{}]")
_STATEMENT_ENDS: Final = ";{}"
# a linkage's name is a literal, which is masked
_SCOPE_HEAD: Final = re.compile(
    r"(?:\binline\s+)?\bnamespace\b(?:\s+[\w:]+)?\s*\Z|\bextern\s+\S+\s*\Z"
)
_INCLUDE_CONTEXT: Final = '#include "kernel_context.h"\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitTest:
    """The sources of a test by what a model may see of them, and how they are built."""

    unit: KernelUnit
    """The one instantiation that is tested."""
    parts: SplitUnit
    """The same, in its parts."""
    context: str
    """Text of `CONTEXT_FILE`, which is given."""
    solution: str
    """Text of `SOLUTION_FILE` as its project has it."""
    test: str
    """Text of `TEST_FILE`, which includes both and holds golden outputs."""
    build_command: str
    """For a GPU of NVIDIA's."""
    cpu_build_command: str
    """For this machine's CPU; `include` then holds Kernelset's headers, too."""


def build_split_test(
    record: KernelRecord, read_content: ContentReader | None
) -> SplitTest | None:
    """Return the test of a kernel's CUDA unit; `None` where it came through no case that a text
    can hold, or its text does not show the kernel.
    """
    if read_content is None:
        return None

    for subject in list_judged_units(record, read_content, record.kernel.name):
        if subject.unit.dialect is Dialect.CUDA:
            return _split_test(subject)

    return None


def _split_test(subject: JudgedUnit) -> SplitTest | None:
    unit = subject.unit
    suite = select_small_cases(subject.suite)
    parts = split_unit(unit)
    if parts is None or not suite.cases:
        return None

    scopes = find_open_scopes(parts.context)
    if scopes is None:
        return None

    contents = HarnessContents(MAX_CONTENT_BYTES)
    launches = render_launches(unit, suite, contents, subject.blobs, subject.name)
    if contents.stored_bytes:
        return None

    standard = unit.standard
    return SplitTest(
        unit=unit,
        parts=parts,
        context=_render_context(unit, parts, scopes),
        solution=_render_solution(parts, scopes),
        test=_render_test(suite) + launches,
        build_command=(
            f"nvcc -std={standard} -arch=sm_80 -I include -o {PROGRAM} {TEST_FILE}"
        ),
        cpu_build_command=_render_cpu_command(standard),
    )


def find_open_scopes(context: str) -> tuple[str, ...] | None:
    """Return the heads of the namespaces in which a text ends, outermost first; `None` where it
    ends in anything else, which cannot be opened a second time.
    """
    code = MaskedSource(context).code
    heads: list[str] = []
    for brace in _BRACE.finditer(code):
        if brace.group() == "}":
            if not heads:
                return None
            heads.pop()
            continue

        start = 1 + max(code.rfind(end, 0, brace.start()) for end in _STATEMENT_ENDS)
        head = _SCOPE_HEAD.search(code, start, brace.start())
        heads.append(context[head.start() : head.end()].strip() if head else "")

    return tuple(heads) if all(heads) else None


def _render_context(unit: KernelUnit, parts: SplitUnit, scopes: tuple[str, ...]) -> str:
    header, rest = split_prelude(parts.context)
    # a scope that holds the kernel alone is opened where the kernel stands
    text = mark_dynamic_shared_memory(rest).rstrip()
    closing = "".join("\n}" for _ in scopes)
    prelude = render_prelude(header, unit.dialect)
    return f"#pragma once\n{prelude}{DYNAMIC_SHARED_MACROS}\n{text.lstrip()}{closing}\n"


def _render_solution(parts: SplitUnit, scopes: tuple[str, ...]) -> str:
    opening = "".join(f"{scope} {{\n" for scope in scopes)
    text = mark_dynamic_shared_memory(parts.signature + parts.solution)
    return f"{_INCLUDE_CONTEXT}\n{opening}{text}"


def _render_test(suite: Suite) -> str:
    return (
        f"// Tests {SOLUTION_FILE}. {describe_oracle(suite)}\n"
        f"{_INCLUDE_CONTEXT}{STANDARD_HEADERS}\n"
        f'#include "../{SOLUTION_FILE}"\n'
    )


def _render_cpu_command(standard: str) -> str:
    gnu_standard = standard.replace("c++", "gnu++")
    headers = " ".join(f"-isystem include/{tree}" for tree in HEADER_TREES)
    return (
        f"{CALLED_CLANG} -x c++ -std={gnu_standard} -O2 -w -ffp-contract=off "
        f"-fno-strict-aliasing -I include {headers} -o {PROGRAM} {TEST_FILE}"
    )
