"""Read a kernel unit from a file, with the launch metadata written beside it."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

import msgspec

from crawler import headers
from crawler.cpp import language_standard, library_comment
from crawler.cpp.arguments import split_template_arguments
from crawler.cpp.masked.token_digest import compute_quick_token_digest
from crawler.errors import NoKernels, NotFound
from crawler.libraries.discovery import find_installed
from crawler.libraries.version_macros import UNKNOWN_VERSION
from crawler.model import (
    Dialect,
    FlagsOrigin,
    HostCode,
    HostCompanion,
    Instantiation,
    Kernel,
    KernelUnit,
    Launch,
    Layer,
    Parameter,
    Span,
    TemplateParameter,
)

# A unit is read here on machines without libclang too, and only two things are asked of its
# text: which kernel it instantiates, else which it defines. Units are written by us, in one
# shape, so that these need not be a parser.
_INSTANTIATION: Final = re.compile(
    r"^template\s+__global__\s+decltype"
    # arguments may hold `>)` themselves, as `void (*)(pair<int, int>)` does: what is
    # instantiated stands there twice
    r"\((?P<specialisation>(?P<name>[\w:]+)(?:<(?P<arguments>.*)>)?)\)\s+(?P=specialisation);",
    re.MULTILINE,
)
_DEFINITION: Final = re.compile(
    r"__global__(?:[^;{()]|__launch_bounds__\s*\([^)]*\))*?\b(?!__launch_bounds__\b)(\w+)\s*\("
)
_MAX_METADATA_BYTES: Final = 32 << 20


class UnitMetadata(msgspec.Struct):
    """What a `.json` of a dataset says of the kernel in the source beside it, as far as running
    it asks.
    """

    parameters: tuple[Parameter, ...] = ()
    template_parameters: tuple[TemplateParameter, ...] = ()
    attributes: tuple[str, ...] = ()
    launches: tuple[Launch, ...] = ()
    host: tuple[HostCode, ...] = ()
    companions: tuple[HostCompanion, ...] = ()
    source: str = ""


def read_unit(file: Path) -> KernelUnit:
    """Return the unit that a file holds; raises `NotFound` or `NoKernels`."""
    if not file.is_file():
        raise NotFound(f"there is no file {file}: give a kernel unit", code="no-file")

    text = file.read_text("utf-8", "replace")
    dialect = Dialect.HIP if file.suffix == ".hip" else Dialect.CUDA
    return KernelUnit(
        source=text,
        dialect=dialect,
        kernel_name=_find_kernel_name(text),
        instantiations=_find_instantiations(text),
        prelude=headers.headers_digest(),
        digest=hashlib.sha256(text.encode()).hexdigest(),
        token_digest=compute_quick_token_digest(text),
        standard=language_standard.read_recorded_standard(text),
        libraries=_describe_libraries(text),
    )


def _describe_libraries(text: str) -> tuple[tuple[str, str], ...]:
    """Return the libraries that a unit says it is compiled with, as they are installed here."""
    versions = []
    for name in library_comment.read_recorded_libraries(text):
        library = find_installed(name)
        versions.append((name, library.version if library else UNKNOWN_VERSION))

    return tuple(versions)


def read_kernel(file: Path) -> Kernel:
    """Return the kernel of a unit's file, with its launches where a `.json` beside it tells
    them.
    """
    unit = read_unit(file)
    metadata = _read_metadata(file.with_suffix(".json"))
    text = unit.source
    whole_file = Span(
        path=file.name,
        line=1,
        end_line=text.count("\n") + 1,
        offset=0,
        end_offset=len(text),
    )
    return Kernel(
        name=unit.kernel_name.rpartition("::")[2],
        qualified_name=unit.kernel_name,
        mangled="",
        dialect=unit.dialect,
        span=whole_file,
        found_by=Layer.SYNTACTIC,
        reason="a unit by itself",
        source=metadata.source or text,
        template_head="",
        parameters=metadata.parameters,
        template_parameters=metadata.template_parameters,
        attributes=metadata.attributes,
        instantiations=unit.instantiations,
        launches=metadata.launches,
        flags_origin=FlagsOrigin.SYNTHESISED,
        unit=unit,
        host=metadata.host,
        companions=metadata.companions,
    )


def _read_metadata(file: Path) -> UnitMetadata:
    """Return the metadata of a unit, empty where the file is absent or not of a dataset."""
    if not file.is_file() or file.stat().st_size > _MAX_METADATA_BYTES:
        return UnitMetadata()
    try:
        return msgspec.json.decode(file.read_bytes(), type=UnitMetadata)
    except msgspec.DecodeError:
        # any tool may have put a `.json` beside a source
        return UnitMetadata()


def _find_kernel_name(text: str) -> str:
    """Return the name of the kernel that a unit is about.

    It is what the unit instantiates, else the last kernel that it defines: what that calls
    stands above it.
    """
    instantiations = list(_INSTANTIATION.finditer(text))
    if instantiations:
        return instantiations[-1]["name"]

    defined_names = _DEFINITION.findall(text)
    if defined_names:
        return str(defined_names[-1])

    raise NoKernels("no kernel is defined in it: give a kernel unit")


def _find_instantiations(text: str) -> tuple[Instantiation, ...]:
    """Return the instantiations of the last kernel that a unit instantiates."""
    matches = list(_INSTANTIATION.finditer(text))
    if not matches:
        return ()

    last_name = matches[-1]["name"]
    instantiations: list[Instantiation] = []
    for match in matches:
        arguments = match["arguments"]
        # a kernel without template arguments is instantiated without angle brackets
        if match["name"] != last_name or not arguments:
            continue
        instantiation = Instantiation(
            arguments=tuple(split_template_arguments(arguments)),
            label=re.sub(r"\W+", "_", arguments),
        )
        instantiations.append(instantiation)
    return tuple(instantiations)
