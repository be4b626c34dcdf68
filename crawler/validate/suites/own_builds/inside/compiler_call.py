"""Parse calls of nvcc, hipcc and clang: what is compiled, into what, and how it is linked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from crawler.builds.commands.compiler_flags import (
    FORWARDING_FLAGS,
    LANGUAGE_DIALECTS,
    split_flag,
)
from crawler.builds.commands.compiler_flags import takes_value as is_valued
from crawler.builds.commands.response_files import expand_response_files
from crawler.model import Dialect

DEVICE_SUFFIXES: Final = (".cu", ".hip")
HOST_SUFFIXES: Final = (".cpp", ".cc", ".cxx", ".c++", ".C", ".c")
_HIPCC_SUFFIXES: Final = tuple(suffix for suffix in HOST_SUFFIXES if suffix != ".c")
"""Suffixes of C++ sources: hipcc compiles any of them as HIP."""
_MODES: Final = {
    **dict.fromkeys(("-c", "--compile", "-dc", "--device-c", "-dw"), "object"),
    **dict.fromkeys(("-dlink", "--device-link"), "device-link"),
    **dict.fromkeys(("-lib", "--lib"), "archive"),
    **dict.fromkeys(("-M", "-MM", "--generate-dependencies"), "dependencies"),
    **dict.fromkeys(("-E", "--preprocess"), "preprocess"),
    **dict.fromkeys(("-ptx", "--ptx", "-cubin", "--cubin"), "device-code"),
    **dict.fromkeys(("-fatbin", "--fatbin", "-optix-ir"), "device-code"),
}
_DEPENDENCY_SWITCHES: Final = ("-MD", "-MMD", "-MP")
_DEPENDENCY_FLAGS: Final = ("-MF", "-MT", "-MQ")
_OUTPUT_FLAGS: Final = ("-o", "--output-file")
_FOLDER_FLAGS: Final = ("-odir", "--output-directory")
_LINK_FLAGS: Final = ("-L", "-l", "--library-path", "--library")
_LANGUAGE_FLAGS: Final = ("-x", "--x")
_LINKER_FLAGS: Final = ("-Xlinker", "--linker-options")
_SHARED_SWITCHES: Final = ("-shared", "--shared")
_SHORT_LINK_FLAGS: Final = {"--library-path": "-L", "--library": "-l"}


@dataclass(slots=True, kw_only=True)
class CompilerCall:
    """A call of a compiler, taken apart."""

    tool: str = "nvcc"
    """Name by which it was called: `nvcc`, `hipcc`, `clang++`, `g++`, `c++`."""
    mode: str = "link"
    """`object`, `device-link`, `archive`, `dependencies`, `preprocess`, `device-code`, `link`."""
    sources: list[str] = field(default_factory=list)
    output: str = ""
    output_folder: str = ""
    language: str = ""
    """What `-x` names; the sources' suffixes say it else."""
    dependency_words: list[str] = field(default_factory=list)
    compile_words: list[str] = field(default_factory=list)
    """As the build spells them, without what the other fields hold."""
    link_words: list[str] = field(default_factory=list)
    """Objects, libraries and what is meant for the linker, in their order."""

    def is_device_source(self, source: str) -> bool:
        """Tell whether a source may hold kernels."""
        if self.language:
            return self.language in LANGUAGE_DIALECTS
        is_hip_by_tool = self.tool == "hipcc" and source.endswith(_HIPCC_SUFFIXES)
        return is_hip_by_tool or source.endswith(DEVICE_SUFFIXES)

    @property
    def has_device_source(self) -> bool:
        """Whether any source may hold kernels, as with `clang++ -x cuda k.cpp`."""
        return any(map(self.is_device_source, self.sources))

    def find_dialect(self, source: str) -> Dialect:
        """Return the dialect of a source with kernels."""
        if self.language in LANGUAGE_DIALECTS:
            return LANGUAGE_DIALECTS[self.language]
        is_hip = self.tool == "hipcc" or source.endswith(".hip")
        return Dialect.HIP if is_hip else Dialect.CUDA

    def name_object(self, source: str) -> str:
        """Return where the object of a source goes that is one of several."""
        name = f"{PurePosixPath(source).stem}.o"
        return f"{self.output_folder}/{name}" if self.output_folder else name


def read_compiler_call(words: Iterable[str], tool: str = "nvcc") -> CompilerCall:
    """Return the call whose words stand behind a compiler's name."""
    call = CompilerCall(tool=tool)
    expanded = expand_response_files(words, _read_file, for_nvcc=tool == "nvcc")
    _read_words(expanded, call)
    return call


def _read_file(path: str) -> str | None:
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        return None


def _read_words(words: Iterator[str], call: CompilerCall) -> None:
    for word in words:
        if not word.startswith("-") or word == "-":
            _add_file(word, call)
        elif word in _MODES:
            call.mode = _MODES[word]
            # relocatable device code has a macro
            call.compile_words.append(word)
        elif word in _SHARED_SWITCHES:
            call.link_words.append("-shared")
        elif word in _DEPENDENCY_SWITCHES:
            call.dependency_words.append(word)
        elif word.startswith("-Wl,") or _is_joined_library(word):
            call.link_words.append(word)
        else:
            _read_flag(word, words, call)


def _is_joined_library(word: str) -> bool:
    has_value = len(word) > len("-L") and "=" not in word
    return has_value and word[:2] in ("-L", "-l")


def _read_flag(word: str, words: Iterator[str], call: CompilerCall) -> None:
    name, value = split_flag(word)
    is_separate = value is None and is_valued(name)
    if is_separate:
        value = next(words, "")
    if value is None:
        call.compile_words.append(word)
        return

    if name in _OUTPUT_FLAGS:
        call.output = value
    elif name in _FOLDER_FLAGS:
        call.output_folder = value
    elif name in _DEPENDENCY_FLAGS:
        call.dependency_words += (name, value)
    elif name in _LANGUAGE_FLAGS:
        # `-x cuda k.cpp -x none k.o`: behind it stands what is linked
        call.language = call.language if value == "none" else value
    elif name in _LINK_FLAGS:
        call.link_words.append(_SHORT_LINK_FLAGS.get(name, name) + value)
    elif name in _LINKER_FLAGS:
        call.link_words += (f"-Wl,{part}" for part in value.split(",") if part)
    else:
        call.compile_words += (name, value) if is_separate else (word,)
        if name in FORWARDING_FLAGS:
            parts = _split_forwarded(value)
            call.link_words += (part for part in parts if part.startswith("-Wl,"))


def _split_forwarded(value: str) -> list[str]:
    # `-Wl,a,b` has commas of its own, and stands alone
    return [value] if value.startswith("-Wl,") else value.split(",")


def _add_file(word: str, call: CompilerCall) -> None:
    is_source = word.endswith((*DEVICE_SUFFIXES, *HOST_SUFFIXES))
    if is_source or (call.language and not word.endswith((".o", ".a", ".so"))):
        call.sources.append(word)
    else:
        call.link_words.append(word)
