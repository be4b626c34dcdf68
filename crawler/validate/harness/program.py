"""Render the source of a test program: a kernel unit, its launches, its cases and golden
outputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from typing import Final

from crawler.model import (
    Case,
    CaseArgument,
    CaseBuffer,
    CasePointer,
    Dialect,
    KernelUnit,
    Oracle,
    Suite,
)
from crawler.validate.emulator.source.program_source import (
    list_kernel_addresses,
    mark_dynamic_shared_memory,
)
from crawler.validate.harness.embedded_bytes import (
    MAX_EMBEDDED_BYTES,
    HarnessContents,
    escape_bytes,
)
from crawler.validate.harness.prelude_text import (
    DYNAMIC_SHARED_MACROS,
    render_prelude,
    split_prelude,
)
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.element_types import parse_element_type

HEADER_TREES: Final = ("cpu", "hip_parse", "cuda", "torch", "common")
"""The parts of our headers that a test is built with on a CPU, in their order."""
_STANDARD: Final = """
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
"""
_STORED: Final = """
static const unsigned char* stored_bytes() {{
  static std::vector<unsigned char> bytes;
  const std::string here = __FILE__;
  for (const std::string& folder : {{std::string(), here.substr(0, here.find_last_of("/\\\\") + 1)}}) {{
    FILE* file = bytes.empty() ? fopen((folder + "{name}").c_str(), "rb") : nullptr;
    if (!file) continue;
    bytes.resize({size});
    if (fread(bytes.data(), 1, bytes.size(), file) != bytes.size()) bytes.clear();
    fclose(file);
  }}
  if (bytes.empty()) {{
    printf("%s is not beside the test: its inputs are in it\\n", "{name}");
    exit(2);
  }}
  return bytes.data();
}}
static Bytes stored(size_t at, size_t size) {{ return {{stored_bytes() + at, size}}; }}
"""
_ORACLES: Final = {
    Oracle.CPU_SIMT: "were computed by running the same kernel on a CPU",
    Oracle.PROJECT_CPU: "are those of the project's own implementation for a CPU",
    Oracle.LIBRARY: "are those of a library's function",
}


class HarnessForm(StrEnum):
    """What the cases are run by."""

    PROGRAM = "program"
    """A `main` of its own."""
    GOOGLETEST = "googletest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Harness:
    """A test's text, and the file of bytes that lies beside it, if any does."""

    name: str
    source: str
    suffix: str
    """`.cu` or `.hip`."""
    beside: bytes = b""

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
    form: HarnessForm = HarnessForm.PROGRAM,
    max_embedded_bytes: int = MAX_EMBEDDED_BYTES,
) -> Harness:
    """Return the test of `unit` by the cases of `suite` that are not hidden; raises `KeyError`
    without their bytes.
    """
    contents = HarnessContents(max_embedded_bytes)
    shown = [case for case in suite.cases if not case.hidden]
    addresses = list_kernel_addresses(unit)
    cases = "".join(_case(case, addresses, contents, blobs) for case in shown)
    suffix = ".hip" if unit.dialect is Dialect.HIP else ".cu"
    found, body = split_prelude(unit.source)
    stored = (
        _STORED.format(name=f"{name}.bin", size=len(contents.stored_bytes))
        if contents.stored_bytes
        else ""
    )
    tail = _text("main") if form is HarnessForm.PROGRAM else _google_tests(unit, shown)
    source = "".join(
        (
            _head(unit, suite, name, suffix, form),
            render_prelude(found, unit.dialect),
            _STANDARD,
            DYNAMIC_SHARED_MACROS,
            f"\n// ---- the kernel\n{mark_dynamic_shared_memory(body)}\n",
            *(_text(part) for part in ("device", "compare", "run")),
            f"\n// ---- the cases\n\nnamespace test {{\n{stored}{contents.declarations}\n\n",
            f"static std::vector<Case> cases() {{\n  std::vector<Case> all;\n{cases}  return all;\n}}\n\n",
            "}  // namespace test\n",
            tail,
        )
    )
    return Harness(
        name=name, source=source, suffix=suffix, beside=contents.stored_bytes
    )


def list_build_commands(unit: KernelUnit, file: str, stem: str) -> Iterator[str]:
    """Yield how a test is built: with the compiler of its dialect, and with any C++ compiler
    for a CPU.
    """
    standard = unit.standard
    yield (
        f"hipcc -std={standard} {file} -o {stem}"
        if unit.dialect is Dialect.HIP
        else f"nvcc -std={standard} {file} -o {stem}"
    )
    includes = " ".join(f"-isystem include/{tree}" for tree in HEADER_TREES)
    gnu = standard.replace("c++", "gnu++")
    yield f"clang++ -x c++ -std={gnu} -O2 -w -ffp-contract=off -fno-strict-aliasing {includes} {file} -o {stem}"


def to_identifier(text: str) -> str:
    """Return `text` as a name of C++."""
    return (
        re.sub(r"\W", "_", text)
        if re.match(r"[A-Za-z_]", text)
        else "_" + re.sub(r"\W", "_", text)
    )


def _head(
    unit: KernelUnit, suite: Suite, name: str, suffix: str, form: HarnessForm
) -> str:
    linked = " -lgtest -lgtest_main -pthread" if form is HarnessForm.GOOGLETEST else ""
    built = "".join(
        f"//   {command}{linked}\n"
        for command in list_build_commands(unit, name + suffix, name)
    )
    oracle = f"// The golden outputs {_ORACLES[suite.oracle]}.\n"
    google = "#include <gtest/gtest.h>\n\n" if form is HarnessForm.GOOGLETEST else ""
    return f"// Tests of {unit.kernel_name}. Build with one of\n{built}{oracle}{google}"


def _text(part: str) -> str:
    return "\n" + resources.files(__package__).joinpath("text", f"{part}.h").read_text(
        "utf-8"
    )


def _google_tests(unit: KernelUnit, cases: Iterable[Case]) -> str:
    suite = to_identifier(unit.kernel_name.replace("_", "-")).replace("_", "")
    tests = (
        f"TEST({suite}, {to_identifier(case.name).replace('_', '')}) {{\n"
        "  if (const char* problem = test::device_problem()) GTEST_SKIP() << problem;\n"
        f'  EXPECT_EQ("", test::run(test::cases()[{number}]));\n}}\n'
        for number, case in enumerate(cases)
    )
    return "\n" + "".join(tests)


def _case(
    case: Case, addresses: tuple[str, ...], contents: HarnessContents, blobs: Blobs
) -> str:
    buffers = "".join(
        f"        {_buffer(buffer, contents, blobs)},\n" for buffer in case.buffers
    )
    arguments = "".join(
        f"        {_argument(argument)},\n" for argument in case.arguments
    )
    return (
        f"  all.push_back({{{_quoted(case.name)}, KERNEL({addresses[case.entry]}), dim3{_extent(case.grid)}, "
        f"dim3{_extent(case.block)}, {case.shared_bytes},\n"
        f"      {{\n{buffers}      }},\n      {{\n{arguments}      }}}});\n"
    )


def _extent(extent: tuple[int, int, int]) -> str:
    return f"({extent[0]}, {extent[1]}, {extent[2]})"


def _buffer(buffer: CaseBuffer, contents: HarnessContents, blobs: Blobs) -> str:
    kind = parse_element_type(buffer.element, buffer.element_size)
    begin, end = (
        buffer.written if buffer.written[0] < buffer.written[1] else (0, buffer.size)
    )
    if not buffer.role.is_written:
        begin = end = 0
    before, after = (
        contents.expression_for(digest, blobs.get(digest)[: buffer.size], kind)
        if digest
        else "{nullptr, 0}"
        for digest in (buffer.content, buffer.gold if begin < end else "")
    )
    return (
        f"{{{_quoted(buffer.name)}, {kind.scalar.name}, {kind.lanes}, {buffer.size}, {before}, {after}, "
        f"{begin}, {end}, {buffer.absolute!r}, {buffer.relative!r}, {_links(buffer.pointers)}}}"
    )


def _argument(argument: CaseArgument) -> str:
    raw = bytes.fromhex(argument.content)
    return f"{{{{{escape_bytes(raw)}, {len(raw)}}}, {_links(argument.pointers)}}} /* {_plain(argument.name)} */"


def _links(pointers: Iterable[CasePointer]) -> str:
    words = (
        f"{{{each.at}, {-1 if each.buffer is None else each.buffer}, {each.offset}}}"
        for each in pointers
    )
    return f"{{{', '.join(words)}}}"


def _plain(text: str) -> str:
    return re.sub(r"[^\w .<>:\[\]-]", "_", text)


def _quoted(text: str) -> str:
    return f'"{_plain(text)}"'
