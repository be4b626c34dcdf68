"""Port kernel units and whole source files from CUDA to HIP."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import Final

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.cpp.masked.token_digest import compute_quick_token_digest
from crawler.errors import PortFailed
from crawler.model import Change, Dialect, Instantiation, KernelUnit, PortReport
from crawler.port import findings, wave_width
from crawler.port.rewrite import prepare_cuda, rewrite_to_hip
from crawler.port.tables import COMPATIBILITY_NAMES, RUNTIME_HEADERS

MAX_TEXT_LENGTH: Final = 16 << 20

_BYTE_ORDER_MARK: Final = "\ufeff"
_DEVICE_SPECIFIERS: Final = ("__global__", "__device__")


def port_unit(unit: KernelUnit) -> KernelUnit:
    """Return the HIP twin of a CUDA unit with its report; a HIP unit comes back unchanged.

    What the rules cannot port is named in the report's blockers, and the unit is returned all
    the same.
    Raises `PortFailed` where the text is too large to be a kernel unit.
    """
    if unit.dialect is Dialect.HIP:
        return unit

    source, report = _port_source(unit.source, is_whole_file=False)
    instantiations = tuple(
        _port_instantiation(instantiation) for instantiation in unit.instantiations
    )
    return replace(
        unit,
        source=source,
        dialect=Dialect.HIP,
        kernel_name=_port_fragment(unit.kernel_name),
        instantiations=instantiations,
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
    # The mark is no code: behind it `#include` begins its line, and nothing may precede it.
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    source, report = _port_source(text.removeprefix(mark), is_whole_file=True)
    masked = MaskedSource(source)
    header = _find_missing_header(masked)
    if not header or not _is_device_code(masked, report):
        return mark + source, report

    line = f"#include <{header}>"
    added = Change(rule="header", line=1, before="", after=line)
    report = replace(report, changes=(added, *report.changes))

    return f"{mark}{line}\n{source}", report


def _port_source(text: str, *, is_whole_file: bool) -> tuple[str, PortReport]:
    if len(text) > MAX_TEXT_LENGTH:
        raise PortFailed(
            f"{len(text)} characters are no source file: look at what was given",
            code="port-too-large",
        )

    source = MaskedSource(text)
    # What is found and warned of is CUDA: HIP has no words for it.
    prepared = prepare_cuda(source, is_whole_file=is_whole_file)
    if prepared.changes:
        source = MaskedSource(prepared.text)

    rewritten = rewrite_to_hip(source, is_whole_file=is_whole_file)

    changes = [*prepared.changes, *rewritten.changes]
    warnings = findings.find_warnings(source)
    report = PortReport(
        changes=tuple(sorted(changes, key=attrgetter("line"))),
        blockers=findings.find_blockers(source, is_whole_file=is_whole_file),
        warnings=warnings,
        wave=wave_width.infer_wave_width(rewritten.names, warnings),
    )

    return rewritten.text, report


@lru_cache(maxsize=4096)
def _port_fragment(text: str) -> str:
    return rewrite_to_hip(MaskedSource(text)).text


def _port_instantiation(instantiation: Instantiation) -> Instantiation:
    arguments = tuple(map(_port_fragment, instantiation.arguments))
    if arguments == instantiation.arguments:
        return instantiation

    # another type name is another mangled name
    return replace(instantiation, arguments=arguments, symbol="")


def _find_missing_header(source: MaskedSource) -> str:
    """Return the header that a HIP source needs and does not include, empty for none."""
    included = {source.text[start + 1 : end - 1] for start, end in source.header_ranges}
    if any(header.startswith("kernelset/") for header in included):
        return ""
    if not source.words.isdisjoint(COMPATIBILITY_NAMES):
        return "kernelset/hip.h"

    return "" if included & RUNTIME_HEADERS else "hip/hip_runtime.h"


def _is_device_code(source: MaskedSource, report: PortReport) -> bool:
    if report.changes or not source.words.isdisjoint(_DEVICE_SPECIFIERS):
        return True

    return "<<<" in source.code
