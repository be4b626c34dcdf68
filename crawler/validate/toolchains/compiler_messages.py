"""Parse the diagnostics and resource remarks that compilers print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler import headers
from crawler.model import Diagnostic, Resources

MAX_DIAGNOSTICS: Final = 50
_MESSAGE: Final = re.compile(
    r"^(?:(?P<path>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? )?"
    r"(?:[\w.+-]*(?:clang|lld)[\w.+-]*: )?(?P<severity>fatal error|error|warning|note): (?P<message>.*)$"
)
_OF_NVCC: Final = re.compile(
    r"^(?:(?P<path>[^\s:()][^\n()]{0,400})\((?P<line>\d+)\): |(?:ptxas|nvlink|nvcc|cicc)\b[^:;\n]{0,400}?(?:; )?)"
    r"(?P<severity>fatal error|catastrophic error|fatal|error|warning)\b(?: #[\w-]+)? *: (?P<message>.*)$"
)
_SEVERITIES: Final = {"fatal error": "fatal", "catastrophic error": "fatal"}
_REMARK: Final = re.compile(
    r"remark: +(?P<key>[\w ]+?)(?: \[[^\]]+\])?: (?P<value>\S+) \[-Rpass-analysis="
)
_FIELDS: Final = {
    "VGPRs": "registers",
    "SGPRs": "scalar_registers",
    "TotalSGPRs": "scalar_registers",
    "AGPRs": "accumulation_registers",
    "ScratchSize": "scratch_bytes",
    "LDS Size": "shared_bytes",
    "Occupancy": "occupancy",
}
_SPILLS: Final = frozenset({"SGPRs Spill", "VGPRs Spill"})


def parse_diagnostics(log: str) -> tuple[Diagnostic, ...]:
    """Return at most `KEPT` messages of clang and its linker, or of nvcc and its assembler,
    errors before the rest.
    """
    found = list(_messages(log))
    found.sort(key=lambda each: each.severity not in ("fatal", "error"))
    return tuple(found[:MAX_DIAGNOSTICS])


def parse_resource_remarks(log: str) -> tuple[Resources, ...]:
    """Return what each kernel uses, from the remarks of `-Rpass-analysis=kernel-resource-usage`."""
    kernels: list[tuple[str, dict[str, int]]] = []
    for remark in _REMARK.finditer(log):
        key, value = remark["key"], remark["value"]
        if key == "Function Name":
            kernels.append((value, {}))
        elif kernels and value.isdigit():
            used = kernels[-1][1]
            if key in _SPILLS:
                used["spills"] = used.get("spills", 0) + int(value)
            elif key in _FIELDS:
                used[_FIELDS[key]] = int(value)
    return tuple(Resources(symbol=symbol, **used) for symbol, used in kernels)


def _messages(log: str) -> Iterator[Diagnostic]:
    for line in log.splitlines():
        found = _MESSAGE.match(line) or _OF_NVCC.match(line)
        if found:
            yield Diagnostic(
                severity=_SEVERITIES.get(found["severity"], found["severity"]),
                message=found["message"][:1000],
                path=_shown(found["path"] or ""),
                line=int(found["line"] or 0),
            )


def _shown(path: str) -> str:
    """Name our own headers as a unit includes them, without this machine's folders."""
    inside = path.removeprefix(f"{headers.ROOT}/")
    return path if inside == path else inside.partition("/")[2]
