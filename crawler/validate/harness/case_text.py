"""Render the cases of a test: a function that gives them, behind the contents that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from crawler.model import Case, CaseArgument, CaseBuffer, CasePointer, KernelUnit
from crawler.validate.emulator.source.program_source import list_kernel_addresses
from crawler.validate.harness.embedded_bytes import HarnessContents, escape_bytes
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.element_types import parse_element_type

CASES_HEADING: Final = "// ---- the cases"
"""The line of a test behind which its cases stand."""
_STORED_BYTES_SOURCE: Final = """
static const unsigned char* stored_bytes() {{
  static std::vector<unsigned char> bytes;
  const std::string here = __FILE__;
  for (const std::string& folder : \
{{std::string(), here.substr(0, here.find_last_of("/\\\\") + 1)}}) {{
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
# a project's names, for comments and strings of the test
_NO_PLAIN_CHARACTER: Final = re.compile(r"[^\w .<>:\[\]-]")


def render_cases(
    unit: KernelUnit,
    cases: Iterable[Case],
    contents: HarnessContents,
    blobs: Blobs,
    name: str,
) -> str:
    """Return the function that gives the cases, behind the contents that it names."""
    addresses = list_kernel_addresses(unit)
    statements = "".join(
        _render_case(case, addresses, contents, blobs) for case in cases
    )
    stored = ""
    if contents.stored_bytes:
        stored = _STORED_BYTES_SOURCE.format(
            name=f"{name}.bin", size=len(contents.stored_bytes)
        )

    return (
        f"\n{CASES_HEADING}\n\nnamespace test {{\n"
        f"{stored}{contents.declarations}\n\n"
        "static std::vector<Case> cases() {\n  std::vector<Case> all;\n"
        f"{statements}  return all;\n}}\n\n"
        "}  // namespace test\n"
    )


def _render_case(
    case: Case, addresses: tuple[str, ...], contents: HarnessContents, blobs: Blobs
) -> str:
    buffers = "".join(
        f"        {_render_buffer(buffer, contents, blobs)},\n"
        for buffer in case.buffers
    )

    arguments = "".join(
        f"        {_render_argument(argument)},\n" for argument in case.arguments
    )
    return (
        f"  all.push_back({{{_quote(case.name)}, KERNEL({addresses[case.entry]}), "
        f"dim3{_render_extent(case.grid)}, dim3{_render_extent(case.block)}, "
        f"{case.shared_bytes},\n"
        f"      {{\n{buffers}      }},\n      {{\n{arguments}      }}}});\n"
    )


def _render_extent(extent: tuple[int, int, int]) -> str:
    x, y, z = extent
    return f"({x}, {y}, {z})"


def _render_buffer(buffer: CaseBuffer, contents: HarnessContents, blobs: Blobs) -> str:
    element = parse_element_type(buffer.element, buffer.element_size)
    begin, end = written_range(buffer)

    def render_content(digest: str) -> str:
        if not digest:
            return "{nullptr, 0}"

        raw = blobs.get(digest)[: buffer.size]
        return contents.expression_for(digest, raw, element)

    content = render_content(buffer.content)
    gold = render_content(buffer.gold if begin < end else "")
    fields = (
        _quote(buffer.name),
        element.scalar.name,
        element.lanes,
        buffer.size,
        content,
        gold,
        begin,
        end,
        repr(buffer.absolute),
        repr(buffer.relative),
        _render_pointers(buffer.pointers),
    )

    return f"{{{', '.join(map(str, fields))}}}"


def written_range(buffer: CaseBuffer) -> tuple[int, int]:
    """Return which bytes of a buffer a kernel writes, as far as that is known; none of an input."""
    if not buffer.role.is_written:
        return 0, 0

    begin, end = buffer.written
    return (begin, end) if begin < end else (0, buffer.size)


def _render_argument(argument: CaseArgument) -> str:
    raw = bytes.fromhex(argument.content)
    content = f"{{{escape_bytes(raw)}, {len(raw)}}}"
    pointers = _render_pointers(argument.pointers)

    return f"{{{content}, {pointers}}} /* {_to_plain(argument.name)} */"


def _render_pointers(pointers: Iterable[CasePointer]) -> str:
    entries = []
    for pointer in pointers:
        buffer = -1 if pointer.buffer is None else pointer.buffer
        entries.append(f"{{{pointer.at}, {buffer}, {pointer.offset}}}")

    return f"{{{', '.join(entries)}}}"


def _to_plain(text: str) -> str:
    """Return a name as comments and strings can hold it."""
    return _NO_PLAIN_CHARACTER.sub("_", text)


def _quote(text: str) -> str:
    return f'"{_to_plain(text)}"'
