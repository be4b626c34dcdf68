"""Parse the diagnostics and resource remarks that compilers print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler import headers
from crawler.libraries.view import VIEW_PREFIX
from crawler.model import Diagnostic, Resources

MAX_DIAGNOSTICS: Final = 50
# a line of a compiler's log
_CLANG_MESSAGE: Final = re.compile(
    r"^(?:(?P<path>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? )?"
    r"(?:[\w.+-]*(?:clang|lld)[\w.+-]*: )?"
    r"(?P<severity>fatal error|error|warning|note): (?P<message>.*)$"
)
_NVCC_MESSAGE: Final = re.compile(
    r"^(?:(?P<path>[^\s:()][^\n()]{0,400})\((?P<line>\d+)\): "
    r"|(?:ptxas|nvlink|nvcc|cicc)\b[^:;\n]{0,400}?(?:; )?)"
    r"(?P<severity>fatal error|catastrophic error|fatal|error|warning)\b"
    r"(?: #[\w-]+)? *: (?P<message>.*)$"
)
_SEVERITIES: Final = {"fatal error": "fatal", "catastrophic error": "fatal"}
# a remark in a compiler's log
_RESOURCE_REMARK: Final = re.compile(
    r"remark: +(?P<key>[\w ]+?)(?: \[[^\]]+\])?: (?P<value>\S+) \[-Rpass-analysis="
)
_RESOURCE_FIELDS: Final = {
    "VGPRs": "registers",
    "SGPRs": "scalar_registers",
    "TotalSGPRs": "scalar_registers",
    "AGPRs": "accumulation_registers",
    "ScratchSize": "scratch_bytes",
    "LDS Size": "shared_bytes",
    "Occupancy": "occupancy",
}
# the path of a header that a message names
_LIBRARY_VIEW: Final = re.compile(rf"/[^\n]*/{VIEW_PREFIX}[a-z]+-[0-9a-f]+/")
_SPILL_KEYS: Final = frozenset({"SGPRs Spill", "VGPRs Spill"})


def parse_diagnostics(log: str) -> tuple[Diagnostic, ...]:
    """Return at most `MAX_DIAGNOSTICS` messages of clang and its linker, or of nvcc and its
    assembler, errors before the rest.
    """
    errors: list[Diagnostic] = []
    other_diagnostics: list[Diagnostic] = []

    for diagnostic in _iter_diagnostics(log):
        if diagnostic.severity in ("fatal", "error"):
            errors.append(diagnostic)
        else:
            other_diagnostics.append(diagnostic)

    diagnostics = errors + other_diagnostics
    return tuple(diagnostics[:MAX_DIAGNOSTICS])


def parse_resource_remarks(log: str) -> tuple[Resources, ...]:
    """Return what each kernel uses, from the remarks of `-Rpass-analysis=kernel-resource-usage`."""
    kernels: list[tuple[str, dict[str, int]]] = []
    for remark in _RESOURCE_REMARK.finditer(log):
        key = remark["key"]
        value = remark["value"]
        if key == "Function Name":
            kernels.append((value, {}))
            continue
        if not kernels or not value.isdigit():
            continue

        _, resources = kernels[-1]
        if key in _SPILL_KEYS:
            spills = resources.get("spills", 0)
            resources["spills"] = spills + int(value)
        elif key in _RESOURCE_FIELDS:
            field = _RESOURCE_FIELDS[key]
            resources[field] = int(value)

    return tuple(Resources(symbol=symbol, **resources) for symbol, resources in kernels)


def _iter_diagnostics(log: str) -> Iterator[Diagnostic]:
    for line in log.splitlines():
        message = _CLANG_MESSAGE.match(line) or _NVCC_MESSAGE.match(line)
        if message is None:
            continue

        severity = message["severity"]
        text = message["message"]
        # The linker names no place.
        path = message["path"] or ""
        line_number = message["line"] or 0

        yield Diagnostic(
            severity=_SEVERITIES.get(severity, severity),
            message=text[:1000],
            path=_portable_path(path),
            line=int(line_number),
        )


def _portable_path(path: str) -> str:
    """Name our own headers, and those of installed libraries, as a unit includes them.

    This machine's folders are left out.
    """
    library_header = _LIBRARY_VIEW.match(path)
    if library_header:
        return path[library_header.end() :]

    inside = path.removeprefix(f"{headers.ROOT}/")
    if inside == path:
        return path

    # the first folder is a tree of headers, which is on the include path
    return inside.partition("/")[2]
