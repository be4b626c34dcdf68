"""Extensions and compilations recorded from a `setup.py`, as compile database entries."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from crawler.builds.checkout.source_scan import (
    DEVICE_SOURCE_SUFFIXES,
    HOST_SOURCE_SUFFIXES,
    get_suffix,
)
from crawler.builds.commands.database_entries import DatabaseEntry
from crawler.model import Dialect

# what torch's own extension builder adds
_STANDARD: Final = "-std=c++17"
_HELD_BACK: Final = (
    "HALF_OPERATORS",
    "HALF_CONVERSIONS",
    "BFLOAT16_CONVERSIONS",
    "HALF2_OPERATORS",
)
_NVCC: Final = ("nvcc", *(f"-D__CUDA_NO_{what}__" for what in _HELD_BACK))
_PLATFORM: Final = (
    "-D__HIP_PLATFORM_AMD__=1",
    "-DUSE_ROCM=1",
    "-DHIPBLAS_V2",
    "-DCUDA_HAS_FP16=1",
)
_HIPCC: Final = (
    "hipcc",
    *_PLATFORM,
    *(f"-D__HIP_NO_{what}__=1" for what in _HELD_BACK[:2]),
)
_COMPILERS: Final = {
    Dialect.CUDA: (_NVCC, ("g++",)),
    Dialect.HIP: (_HIPCC, ("g++", *_PLATFORM)),
}
_MOST: Final = 20_000


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
        for source in filter(_is_source, _listed(self.sources)):
            device = get_suffix(source) in DEVICE_SOURCE_SUFFIXES
            compiler = _COMPILERS[dialect][0 if device else 1]
            flags = [
                *self._flags("nvcc" if device else "cxx"),
                *self._macros(),
                *self._includes(),
            ]
            if get_suffix(source) != "c" and not any("std=" in flag for flag in flags):
                flags.append(_STANDARD)
            yield DatabaseEntry(
                file=source, directory=directory, arguments=[*compiler, *flags, source]
            )

    def _flags(self, compiler: str) -> list[str]:
        given = self.extra_compile_args
        return [
            *filter(
                _is_word,
                _listed(given.get(compiler) if isinstance(given, dict) else given),
            )
        ]

    def _macros(self) -> Iterator[str]:
        yield f"-DTORCH_EXTENSION_NAME={posixpath.basename(str(self.name).replace('.', '/'))}"
        for pair in _listed(self.define_macros):
            if isinstance(pair, list) and len(pair) == 2:
                yield f"-D{pair[0]}" if pair[1] is None else f"-D{pair[0]}={pair[1]}"
        yield from (
            f"-U{name}" for name in filter(_is_word, _listed(self.undef_macros))
        )

    def _includes(self) -> Iterator[str]:
        return (
            f"-I{folder}" for folder in filter(_is_word, _listed(self.include_dirs))
        )


class RecordedCompilation(msgspec.Struct):
    """A compiler that a project would have started by itself."""

    directory: str
    arguments: list[str]

    def make_entries(self) -> Iterator[DatabaseEntry]:
        """Yield an entry for each source on the command line."""
        for source in filter(_is_source, self.arguments[1:]):
            yield DatabaseEntry(
                file=source, directory=self.directory, arguments=self.arguments
            )


class RecordedSetup(msgspec.Struct):
    """All that one run of the stand-ins left."""

    extensions: list[RecordedExtension] = []
    compiled: list[RecordedCompilation] = []
    asked: list[str] = []
    """Variables of the environment that were asked for."""
    failed: bool = True

    def make_entries(self, dialect: Dialect) -> list[DatabaseEntry]:
        """Return an entry for every source."""
        declared = (
            entry for one in self.extensions for entry in one.make_entries(dialect)
        )
        started = (entry for one in self.compiled for entry in one.make_entries())
        return [
            entry
            for entries in (declared, started)
            for _, entry in zip(range(_MOST), entries, strict=False)
        ]


def _listed(value: object) -> list[Any]:
    return (
        value if isinstance(value, list) else [value] if isinstance(value, str) else []
    )


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _is_source(value: object) -> bool:
    return (
        isinstance(value, str)
        and not value.startswith("-")
        and get_suffix(value) in DEVICE_SOURCE_SUFFIXES | HOST_SOURCE_SUFFIXES
    )
