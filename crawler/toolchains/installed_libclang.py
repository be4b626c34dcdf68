"""Find the libclang that a distribution installs with its compiler, and clang's own headers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from crawler.toolchains.discovery import NEWEST_CLANG, OLDEST_CLANG, find_clang

# The bindings are of version 18. Their numbers of cursors and types were held against these.
_TRIED_VERSIONS: Final = (19,)
# of Debian and Fedora; inside the sandbox these folders are seen
_FILES: Final = (
    "usr/lib/*-linux-gnu/libclang-{version}.so.1",
    "usr/lib64/libclang.so.{version}*",
    "usr/lib64/llvm{version}/lib*/libclang.so.{version}*",
)
_RESOURCE_FOLDERS: Final = (
    "/usr/lib/llvm-{version}/lib/clang/{version}",
    "/usr/lib/clang/{version}",
)


@cache
def find_installed_libclang() -> Path | None:
    """Return a libclang of a version that the bindings were tried with, `None` without one.

    The compiler judges a unit by rules of its own version: libclang 18 takes templates that
    clang 19 refuses, as one that names a member which its class does not have.
    """
    for version in _TRIED_VERSIONS:
        # a libclang is of no use without its headers
        if _find_headers(version) is None:
            continue
        for pattern in _FILES:
            for path in sorted(Path("/").glob(pattern.format(version=version))):
                return path

    return None


@cache
def find_libclang_resource_dir() -> Path | None:
    """Return the folder of clang's own headers that libclang parses with.

    That is the one of its version; else the oldest from version 18 on, which the libclang that
    comes with its bindings has.
    """
    versions = range(OLDEST_CLANG, NEWEST_CLANG + 1)
    tried = _TRIED_VERSIONS if find_installed_libclang() else ()
    for version in (*tried, *versions):
        folder = _find_headers(version)
        if folder is not None:
            return folder

    clang = find_clang()
    return clang.resource_dir if clang else None


def _find_headers(version: int) -> Path | None:
    for name in _RESOURCE_FOLDERS:
        folder = Path(name.format(version=version))
        if (folder / "include/__clang_cuda_builtin_vars.h").is_file():
            return folder
    return None
