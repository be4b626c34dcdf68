"""Ports a kernel unit, or any file, from CUDA to HIP."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import Final

from crawler.errors import PortFailed
from crawler.model import Change, Dialect, Instantiation, KernelUnit, PortReport
from crawler.port import classify, portability
from crawler.port.rewrite import rewrite
from crawler.port.rules import COMPATIBILITY, RUNTIME_HEADERS
from crawler.port.spread import spread
from crawler.visible import Visible, token_digest

TEXT_LIMIT: Final = 16 << 20


def port(unit: KernelUnit) -> KernelUnit:
    """Return the HIP twin of a CUDA unit with its report; a HIP unit comes back unchanged.

    What the rules cannot port is named in the report's blockers, and the unit is returned all the same.
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
        instantiations=tuple(_ported_instantiation(each) for each in unit.instantiations),
        digest=hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest(),
        token_digest=token_digest(source),
        making=(),
        ported_from=unit.digest,
        port_report=report,
    )


def port_text(text: str) -> tuple[str, PortReport]:
    """Return a whole source file in HIP, with the headers that it needs there, and the report.

    Raises `PortFailed` where the text is too large to be a source file.
    """
    source, report = _ported(text, whole=True)
    seen = Visible(source)
    missing = _missing_header(seen)
    if not missing or not _is_device_code(seen, report):
        return source, report
    line = f"#include <{missing}>\n"
    added = Change(rule="header", line=1, before="", after=line.rstrip())
    return line + source, replace(report, changes=(added, *report.changes))


def _ported(text: str, *, whole: bool) -> tuple[str, PortReport]:
    if len(text) > TEXT_LIMIT:
        raise PortFailed(f"{len(text)} characters are no source file: look at what was given", code="port-too-large")
    seen, branched = spread(Visible(text))
    rewritten = rewrite(seen, whole=whole)
    warnings = classify.warnings(seen)
    report = PortReport(
        changes=tuple(sorted([*branched, *rewritten.changes], key=attrgetter("line"))),
        blockers=classify.blockers(seen, whole=whole),
        warnings=warnings,
        wave=portability.wave(seen.words | rewritten.names, warnings),
    )
    return rewritten.text, report


@lru_cache(maxsize=4096)
def _renamed(text: str) -> str:
    return rewrite(Visible(text)).text


def _ported_instantiation(instantiation: Instantiation) -> Instantiation:
    arguments = tuple(map(_renamed, instantiation.arguments))
    if arguments == instantiation.arguments:
        return instantiation
    # another type name is another mangled name
    return replace(instantiation, arguments=arguments, symbol="")


def _missing_header(seen: Visible) -> str:
    included = {seen.text[start + 1 : end - 1] for start, end in seen.headers}
    if any(header.startswith("kernelset/") for header in included):
        return ""
    if not seen.words.isdisjoint(COMPATIBILITY):
        return "kernelset/hip.h"
    return "" if included & RUNTIME_HEADERS else "hip/hip_runtime.h"


def _is_device_code(seen: Visible, report: PortReport) -> bool:
    return bool(report.changes) or not seen.words.isdisjoint(("__global__", "__device__")) or "<<<" in seen.code
