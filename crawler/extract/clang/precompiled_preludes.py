"""Precompile our preludes once per machine and hand them to the parsing processes.

`python -m crawler.extract.clang.precompiled_preludes FOLDER VARIANT` makes one; it reads
nothing of a stranger's.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from clang import cindex

from crawler import cache as folders
from crawler import codec, headers, process
from crawler.cpp import language_standard
from crawler.errors import MissingTool
from crawler.headers.overlay import render_overlay
from crawler.model import Dialect
from crawler.process import Limits
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_parse_flags, get_parse_prelude

_FOR_SERIALISATION: Final = 0x02 | 0x10
# libclang 18 writes a precompiled header of C++20 with modules, and then cannot read it
NO_MODULES_FLAGS: Final = ("-Xclang", "-fno-cxx-modules")
_NAME: Final = "prelude.pch"
_LOCAL: Final = (
    Path("/usr/include"),
    Path("/usr/include/c++"),
    Path("/usr/local/include"),
)
_IMPOSSIBLE: Final[set[str]] = set()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreludeVariant:
    """A prelude as one kind of parse wants it."""

    torch: bool
    device: Dialect | None
    """Whose device code shows; none in a parse of the host side."""
    standard: str
    library: bool = False
    """Whether the C++ library's headers for a host are in it; those for PyTorch bring them
    anyway.
    """


@cache
def clang_index() -> Any:
    """Return the libclang of this process."""
    # excludeDecls leaves out the precompiled prelude, and shows template instantiations as the
    # compiler made them
    return cindex.Index.create(excludeDecls=True)


def clang_resource_folder() -> str:
    """Return the folder of clang's own headers; raises `MissingTool`."""
    found = discovery.find_libclang_resource_dir()
    if found is None:
        raise MissingTool(
            "clang's own headers are not installed: run `deploy/bootstrap`"
        )
    return str(found)


@cache
def scratch_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that lives as long as this process."""
    return tempfile.TemporaryDirectory(prefix="kernelset-parse-")


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
    flags = get_parse_flags(
        overlay_file(), standard=variant.standard, device_dialect=variant.device
    )
    arguments = [
        "-resource-dir",
        clang_resource_folder(),
        *flags,
        *NO_MODULES_FLAGS,
        "-fpch-instantiate-templates",
    ]
    try:
        header = str(
            get_parse_prelude(
                with_torch=variant.torch, with_standard_library=variant.library
            )
        )
        clang_index().parse(header, args=arguments, options=_FOR_SERIALISATION).save(
            str(target)
        )
    except (cindex.TranslationUnitLoadError, cindex.TranslationUnitSaveError):
        return False
    return True


def load_shared_prelude(variant: PreludeVariant) -> bytes:
    """Return a precompiled prelude of this machine's cache; empty where none can be made."""
    key = _key(variant)
    if variant.standard not in language_standard.KNOWN_STANDARDS or key in _IMPOSSIBLE:
        return b""

    def filled(folder: Path) -> bool:
        argv = [
            sys.executable,
            "-m",
            __name__,
            str(folder / _NAME),
            codec.encode(variant).decode(),
        ]
        return process.run(argv, limits=Limits(seconds=120)).exit_code == 0

    made = folders.get_or_build(f"prelude-{key}", filled, required_file=_NAME)
    if made is None:
        _IMPOSSIBLE.add(key)
    return (made / _NAME).read_bytes() if made else b""


provide_prelude: Callable[[PreludeVariant], bytes] = load_shared_prelude
"""Where this process has its preludes from."""


@cache
def prepare_prelude(variant: PreludeVariant) -> str:
    """Return the path of a precompiled prelude that serves this process; empty where there is
    none.

    One that was lent may be of other headers than those that are seen here: then it is made
    anew.
    """
    target = Path(scratch_folder().name, f"{'-'.join(map(str, astuple(variant)))}.pch")
    content = provide_prelude(variant)
    if content:
        target.write_bytes(content)
        if _serves(variant, target):
            return str(target)
    return str(target) if precompile_prelude(variant, target) else ""


def _serves(variant: PreludeVariant, prelude: Path) -> bool:
    flags = get_parse_flags(
        overlay_file(), standard=variant.standard, device_dialect=variant.device
    )
    arguments = [
        "-resource-dir",
        clang_resource_folder(),
        *flags,
        *NO_MODULES_FLAGS,
        "-include-pch",
        str(prelude),
    ]
    try:
        unit = clang_index().parse(
            "probe.cu", args=arguments, unsaved_files=[("probe.cu", "")]
        )
    except cindex.TranslationUnitLoadError:
        return False
    return not any(one.severity >= cindex.Diagnostic.Error for one in unit.diagnostics)


@cache
def _key(variant: PreludeVariant) -> str:
    # clang refuses a precompiled header when a header's time has changed, even if its content
    # has not
    seen = (*headers.list_header_files(), Path(str(cindex.conf.lib._name)), *_LOCAL)
    state = tuple(
        (str(path), path.stat().st_mtime_ns) for path in seen if path.exists()
    )
    told = (
        astuple(variant),
        clang_resource_folder(),
        NO_MODULES_FLAGS,
        discovery.toolchain_digest(),
        state,
    )
    return hashlib.sha256(repr(told).encode()).hexdigest()


def main() -> int:
    """Make the prelude that the command line names."""
    return (
        0
        if precompile_prelude(
            codec.decode(sys.argv[2], PreludeVariant), Path(sys.argv[1])
        )
        else 1
    )


if __name__ == "__main__":
    raise SystemExit(main())
