"""Read a kernel unit from a file, with the launch metadata written beside it."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

import msgspec

from crawler import headers
from crawler.cpp import language_standard
from crawler.cpp.masked.token_digest import compute_quick_token_digest
from crawler.errors import NoKernels, NotFound
from crawler.model import (
    Dialect,
    FlagsOrigin,
    HostCode,
    Instantiation,
    Kernel,
    KernelUnit,
    Launch,
    Layer,
    Parameter,
    Span,
    TemplateParameter,
)

_INSTANTIATED: Final = re.compile(
    r"^template\s+__global__\s+decltype\(([\w:]+)(?:<(.*)>)?\)", re.MULTILINE
)
_DEFINED: Final = re.compile(
    r"__global__(?:[^;{()]|__launch_bounds__\s*\([^)]*\))*?\b(?!__launch_bounds__\b)(\w+)\s*\("
)
_LARGEST: Final = 32 << 20


class UnitMetadata(msgspec.Struct):
    """What a `.json` of a dataset says of the kernel in the source beside it, as far as running
    it asks.
    """

    parameters: tuple[Parameter, ...] = ()
    template_parameters: tuple[TemplateParameter, ...] = ()
    attributes: tuple[str, ...] = ()
    launches: tuple[Launch, ...] = ()
    host: tuple[HostCode, ...] = ()
    source: str = ""


def read_unit(file: Path) -> KernelUnit:
    """Return the unit that a file holds; raises `NotFound` or `NoKernels`."""
    if not file.is_file():
        raise NotFound(f"there is no file {file}: give a kernel unit", code="no-file")
    text = file.read_text("utf-8", "replace")
    return KernelUnit(
        source=text,
        dialect=Dialect.HIP if file.suffix == ".hip" else Dialect.CUDA,
        kernel_name=_kernel_name(text),
        instantiations=_instantiations(text),
        prelude=headers.headers_digest(),
        digest=hashlib.sha256(text.encode()).hexdigest(),
        token_digest=compute_quick_token_digest(text),
        standard=language_standard.read_recorded_standard(text),
    )


def read_kernel(file: Path) -> Kernel:
    """Return the kernel of a unit's file, with its launches where a `.json` beside it tells
    them.
    """
    unit = read_unit(file)
    beside = _beside(file.with_suffix(".json"))
    text = unit.source
    return Kernel(
        name=unit.kernel_name.rpartition("::")[2],
        qualified_name=unit.kernel_name,
        mangled="",
        dialect=unit.dialect,
        span=Span(
            path=file.name,
            line=1,
            end_line=text.count("\n") + 1,
            offset=0,
            end_offset=len(text),
        ),
        found_by=Layer.SYNTACTIC,
        reason="a unit by itself",
        source=beside.source or text,
        template_head="",
        parameters=beside.parameters,
        template_parameters=beside.template_parameters,
        attributes=beside.attributes,
        instantiations=unit.instantiations,
        launches=beside.launches,
        flags_origin=FlagsOrigin.SYNTHESISED,
        unit=unit,
        host=beside.host,
    )


def _beside(described: Path) -> UnitMetadata:
    """Return what is written beside a unit; nothing where that is not ours."""
    if not described.is_file() or described.stat().st_size > _LARGEST:
        return UnitMetadata()
    try:
        return msgspec.json.decode(described.read_bytes(), type=UnitMetadata)
    except msgspec.DecodeError:
        return UnitMetadata()


def _kernel_name(text: str) -> str:
    """Return the name of the kernel that a unit is about: what it instantiates, else the last
    that it defines.
    """
    instantiated = _INSTANTIATED.findall(text)
    if instantiated:
        return str(instantiated[-1][0])
    defined = _DEFINED.findall(text)
    if defined:
        return str(defined[-1])
    raise NoKernels("no kernel is defined in it: give a kernel unit")


def _instantiations(text: str) -> tuple[Instantiation, ...]:
    """Return the instantiations of the last kernel that a unit instantiates."""
    found = _INSTANTIATED.findall(text)
    last = found[-1][0] if found else ""
    written = [arguments for name, arguments in found if name == last and arguments]
    return tuple(
        Instantiation(arguments=_split(arguments), label=re.sub(r"\W+", "_", arguments))
        for arguments in written
    )


def _split(arguments: str) -> tuple[str, ...]:
    parts, depth = [""], 0
    for character in arguments:
        depth += (character in "<([{") - (character in ">)]}")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return tuple(part.strip() for part in parts)
