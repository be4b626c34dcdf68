"""Extensions and compilations recorded from a `setup.py`, as compile database entries."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import msgspec

from crawler.builds.commands.database_entries import DatabaseEntry
from crawler.checkout.source_scan import (
    DEVICE_SOURCE_SUFFIXES,
    HOST_SOURCE_SUFFIXES,
    get_suffix,
)
from crawler.model import Dialect

# The flags that torch.utils.cpp_extension adds to those of a project.
_DEFAULT_STANDARD: Final = "-std=c++17"
_NVCC: Final = (
    "nvcc",
    "-D__CUDA_NO_HALF_OPERATORS__",
    "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
    "-D__CUDA_NO_HALF2_OPERATORS__",
)
_ROCM_MACROS: Final = (
    "-D__HIP_PLATFORM_AMD__=1",
    "-DUSE_ROCM=1",
    "-DHIPBLAS_V2",
    "-DCUDA_HAS_FP16=1",
)
_HIPCC: Final = (
    "hipcc",
    *_ROCM_MACROS,
    "-D__HIP_NO_HALF_OPERATORS__=1",
    "-D__HIP_NO_HALF_CONVERSIONS__=1",
)
_DEVICE_COMPILERS: Final = {Dialect.CUDA: _NVCC, Dialect.HIP: _HIPCC}
_HOST_COMPILERS: Final = {Dialect.CUDA: ("g++",), Dialect.HIP: ("g++", *_ROCM_MACROS)}
_SOURCE_SUFFIXES: Final = DEVICE_SOURCE_SUFFIXES | HOST_SOURCE_SUFFIXES
_MAX_ENTRIES: Final = 20_000
"""For all extensions, and for all compilations."""


class RecordedExtension(msgspec.Struct):
    """An extension as a project declares it: each field may be anything, and one that is odd
    spoils no other.
    """

    name: Any = ""
    directory: Any = ""
    sources: Any = None
    include_dirs: Any = None
    define_macros: Any = None
    undef_macros: Any = None
    extra_compile_args: Any = None

    def make_entries(self, dialect: Dialect) -> Iterator[DatabaseEntry]:
        """Yield what compiling each source would look like."""
        directory = self.directory if _is_word(self.directory) else "."
        for source in filter(_is_source, _as_list(self.sources)):
            # torch decides by the suffix alone, so a `.cpp` is host code here.
            is_device_source = get_suffix(source) in DEVICE_SOURCE_SUFFIXES
            compilers = _DEVICE_COMPILERS if is_device_source else _HOST_COMPILERS
            flags = [
                *self._list_flags("nvcc" if is_device_source else "cxx"),
                *self._iter_macro_flags(),
                *self._iter_include_flags(),
            ]

            has_standard = any("std=" in flag for flag in flags)

            if get_suffix(source) != "c" and not has_standard:
                flags.append(_DEFAULT_STANDARD)

            yield DatabaseEntry(
                file=source,
                directory=directory,
                arguments=[*compilers[dialect], *flags, source],
            )

    def _list_flags(self, compiler: str) -> list[str]:
        flags = self.extra_compile_args
        # `{"cxx": ["-O3"], "nvcc": ["-O3", "--use_fast_math"]}`, as torch takes it.
        if isinstance(flags, dict):
            flags = flags.get(compiler)

        return list(filter(_is_word, _as_list(flags)))

    def _iter_macro_flags(self) -> Iterator[str]:
        # The last part of a dotted name: `_C` of `mmcv._C`.
        module = posixpath.basename(str(self.name).replace(".", "/"))
        yield f"-DTORCH_EXTENSION_NAME={module}"

        for pair in _as_list(self.define_macros):
            if not isinstance(pair, list) or len(pair) != 2:
                continue

            name, value = pair
            yield f"-D{name}" if value is None else f"-D{name}={value}"

        for name in filter(_is_word, _as_list(self.undef_macros)):
            yield f"-U{name}"

    def _iter_include_flags(self) -> Iterator[str]:
        for folder in filter(_is_word, _as_list(self.include_dirs)):
            yield f"-I{folder}"


class RecordedCompilation(msgspec.Struct):
    """A compiler that a project would have started by itself."""

    directory: str
    arguments: list[str]

    def make_entries(self) -> Iterator[DatabaseEntry]:
        """Yield an entry for each source on the command line."""
        for source in filter(_is_source, self.arguments[1:]):
            yield DatabaseEntry(
                file=source,
                directory=self.directory,
                arguments=self.arguments,
            )


class RecordedSetup(msgspec.Struct):
    """All that one run of the stand-ins left."""

    extensions: list[RecordedExtension] = []
    compiled: list[RecordedCompilation] = []
    read_variables: list[str] = []
    """Names of the environment's variables that it read."""
    failed: bool = True

    def make_entries(self, dialect: Dialect) -> list[DatabaseEntry]:
        """Return an entry for every source."""
        declared: list[DatabaseEntry] = []
        for extension in self.extensions:
            remaining = _MAX_ENTRIES - len(declared)
            declared.extend(islice(extension.make_entries(dialect), remaining))

        compiled: list[DatabaseEntry] = []
        for compilation in self.compiled:
            remaining = _MAX_ENTRIES - len(compiled)
            compiled.extend(islice(compilation.make_entries(), remaining))

        return declared + compiled


def _as_list(value: object) -> list[Any]:
    if isinstance(value, list):
        return value

    return [value] if isinstance(value, str) else []


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _is_source(value: object) -> bool:
    if not isinstance(value, str) or value.startswith("-"):
        return False

    return get_suffix(value) in _SOURCE_SUFFIXES
