"""Turns a compiler's command line, of whatever compiler, into flags for clang that only name the checkout's files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from crawler.builds.response import ResponseFiles, expand
from crawler.model import Dialect

_SYSTEM_INCLUDES: Final = ("/usr/include/", "/usr/local/include/")
_TOOLKITS: Final = re.compile(r"(?i)cuda|nvidia|rocm|/hip(?:/|$)|/torch(?:/|$)|/c\+\+(?:/|$)|linux-gnu(?:/|$)")
_STANDARD: Final = re.compile(r"(?:c|gnu)(?:\+\+)?[0-9a-z]{2}")
_MACRO: Final = re.compile(r"[A-Za-z_]\w*(?:\([^)=]*\))?(?:=.*)?", re.DOTALL)
_LAUNCHERS: Final = frozenset({"ccache", "sccache", "distcc", "env", "time", "nice", "icecc", "gomacc"})

_INCLUDES: Final = {
    "-I": "-I", "--include-path": "-I", "-isystem": "-isystem", "--system-include": "-isystem",
    "-iquote": "-iquote", "-idirafter": "-idirafter",
}  # fmt: skip
_FORCED: Final = {"-include": "-include", "--pre-include": "-include", "-imacros": "-imacros"}
_MACROS: Final = {"-D": "-D", "--define-macro": "-D", "-U": "-U", "--undefine-macro": "-U"}
_PASSED_ON: Final = frozenset({"-Xcompiler", "--compiler-options"})
_LANGUAGE: Final = frozenset({"-x", "--language"})
_LANGUAGES: Final = {"cu": Dialect.CUDA, "cuda": Dialect.CUDA, "hip": Dialect.HIP}
_VALUED: Final = frozenset(
    {"-o", "-MF", "-MT", "-MQ", "-MJ", "-L", "-l", "-T", "-u", "-z", "-target", "-framework", "-isysroot", "--sysroot"}
    | {"-ccbin", "--compiler-bindir", "-gencode", "--generate-code", "-arch", "-code", "--gpu-architecture"}
    | {"-Xptxas", "--ptxas-options", "-Xlinker", "--linker-options", "-Xnvlink", "-Xfatbin", "-Xassembler", "-Xclang"}
    | {"-Xarchive", "-Xcudafe", "-Xarch_host", "-Xarch_device", "-Xpreprocessor", "-mllvm", "-aux-info", "-dumpbase"}
    | {"-t", "--threads", "-odir", "--output-directory", "--output-file", "-maxrregcount", "--maxrregcount"}
    | {"-diag-suppress", "--diag-suppress", "-diag-error", "--diag-error", "-diag-warn", "--diag-warn", "--param"}
    | {"-default-stream", "--default-stream", "-std", "--std", "--machine", "-cudart", "--cudart", "-cudadevrt"}
    | {"--gpu-code", "-ldir", "--library-path", "--library", "-rdc", "--relocatable-device-code"}
)  # fmt: skip
_IMPLIED: Final = {
    "--expt-relaxed-constexpr": "-D__CUDACC_RELAXED_CONSTEXPR__",
    "-expt-relaxed-constexpr": "-D__CUDACC_RELAXED_CONSTEXPR__",
    "--expt-extended-lambda": "-D__CUDACC_EXTENDED_LAMBDA__",
    "-expt-extended-lambda": "-D__CUDACC_EXTENDED_LAMBDA__",
    "--extended-lambda": "-D__CUDACC_EXTENDED_LAMBDA__",
    "-extended-lambda": "-D__CUDACC_EXTENDED_LAMBDA__",
    "-dc": "-D__CUDACC_RDC__",
    "--device-c": "-D__CUDACC_RDC__",
    "-pthread": "-D_REENTRANT",
}
_KEPT: Final = frozenset(
    {"-fexceptions", "-fno-exceptions", "-frtti", "-fno-rtti", "-fms-extensions", "-fsigned-char", "-funsigned-char"}
    | {"-fshort-enums", "-fchar8_t", "-fno-char8_t", "-fdeclspec", "-fgnu-keywords", "-ffast-math", "-ansi"}
)
_JOINED: Final = re.compile(r"(-I|-D|-U|-isystem|-iquote|-idirafter|-include|-imacros|-x)=?(.+)", re.DOTALL)
_PATHS_DROPPED: Final = "a path outside the checkout"


@dataclass(slots=True)
class Flags:
    """The flags that clang gets, what the command said of the dialect, and what was left out and why."""

    arguments: list[str] = field(default_factory=list)
    dialect: Dialect | None = None
    dropped: list[str] = field(default_factory=list)


Placement = Callable[[str], str | None]
"""Maps a path of the command line to one relative to the checkout's root; `None` where it is outside."""


def normalise(command: Iterable[str], place: Placement, files: ResponseFiles) -> Flags:
    """Translate the words of a compiler's command line, its name included."""
    words = [word for word in expand(_without_launchers(list(command)), files) if "\0" not in word]
    flags = Flags(dialect=_compiler_dialect(words[0]) if words else None)
    _translate(iter(words[1:]), place, flags)
    flags.arguments = list(dict.fromkeys(_paired(flags.arguments)))
    flags.arguments = [word for pair in flags.arguments for word in pair.split("\0")]
    return flags


def _translate(words: Iterator[str], place: Placement, flags: Flags) -> None:
    for word in words:
        name, value = _split(word)
        if name in _IMPLIED:
            flags.arguments.append(_IMPLIED[name])
        elif name in _KEPT:
            flags.arguments.append(name)
        elif name in _TAKES_VALUE:
            _valued(name, next(words, "") if value is None else value, place, flags)


def _valued(name: str, value: str, place: Placement, flags: Flags) -> None:
    if name in _INCLUDES:
        _include(_INCLUDES[name], value, place, flags)
    elif name in _FORCED:
        _forced(_FORCED[name], value, place, flags)
    elif name in _MACROS and _MACRO.fullmatch(value):
        flags.arguments.append(_MACROS[name] + value)
    elif name in _PASSED_ON:
        _translate(iter(re.split(r"[,\s]+", value.replace('"', "").replace("'", ""))), place, flags)
    elif name in _LANGUAGE:
        flags.dialect = _LANGUAGES.get(value, flags.dialect)
    elif name in ("-std", "--std") and _STANDARD.fullmatch(value):
        flags.arguments.append(f"-std={value}")
    elif name in ("-rdc", "--relocatable-device-code") and value == "true":
        flags.arguments.append("-D__CUDACC_RDC__")
    elif name in ("-default-stream", "--default-stream") and value == "per-thread":
        flags.arguments.append("-DCUDA_API_PER_THREAD_DEFAULT_STREAM")


def _include(flag: str, path: str, place: Placement, flags: Flags) -> None:
    placed = place(path)
    if placed is None:
        absolute = posixpath.normpath(path) + "/"
        if not absolute.startswith(_SYSTEM_INCLUDES) or absolute in _SYSTEM_INCLUDES or _TOOLKITS.search(absolute):
            flags.dropped.append(f"{flag} {path}: {_PATHS_DROPPED}")
            return
        placed = posixpath.normpath(path)
    flags.arguments.extend([f"-I{placed}"] if flag == "-I" else [flag, placed])


def _forced(flag: str, path: str, place: Placement, flags: Flags) -> None:
    placed = place(path)
    if placed is None:
        flags.dropped.append(f"{flag} {path}: {_PATHS_DROPPED}")
    else:
        flags.arguments.extend([flag, placed])


def _split(word: str) -> tuple[str, str | None]:
    """Split `-Ipath`, `-isystem=path` and `--name=value` into their name and value."""
    if not word.startswith("-") or word in _TAKES_VALUE:
        return word, None
    name, equals, value = word.partition("=")
    if equals and name in _TAKES_VALUE:
        return name, value
    joined = _JOINED.fullmatch(word)
    return (joined.group(1), joined.group(2)) if joined else (word, None)


def _paired(arguments: list[str]) -> Iterator[str]:
    words = iter(arguments)
    for word in words:
        yield f"{word}\0{next(words, '')}" if word in _SEPARATE else word


def _without_launchers(words: list[str]) -> list[str]:
    """Cut `cd x && ccache A=b nvcc …` down to its compiler and what follows."""
    while "&&" in words and not posixpath.basename(words[0]).startswith(("nvcc", "hipcc")):
        words = words[words.index("&&") + 1 :]
    words = words[: words.index("&&")] if "&&" in words else words
    while len(words) > 1 and (posixpath.basename(words[0]) in _LAUNCHERS or re.fullmatch(r"\w+=.*", words[0])):
        words = words[1:]
    return words


def _compiler_dialect(compiler: str) -> Dialect | None:
    name = posixpath.basename(compiler)
    if name.startswith("nvcc"):
        return Dialect.CUDA
    return Dialect.HIP if name.startswith("hipcc") else None


_TAKES_VALUE: Final = frozenset(_INCLUDES) | frozenset(_FORCED) | frozenset(_MACROS) | _PASSED_ON | _LANGUAGE | _VALUED
_SEPARATE: Final = frozenset({"-isystem", "-iquote", "-idirafter", "-include", "-imacros"})
