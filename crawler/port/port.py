"""Port kernel units and whole source files from CUDA to HIP."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import Final

from crawler.cpp.masked_source import MaskedSource
from crawler.cpp.token_digest import compute_quick_token_digest
from crawler.errors import PortFailed
from crawler.model import Change, Dialect, Instantiation, KernelUnit, PortReport
from crawler.port import findings, wave_width
from crawler.port.rewrite import rewrite_to_hip
from crawler.port.tables import COMPATIBILITY_NAMES, RUNTIME_HEADERS
from crawler.ptx.conditional_assembly import split_conditional_assembly

MAX_TEXT_LENGTH: Final = 16 << 20


def port_unit(unit: KernelUnit) -> KernelUnit:
    """Return the HIP twin of a CUDA unit with its report; a HIP unit comes back unchanged.

    What the rules cannot port is named in the report's blockers, and the unit is returned all
    the same.
    Raises `PortFailed` where the text is too large to be a kernel unit.
    """
    if unit.dialect is Dialect.HIP:
        return unit
    source, report = _ported(unit.source, whole=False)
    return replace(
        unit,
        source=source,
        dialect=Dialect.HIP,
        kernel_name=_renamed(unit.kernel_name),
        instantiations=tuple(
            _ported_instantiation(each) for each in unit.instantiations
        ),
        digest=hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest(),
        token_digest=compute_quick_token_digest(source),
        making=(),
        ported_from=unit.digest,
        port_report=report,
    )


def port_text(text: str) -> tuple[str, PortReport]:
    """Return a whole source file in HIP, with the headers that it needs there, and the report.

    Raises `PortFailed` where the text is too large to be a source file.
    """
    source, report = _ported(text, whole=True)
    seen = MaskedSource(source)
    missing = _missing_header(seen)
    if not missing or not _is_device_code(seen, report):
        return source, report
    line = f"#include <{missing}>\n"
    added = Change(rule="header", line=1, before="", after=line.rstrip())
    return line + source, replace(report, changes=(added, *report.changes))


def _ported(text: str, *, whole: bool) -> tuple[str, PortReport]:
    if len(text) > MAX_TEXT_LENGTH:
        raise PortFailed(
            f"{len(text)} characters are no source file: look at what was given",
            code="port-too-large",
        )
    seen, branched = split_conditional_assembly(MaskedSource(text))
    rewritten = rewrite_to_hip(seen, is_whole_file=whole)
    warnings = findings.find_warnings(seen)
    report = PortReport(
        changes=tuple(sorted([*branched, *rewritten.changes], key=attrgetter("line"))),
        blockers=findings.find_blockers(seen, is_whole_file=whole),
        warnings=warnings,
        wave=wave_width.infer_wave_width(seen.words | rewritten.names, warnings),
    )
    return rewritten.text, report


@lru_cache(maxsize=4096)
def _renamed(text: str) -> str:
    return rewrite_to_hip(MaskedSource(text)).text


def _ported_instantiation(instantiation: Instantiation) -> Instantiation:
    arguments = tuple(map(_renamed, instantiation.arguments))
    if arguments == instantiation.arguments:
        return instantiation
    # another type name is another mangled name
    return replace(instantiation, arguments=arguments, symbol="")


def _missing_header(seen: MaskedSource) -> str:
    included = {seen.text[start + 1 : end - 1] for start, end in seen.header_ranges}
    if any(header.startswith("kernelset/") for header in included):
        return ""
    if not seen.words.isdisjoint(COMPATIBILITY_NAMES):
        return "kernelset/hip.h"
    return "" if included & RUNTIME_HEADERS else "hip/hip_runtime.h"


def _is_device_code(seen: MaskedSource, report: PortReport) -> bool:
    return (
        bool(report.changes)
        or not seen.words.isdisjoint(("__global__", "__device__"))
        or "<<<" in seen.code
    )
