"""Parse translation units with libclang against our headers."""

from __future__ import annotations

import ctypes
import os.path
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from clang import cindex

from crawler.cpp import language_standard
from crawler.errors import ParseFailed
from crawler.extract.clang.precompiled_preludes import (
    NO_MODULES_FLAGS,
    PreludeVariant,
    clang_index,
    clang_resource_folder,
    overlay_file,
    prepare_prelude,
    prepended_file,
)
from crawler.model import CompileCommand, Diagnostic, Dialect
from crawler.toolchains.clang_flags import (
    get_dialect_defines,
    get_parse_flags,
    get_parse_prelude,
)

_OPTIONS: Final = (
    0x200 | 0x01
)  # keep going behind a fatal error; record which macros are defined
_MOST_DIAGNOSTICS: Final = 50
_SEVERITIES: Final = {2: "warning", 3: "error", 4: "fatal"}
_LIBRARY: Final = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*<(?:algorithm|functional|iomanip|iostream|map|memory|mutex|random|sstream|string"
    r"|thread|unordered_map|vector)>",
    re.MULTILINE,
)
_TORCH: Final = ("torch/", "ATen/", "c10/", "THC/", "pybind11/", "at::", "TORCH_")


def parse_unit(
    root: Path,
    command: CompileCommand,
    *,
    has_torch: bool,
    has_host_library: bool = False,
    device_dialect: Dialect | None = None,
    replaced_files: Mapping[str, bytes] = MappingProxyType({}),
    prepended_text: str = "",
) -> Any:
    """Return libclang's translation unit of `command`; raises `ParseFailed` where there is none
    at all.

    `has_torch` and `has_host_library` say whether PyTorch, and the C++ library's headers for a
    host, are to be in it beforehand.
    `replaced_files` holds what is read in place of some of the project's files;
    `prepended_text` is a text to read before the unit.
    """
    standard = language_standard.requested_standard(command.arguments)
    has_host_library = has_host_library and not has_torch
    made = prepare_prelude(
        PreludeVariant(
            torch=has_torch,
            device=device_dialect,
            standard=standard,
            library=has_host_library,
        )
    )
    forced = (
        ("-include-pch", made)
        if made
        else (
            "-include",
            str(
                get_parse_prelude(
                    with_torch=has_torch, with_standard_library=has_host_library
                )
            ),
        )
    )
    arguments = [
        *(
            "-working-directory",
            str(root / command.directory),
            "-resource-dir",
            clang_resource_folder(),
        ),
        *command.arguments,
        *get_dialect_defines(command.dialect),
        *get_parse_flags(
            overlay_file(), standard=standard, device_dialect=device_dialect
        ),
        *NO_MODULES_FLAGS,
        *forced,
    ]
    unsaved = [(str(root / path), content) for path, content in replaced_files.items()]
    if prepended_text:
        arguments += ["-include", prepended_file()]
        unsaved.append((prepended_file(), prepended_text.encode("latin-1")))
    try:
        return clang_index().parse(
            str(root / command.file),
            args=arguments,
            unsaved_files=unsaved,
            options=_OPTIONS,
        )
    except cindex.TranslationUnitLoadError as error:
        raise ParseFailed(
            f"libclang gave nothing for {command.file}: {error}"
        ) from error


def uses_torch(text: str) -> bool:
    """Tell whether a source names PyTorch, so that its shim must be in the parse."""
    return any(word in text for word in _TORCH)


def uses_large_std_headers(text: str) -> bool:
    """Tell whether a source includes one of the C++ library's larger headers for a host."""
    return "#" in text and _LIBRARY.search(text) is not None


def collect_diagnostics(clang_unit: Any, root: Path) -> tuple[Diagnostic, ...]:
    """Return the unit's errors, at most 50."""
    found: list[Diagnostic] = []
    for diagnostic in clang_unit.diagnostics:
        if (
            diagnostic.severity >= cindex.Diagnostic.Error
            and len(found) < _MOST_DIAGNOSTICS
        ):
            where = diagnostic.location
            path = path_in_checkout(where.file.name, root, "") if where.file else ""
            severity = _SEVERITIES[diagnostic.severity]
            found.append(
                Diagnostic(
                    severity=severity,
                    message=diagnostic.spelling,
                    path=path or "",
                    line=where.line,
                )
            )
    return tuple(found)


class _Ranges(ctypes.Structure):
    _fields_ = (
        ("count", ctypes.c_uint),
        ("ranges", ctypes.POINTER(cindex.SourceRange)),
    )


def find_skipped_ranges(
    clang_unit: Any, root: Path, directory: str
) -> list[tuple[str, int, int]]:
    """Return (path, start, end) of what the preprocessor left out of the project's files."""
    library = cindex.conf.lib
    library.clang_getAllSkippedRanges.restype = ctypes.POINTER(_Ranges)
    library.clang_getAllSkippedRanges.argtypes = [cindex.TranslationUnit]
    library.clang_disposeSourceRangeList.argtypes = [ctypes.POINTER(_Ranges)]
    listed = library.clang_getAllSkippedRanges(clang_unit)
    places = []
    for one in listed.contents.ranges[: listed.contents.count]:
        (name, start), (_, end) = file_location(one.start), file_location(one.end)
        path = path_in_checkout(name, root, directory) if name else None
        if path is not None:
            places.append((path, start, end))
    library.clang_disposeSourceRangeList(listed)
    return places


def path_in_checkout(file_name: str, root: Path, directory: str) -> str | None:
    """Return clang's name of a file relative to the checkout, or `None` for a file outside it."""
    path = file_name if file_name.startswith("/") else f"{root}/{directory}/{file_name}"
    return _relative(path, str(root))


@cache
def _relative(path: str, root: str) -> str | None:
    normal = os.path.normpath(path)
    prefix = root.rstrip("/") + "/"
    return normal[len(prefix) :] if normal.startswith(prefix) else None


def file_location(location: Any) -> tuple[str, int]:
    """Return (file, offset) of where a token was written: the argument of a macro rather than
    its expansion.

    Python's own `location.offset` is that of the expansion.
    """
    file, offset = cindex.c_object_p(), ctypes.c_uint()
    cindex.conf.lib.clang_getFileLocation(
        location, ctypes.byref(file), None, None, ctypes.byref(offset)
    )
    return (cindex.File(file).name if file else ""), int(offset.value)
