"""Precompile our preludes once per machine and hand them to the parsing processes.

`python -m crawler.extract.clang.precompiled_preludes FILE VARIANT` makes one; it reads our own
headers only.
"""

from __future__ import annotations

import ctypes
import hashlib
import sys
import tempfile
from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from typing import Final

from clang import cindex

from crawler import cache as folders
from crawler import codec, headers, process
from crawler.cpp import language_standard
from crawler.extract.clang.cursor import ClangIndex
from crawler.headers.overlay import render_overlay
from crawler.model import Dialect
from crawler.process_limits import Limits
from crawler.sandbox.process_folders import make_prefix
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_parse_flags, get_parse_prelude
from crawler.toolchains.installed_libclang import find_installed_libclang
from crawler.toolchains.libclang_flags import (
    LIBCLANG_FLAGS,
    clang_resource_folder,
    get_unit_check_flags,
)

# `CXTranslationUnit_Incomplete` and `CXTranslationUnit_ForSerialization`
_SERIALISATION_OPTIONS: Final = 0x02 | 0x10
_FILE_NAME: Final = "prelude.pch"
_UNIT_HEADER: Final = "/kernelset-unit/prelude.h"
"""Stands for a file that includes the prelude of a unit; it is in memory alone."""
_SYSTEM_FOLDERS: Final = (
    Path("/usr/include"),
    Path("/usr/include/c++"),
    Path("/usr/local/include"),
)
_IMPOSSIBLE_KEYS: Final[set[str]] = set()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreludeVariant:
    """A prelude as one kind of parse, or the check of a unit, wants it."""

    torch: bool
    device: Dialect | None
    """Whose device code shows; none in a parse of the host side."""
    standard: str
    library: bool = False
    """Whether the C++ library's headers for a host are in it; those for PyTorch bring them
    anyway.
    """
    unit_prelude: str = ""
    """What a unit for `device` that is checked includes first, such as `<kernelset/hip.h>`;
    empty where a source is parsed.
    """


def _load_libclang() -> None:
    """Have the bindings load the compiler's own libclang, where there is one."""
    installed = find_installed_libclang()
    if installed is None or cindex.Config.loaded:
        return
    try:
        ctypes.CDLL(str(installed))
    except OSError:
        # a library that it needs is not seen: the one of the bindings needs none
        return
    cindex.Config.set_library_file(str(installed))


@cache
def clang_index() -> ClangIndex:
    """Return the libclang of this process."""
    _load_libclang()
    # excludeDecls leaves out the precompiled prelude, and shows template instantiations as the
    # compiler made them
    index: ClangIndex = cindex.Index.create(excludeDecls=True)
    return index


@cache
def scratch_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that lives as long as this process."""
    return tempfile.TemporaryDirectory(prefix=make_prefix("parse"))


@cache
def prepended_file() -> str:
    """Return the name of a file whose content a parse brings along."""
    file = Path(scratch_folder().name, "also.h")
    file.touch()
    return str(file)


@cache
def overlay_file() -> Path:
    """Return the file with the names of our headers, as this process shows them to clang."""
    file = Path(scratch_folder().name, "headers.yaml")
    file.write_text(render_overlay(), "utf-8")
    return file


def precompile_prelude(variant: PreludeVariant, target: Path) -> bool:
    """Precompile a prelude to a file, in this process; tell whether libclang could.

    Its templates are instantiated in it, else clang would do that again at the end of every
    unit: 0.1 s each.
    """
    arguments = [
        *_common_arguments(variant),
        "-fpch-instantiate-templates",
    ]

    header, unsaved_files = _choose_header(variant)
    try:
        unit = clang_index().parse(
            header,
            args=arguments,
            unsaved_files=unsaved_files,
            options=_SERIALISATION_OPTIONS,
        )
        unit.save(str(target))
    except (cindex.TranslationUnitLoadError, cindex.TranslationUnitSaveError):
        return False

    return True


def _choose_header(variant: PreludeVariant) -> tuple[str, list[tuple[str, str]]]:
    """Return the name of a prelude's file, and its content where there is no such file."""
    if variant.unit_prelude:
        return _UNIT_HEADER, [(_UNIT_HEADER, f"#include {variant.unit_prelude}\n")]

    header = get_parse_prelude(
        with_torch=variant.torch,
        with_standard_library=variant.library,
    )
    return str(header), []


def load_shared_prelude(variant: PreludeVariant) -> bytes:
    """Return a precompiled prelude of this machine's cache; empty where none can be made."""
    # a process that parses what strangers wrote asks for it
    is_known = variant.standard in language_standard.KNOWN_STANDARDS
    if not is_known or not _is_ours(variant.unit_prelude):
        return b""

    key = _compute_key(variant)
    if key in _IMPOSSIBLE_KEYS:
        return b""

    def build(folder: Path) -> bool:
        # in a process of its own: libclang may crash; it imports nothing from a stranger's folder
        argv = [
            sys.executable,
            "-P",
            "-m",
            __name__,
            str(folder / _FILE_NAME),
            codec.encode(variant).decode(),
        ]
        result = process.run(argv, limits=Limits(seconds=120))
        return result.exit_code == 0

    folder = folders.get_or_build(f"prelude-{key}", build, required_file=_FILE_NAME)
    if folder is None:
        _IMPOSSIBLE_KEYS.add(key)
        return b""

    return (folder / _FILE_NAME).read_bytes()


def _is_ours(unit_prelude: str) -> bool:
    """Tell whether nothing is included but one of our own headers."""
    return not unit_prelude or unit_prelude in {
        f"<kernelset/{path.name}>" for path in headers.ROOT.glob("*/kernelset/*")
    }


provide_prelude: Callable[[PreludeVariant], bytes] = load_shared_prelude
"""Where this process has its preludes from."""


@cache
def prepare_prelude(variant: PreludeVariant) -> str:
    """Return the path of a precompiled prelude that serves this process; empty without one.

    One that was lent may be of other headers than those that are seen here: then it is made
    anew.
    """
    file_name = "-".join(str(value) for value in astuple(variant)).replace("/", "-")
    target = Path(scratch_folder().name, f"{file_name}.pch")

    content = provide_prelude(variant)

    if content:
        target.write_bytes(content)
        if _is_usable(variant, target):
            return str(target)

    return str(target) if precompile_prelude(variant, target) else ""


def _is_usable(variant: PreludeVariant, prelude: Path) -> bool:
    """Tell whether an empty unit parses with a prelude."""
    arguments = [
        *_common_arguments(variant),
        "-include-pch",
        str(prelude),
    ]

    try:
        unit = clang_index().parse(
            "probe.cu", args=arguments, unsaved_files=[("probe.cu", "")]
        )
    except cindex.TranslationUnitLoadError:
        return False

    return not any(
        diagnostic.severity >= cindex.Diagnostic.Error
        for diagnostic in unit.diagnostics
    )


def _common_arguments(variant: PreludeVariant) -> list[str]:
    if variant.unit_prelude and variant.device:
        return list(get_unit_check_flags(variant.device, variant.standard))

    return [
        "-resource-dir",
        clang_resource_folder(),
        *get_parse_flags(
            overlay_file(),
            standard=variant.standard,
            device_dialect=variant.device,
        ),
        *LIBCLANG_FLAGS,
    ]


@cache
def _compute_key(variant: PreludeVariant) -> str:
    # clang refuses a precompiled header when a header's time has changed, even if its content
    # has not
    library = find_installed_libclang() or Path(str(cindex.conf.get_filename()))
    dependencies = (*headers.list_header_files(), library, *_SYSTEM_FOLDERS)
    modification_times = tuple(
        (str(path), path.stat().st_mtime_ns) for path in dependencies if path.exists()
    )
    inputs = (
        astuple(variant),
        # clang refuses one that was made under other rules of the language
        get_parse_flags(
            Path(), standard=variant.standard, device_dialect=variant.device
        ),
        clang_resource_folder(),
        LIBCLANG_FLAGS,
        discovery.toolchain_digest(),
        modification_times,
    )

    return hashlib.sha256(repr(inputs).encode()).hexdigest()


def main() -> int:
    """Make the prelude that the command line names; the exit status is 1 where that fails."""
    target = Path(sys.argv[1])
    variant = codec.decode(sys.argv[2], PreludeVariant)
    return 0 if precompile_prelude(variant, target) else 1


if __name__ == "__main__":
    raise SystemExit(main())
