"""Render the source of a test program: a kernel unit, its launches, its cases and golden
outputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Final

from crawler.model import Dialect, KernelUnit, Oracle, Suite
from crawler.toolchains.clang_flags import CALLED_CLANG
from crawler.validate.emulator.source.program_source import mark_dynamic_shared_memory
from crawler.validate.harness.case_text import render_cases
from crawler.validate.harness.embedded_bytes import (
    MAX_EMBEDDED_BYTES,
    HarnessContents,
)
from crawler.validate.harness.prelude_text import (
    DYNAMIC_SHARED_MACROS,
    render_prelude,
    split_prelude,
)
from crawler.validate.values.blobs import Blobs

HEADER_TREES: Final = ("cpu", "hip_parse", "cuda", "torch", "common")
"""The parts of our headers that a test is built with on a CPU, in their order."""
STANDARD_HEADERS: Final = """
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
"""
"""What the parts of a test need."""
_ORACLE_PHRASES: Final = {
    Oracle.CPU_SIMT: "were computed by running the same kernel on a CPU",
    Oracle.PROJECT_CPU: "are those of the project's own implementation for a CPU",
    Oracle.PROJECT_PROGRAM: "were computed by running the same kernel on a CPU; a program of "
    "the project checks what it writes",
    Oracle.PROJECT_TESTS: "were computed by running the same kernel on a CPU; a test of the "
    "project checks what it writes",
    Oracle.LIBRARY: "are those of a library's function",
}
# any name on its way to be an identifier
_NAME_START: Final = re.compile(r"[A-Za-z_]")
_NO_NAME_CHARACTER: Final = re.compile(r"\W")


@dataclass(frozen=True, slots=True, kw_only=True)
class Harness:
    """A test's text, and the file of bytes that lies beside it, if any does."""

    name: str
    """Of its source, without the suffix."""
    source: str
    """Its text."""
    suffix: str
    """`.cu` or `.hip`."""
    beside: bytes = b""
    """Bytes of the file NAME.bin, which lies beside it; empty where it needs none."""

    @property
    def file(self) -> str:
        """The name of its source."""
        return self.name + self.suffix

    @property
    def beside_file(self) -> str:
        """The name of the file of bytes."""
        return f"{self.name}.bin"


def build_harness(
    unit: KernelUnit,
    suite: Suite,
    blobs: Blobs,
    *,
    name: str,
    max_embedded_bytes: int = MAX_EMBEDDED_BYTES,
) -> Harness:
    """Return the test of `unit` by the cases of `suite` that are not hidden; raises `KeyError`
    without their bytes.
    """
    contents = HarnessContents(max_embedded_bytes)
    prelude, body = split_prelude(unit.source)
    suffix = ".hip" if unit.dialect is Dialect.HIP else ".cu"

    sections = [
        _render_head(unit, suite, name, suffix),
        render_prelude(prelude, unit.dialect),
        STANDARD_HEADERS,
        DYNAMIC_SHARED_MACROS,
        f"\n// ---- the kernel\n{mark_dynamic_shared_memory(body)}\n",
        render_launches(unit, suite, contents, blobs, name),
    ]

    return Harness(
        name=name,
        source="".join(sections),
        suffix=suffix,
        beside=contents.stored_bytes,
    )


def render_launches(
    unit: KernelUnit, suite: Suite, contents: HarnessContents, blobs: Blobs, name: str
) -> str:
    """Return what follows the kernel in a test: the cases of `suite` that are not hidden, and a
    `main` that launches and compares them.
    """
    shown_cases = [case for case in suite.cases if not case.hidden]
    sections = [
        read_part("device"),
        read_part("values"),
        read_part("compare"),
        read_part("run"),
        render_cases(unit, shown_cases, contents, blobs, name),
        read_part("main"),
    ]
    return "".join(sections)


def list_build_commands(unit: KernelUnit, file: str, stem: str) -> Iterator[str]:
    """Yield how a test is built: with the compiler of its dialect, and with any C++ compiler
    for a CPU.
    """
    standard = unit.standard
    compiler = "hipcc" if unit.dialect is Dialect.HIP else "nvcc"
    yield f"{compiler} -std={standard} {file} -o {stem}"

    gnu_standard = standard.replace("c++", "gnu++")
    includes = " ".join([f"-isystem include/{tree}" for tree in HEADER_TREES])
    yield (
        f"{CALLED_CLANG} -x c++ -std={gnu_standard} -O2 -w -ffp-contract=off -fno-strict-aliasing "
        f"{includes} {file} -o {stem}"
    )


def to_identifier(text: str) -> str:
    """Return `text` as a name of C++."""
    name = _NO_NAME_CHARACTER.sub("_", text)
    return name if _NAME_START.match(text) else f"_{name}"


def _render_head(unit: KernelUnit, suite: Suite, name: str, suffix: str) -> str:
    lines = [f"// Tests of {unit.kernel_name}. Build with one of\n"]
    for command in list_build_commands(unit, name + suffix, name):
        lines.append(f"//   {command}\n")

    lines.append(f"// {describe_oracle(suite)}\n")
    return "".join(lines)


def describe_oracle(suite: Suite) -> str:
    """Return a sentence that says where the golden outputs of a suite are from."""
    return f"The golden outputs {_ORACLE_PHRASES[suite.oracle]}."


def read_part(name: str) -> str:
    """Return a part of every test from the files beside this module."""
    file = resources.files(__package__).joinpath("text", f"{name}.h")
    return "\n" + file.read_text("utf-8")
