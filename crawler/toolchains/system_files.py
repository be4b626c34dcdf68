"""What of this machine a stranger's source, or the program that it became, has to see.

A source names files by `#embed`, `#include` and `.incbin`, and a program opens them: whatever is
there can stand in what is stored.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from crawler.toolchains import discovery, installed_libclang
from crawler.toolchains.loaded_libraries import list_loaded_libraries

_HEADER_FOLDERS: Final = ("/usr/include", "/usr/local/include")
_GCC_FOLDERS: Final = ("/usr/lib/gcc", "/usr/lib64/gcc", "/usr/libexec/gcc")
# by which clang finds HIP
_HIP_FILES: Final = ("/usr/share/hip", "/usr/bin/.hipVersion")
_CUDA_FOLDERS: Final = ("/usr/local/cuda", "/opt/cuda")
_LIBRARY_FOLDERS: Final = ("/usr/lib", "/usr/lib64", "/lib", "/lib64")
_PROGRAMS: Final = ("bin/*", "*/*/cc1*", "*/*/collect2")
_SHARED_PREFIXES: Final = frozenset({Path("/"), Path("/usr"), Path("/usr/local")})
# clang calls the assembler and the linkers, nvcc and wrappers of ptxas these and a shell
_COMPILER_TOOLS: Final = (
    *("as", "objcopy", "gcc", "g++", "cc", "c++"),
    *("ld", "ld.bfd", "ld.gold", "ld.lld", "ld.lld-19", "ld.mold", "lld"),
    *("sh", "dirname", "basename", "rm", "cat", "uname"),
)
# of libc, libm, the C++ library and the compiler's own: what each program is linked with
_LINKED: Final = (
    *("crt*.o", "[gMrS]crt*.o", "ld-linux*", "libc.*", "libc_nonshared.a", "libm.*"),
    *("libm-*.a", "libmvec*", "libstdc++*", "libgcc_s*", "libatomic.*", "libgomp.*"),
    *("libpthread*", "libdl.*", "librt.*", "libutil.*"),
)
_RUNNING: Final = (
    *("ld-linux*", "libc.so.*", "libm.so.*", "libmvec.so.*", "libstdc++.so.*"),
    *("libgcc_s.so.*", "libatomic.so.*", "libgomp.so.*", "libpthread.so.*"),
    *("libdl.so.*", "librt.so.*", "libutil.so.*"),
)


@cache
def list_compiler_files() -> tuple[Path, ...]:
    """Return what compilers, assemblers and linkers consist of, and the headers of this machine."""
    tools = [*_find_tools(), *_list_own_folders()]
    programs = [tool for tool in tools if tool.is_file()]
    folders = [tool for tool in tools if tool.is_dir()]
    for folder in (*folders, *map(Path, _GCC_FOLDERS)):
        programs += _list_programs(folder)

    return (
        *tools,
        *list_loaded_libraries(programs),
        *_list_header_folders(),
        *_find_libraries(_LINKED),
    )


@cache
def list_runtime_files() -> tuple[Path, ...]:
    """Return what a program that was compiled here loads."""
    return tuple(_find_libraries(_RUNNING))


@cache
def list_parser_files() -> tuple[Path, ...]:
    """Return the headers of this machine, and what its Python consists of outside its prefix.

    The parser checks units as their compiler does, and clang looks for HIP first.
    """
    paths = sysconfig.get_paths()
    programs = (Path(sys.executable), Path(sys.executable).resolve())
    return (
        *programs,
        *_find_hip_files(),
        *(Path(paths[name]) for name in ("stdlib", "platstdlib")),
        *_list_library_folders(),
        *_list_header_folders(),
    )


def _find_tools() -> Iterator[Path]:
    tools = map(shutil.which, _COMPILER_TOOLS)
    clang, hipcc = discovery.find_clang(), discovery.find_hipcc()
    yield from (Path(name) for name in tools if name)
    yield from (tool.path for tool in (clang, hipcc) if tool)
    yield from filter(None, (discovery.find_ptxas(), discovery.find_nvcc()))


def _list_own_folders() -> Iterator[Path]:
    """Yield the folders that hold nothing but a toolchain."""
    for tool in (*map(Path.resolve, _find_tools()), *map(Path, _CUDA_FOLDERS)):
        root = tool.parents[1] if tool.parent.name == "bin" else tool
        if root.is_dir() and root not in _SHARED_PREFIXES:
            yield root.resolve()
            yield root

    yield from _find_hip_files()
    library = discovery.find_libdevice()
    if library:
        yield library


def _find_hip_files() -> Iterator[Path]:
    rocm = discovery.find_rocm()
    if rocm:
        yield from (rocm.bitcode, *map(Path, _HIP_FILES))


def _list_header_folders() -> Iterator[Path]:
    clang, rocm = discovery.find_clang(), discovery.find_rocm()
    parsing = installed_libclang.find_libclang_resource_dir()
    folders = [*map(Path, (*_HEADER_FOLDERS, *_GCC_FOLDERS))]
    folders += [parsing] if parsing else []
    folders += [clang.resource_dir] if clang else []
    folders += [rocm.include] if rocm else []
    for folder in folders:
        if folder.is_dir():
            yield folder
            yield folder.resolve()


def _list_library_folders() -> Iterator[Path]:
    """Yield the folders that libraries of this machine lie in, one for its architecture first."""
    architecture = sysconfig.get_config_var("MULTIARCH")
    for name in _LIBRARY_FOLDERS:
        folder = Path(name)
        if architecture and (folder / architecture).is_dir():
            yield folder / architecture
        elif name.endswith("64") and folder.is_dir():
            yield folder


def _find_libraries(patterns: tuple[str, ...]) -> Iterator[Path]:
    for folder in _list_library_folders():
        for pattern in patterns:
            yield from sorted(folder.glob(pattern))


def _list_programs(folder: Path) -> Iterator[Path]:
    """Yield what lies in a folder's `bin`, and the passes of gcc, one for each target."""
    for pattern in _PROGRAMS:
        for path in sorted(folder.glob(pattern)):
            if path.is_file():
                yield path.resolve()
