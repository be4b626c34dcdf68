"""Parse translation units with libclang against our headers."""

from __future__ import annotations

import ctypes
import os.path
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from clang import cindex

from crawler import headers
from crawler.cpp import language_standard
from crawler.errors import ParseFailed
from crawler.extract.clang.cursor import ClangUnit, SourceLocation
from crawler.extract.clang.precompiled_preludes import (
    PreludeVariant,
    clang_index,
    overlay_file,
    prepare_prelude,
    prepended_file,
)
from crawler.libraries.view import get_include_flags
from crawler.model import CompileCommand, Diagnostic, Dialect, FlagsOrigin
from crawler.toolchains.clang_flags import (
    get_dialect_defines,
    get_parse_flags,
    get_parse_prelude,
)
from crawler.toolchains.libclang_flags import (
    LIBCLANG_FLAGS,
    clang_resource_folder,
)

# `enum CXTranslationUnit_Flags`
_DETAILED_PREPROCESSING_RECORD: Final = 0x01
_KEEP_GOING: Final = 0x200
# record which macros are defined, and go on behind a fatal error
_PARSE_OPTIONS: Final = _KEEP_GOING | _DETAILED_PREPROCESSING_RECORD
_MAX_DIAGNOSTICS: Final = 50
_SEVERITY_NAMES: Final = {2: "warning", 3: "error", 4: "fatal"}
# raw text, before it is parsed: it says what to parse it with, and a header too much costs time
_LARGE_STD_HEADER: Final = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*<(?:algorithm|functional|iomanip|iostream|map|memory|mutex"
    r"|random|sstream|string|thread|unordered_map|vector)>",
    re.MULTILINE,
)
_GUESSED_ORIGINS: Final = frozenset({FlagsOrigin.COMPLETED, FlagsOrigin.SYNTHESISED})
# as raw, and of a unit's text; `at::` is the end of `cv::Mat::`, too
_TORCH_WORD: Final = re.compile(r"torch/|ATen/|c10/|THC/|pybind11/|(?<!\w)at::|TORCH_")


def parse_unit(
    root: Path,
    command: CompileCommand,
    *,
    has_torch: bool,
    has_host_library: bool = False,
    device_dialect: Dialect | None = None,
    libraries: tuple[str, ...] = (),
    replaced_files: Mapping[str, bytes] = MappingProxyType({}),
    prepended_text: str = "",
) -> ClangUnit:
    """Return libclang's translation unit of `command`; raises `ParseFailed` where there is none.

    `has_torch` and `has_host_library` say whether PyTorch, and the C++ library's headers for a
    host, are to be in it beforehand; `libraries` are read as they are installed, not as our shims
    of them. `replaced_files` holds what is read in place of some of the
    project's files; `prepended_text` is a text to read before the unit.
    """
    # the headers that most units need are parsed once, not for each unit
    variant = PreludeVariant(
        torch=has_torch,
        device=device_dialect,
        standard=language_standard.requested_standard(command.arguments),
        # the headers for PyTorch bring the C++ library along
        library=has_host_library and not has_torch,
    )
    arguments = _list_arguments(root, command, variant, libraries)

    unsaved_files: list[tuple[str, str | bytes]] = [
        (str(root / path), content) for path, content in replaced_files.items()
    ]

    further_arguments: list[str] = []
    if prepended_text:
        further_arguments = ["-include", prepended_file()]
        unsaved_files.append((prepended_file(), prepended_text.encode("latin-1")))

    problem: Exception | None = None
    # clang takes no precompiled header that was made under other rules of the language, of
    # `-ffast-math` or `-fno-rtti`: there its text serves
    for prelude_arguments in (
        _include_prelude(variant),
        _include_prelude_text(variant),
    ):
        try:
            return clang_index().parse(
                str(root / command.file),
                args=[*arguments, *prelude_arguments, *further_arguments],
                unsaved_files=unsaved_files,
                options=_PARSE_OPTIONS,
            )
        except cindex.TranslationUnitLoadError as error:
            problem = error

    raise ParseFailed(
        f"libclang gave nothing for {command.file}: {problem}"
    ) from problem


def _list_arguments(
    root: Path,
    command: CompileCommand,
    variant: PreludeVariant,
    libraries: tuple[str, ...],
) -> list[str]:
    dialect = command.dialect or Dialect.CUDA
    trusted_flags: tuple[str, ...] = ()
    library_flags: tuple[str, ...] = ()
    if command.origin in _GUESSED_ORIGINS:
        # a folder of that name somewhere in the tree need not be meant
        trusted_flags = get_include_flags(libraries, dialect, option="-I")
    else:
        library_flags = get_include_flags(libraries, dialect)

    return [
        "-working-directory",
        str(root / command.directory),
        "-resource-dir",
        clang_resource_folder(),
        *trusted_flags,
        *command.arguments,
        *get_dialect_defines(command.dialect),
        # in front of our shims
        *library_flags,
        *get_parse_flags(
            overlay_file(),
            standard=variant.standard,
            device_dialect=variant.device,
        ),
        *LIBCLANG_FLAGS,
    ]


def _include_prelude(variant: PreludeVariant) -> Sequence[str]:
    """Return the arguments that include a prelude, precompiled where that is possible."""
    precompiled = prepare_prelude(variant)
    if precompiled:
        return "-include-pch", precompiled

    return _include_prelude_text(variant)


def _include_prelude_text(variant: PreludeVariant) -> Sequence[str]:
    header = get_parse_prelude(
        with_torch=variant.torch,
        with_standard_library=variant.library,
    )
    return "-include", str(header)


def uses_torch(text: str) -> bool:
    """Tell whether a source names PyTorch, so that its shim must be in the parse."""
    return _TORCH_WORD.search(text) is not None


def uses_large_std_headers(text: str) -> bool:
    """Tell whether a source includes one of the C++ library's larger headers for a host."""
    return "#" in text and _LARGE_STD_HEADER.search(text) is not None


def collect_diagnostics(clang_unit: ClangUnit, root: Path) -> tuple[Diagnostic, ...]:
    """Return the unit's errors, at most 50."""
    diagnostics: list[Diagnostic] = []
    for clang_diagnostic in clang_unit.diagnostics:
        if clang_diagnostic.severity < cindex.Diagnostic.Error:
            continue
        if len(diagnostics) >= _MAX_DIAGNOSTICS:
            break

        location = clang_diagnostic.location
        path = None

        if location.file:
            path = path_in_checkout(location.file.name, root, "")

        diagnostics.append(
            Diagnostic(
                severity=_SEVERITY_NAMES[clang_diagnostic.severity],
                message=clang_diagnostic.spelling,
                path=path or "",
                line=location.line,
            )
        )

    return tuple(diagnostics)


def find_library_headers(clang_unit: ClangUnit) -> frozenset[str]:
    """Return which of our own headers a parse read behind its prelude, as `<cub/cub.cuh>`."""
    prefix = f"{headers.ROOT}/"
    names: set[str] = set()
    for inclusion in clang_unit.get_includes():
        path = inclusion.include.name
        if path.startswith(prefix):
            # the first folder says of which dialect a header is
            _, _, name = path.removeprefix(prefix).partition("/")
            names.add(f"<{name}>")
    return frozenset(names)


def path_in_checkout(file_name: str, root: Path, directory: str) -> str | None:
    """Return clang's name of a file relative to the checkout, or `None` for a file outside it."""
    path = file_name
    if not file_name.startswith("/"):
        path = f"{root}/{directory}/{file_name}"

    return _make_relative(path, str(root))


@cache
def _make_relative(path: str, root: str) -> str | None:
    normal_path = os.path.normpath(path)
    prefix = root.rstrip("/") + "/"
    if not normal_path.startswith(prefix):
        return None
    return normal_path[len(prefix) :]


def file_location(location: SourceLocation) -> tuple[str, int]:
    """Return (file, offset) of where a token was written.

    That is the argument of a macro rather than its expansion, which `location.offset` of the
    bindings tells. The file is empty where there is none.
    """
    file = cindex.c_object_p()
    offset = ctypes.c_uint()
    cindex.conf.lib.clang_getFileLocation(
        location,
        ctypes.byref(file),
        None,
        None,
        ctypes.byref(offset),
    )
    file_name = cindex.File(file).name if file else ""

    return file_name, int(offset.value)
