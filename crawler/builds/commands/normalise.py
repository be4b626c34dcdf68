"""Normalise any compiler command line into clang flags with paths relative to the checkout."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from crawler.builds.commands import arch_flags
from crawler.builds.commands.compiler_flags import (
    FORCED_INCLUDE_FLAGS,
    FORWARDING_FLAGS,
    IMPLIED_MACROS,
    INCLUDE_FLAGS,
    KEPT_FLAGS,
    LANGUAGE_DIALECTS,
    LANGUAGE_FLAGS,
    MACRO_FLAGS,
    OUTPUT_FLAGS,
    STANDARD_FLAGS,
    STANDARD_PATTERN,
    VALUE_IMPLIED_MACROS,
    split_flag,
    takes_value,
    translate_cl_macro,
    translate_cl_words,
)
from crawler.builds.commands.launchers import (
    Invocation,
    extract_compiler_name,
    find_compiler_invocation,
)
from crawler.builds.commands.response_files import (
    ResponseFileReader,
    expand_response_files,
)
from crawler.model import Dialect

PathMapper = Callable[[str], str | None]
"""Maps a path of the command line to one relative to the checkout's root; `None` where it is
outside.
"""
_SYSTEM_INCLUDES: Final = ("/usr/include/", "/usr/local/include/")
_TOOLKITS: Final = re.compile(
    r"(?i)cuda|nvidia|rocm|/hip(?:/|$)|/torch(?:/|$)|/c\+\+(?:/|$)|linux-gnu(?:/|$)"
)
_MACRO: Final = re.compile(r"([A-Za-z_]\w*)(?:\([^)=]*\))?(?:=.*)?", re.DOTALL)
_PATHS_DROPPED: Final = "a path outside the checkout"
_ABSENT: Final = "a file that is not there"


@dataclass(slots=True)
class NormalisedFlags:
    """The flags that clang gets, what the command said of dialect and device, and what was left
    out.
    """

    arguments: list[str] = field(default_factory=list)
    dialect: Dialect | None = None
    is_language_explicit: bool = False
    """Whether the command names its language (`-x`), rather than the compiler's name telling it."""
    offload_archs: tuple[str, ...] = ()
    dropped_paths: list[str] = field(default_factory=list)
    """Paths that clang does not get, and why."""
    ignored_flags: list[str] = field(default_factory=list)
    """Flags that mean nothing to a parse, or that clang does not know."""


@dataclass(slots=True)
class _Translation:
    place: PathMapper
    is_there: Callable[[str], bool]
    words: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    flags: NormalisedFlags = field(default_factory=NormalisedFlags)


def normalise_command(
    command: Iterable[str],
    map_path: PathMapper,
    read_response_file: ResponseFileReader,
    *,
    exists: Callable[[str], bool] = lambda _: True,
) -> NormalisedFlags:
    """Translate the words of a compiler's command line, its name included.

    `exists` tells whether the checkout has a file: a forced include that is not there would end
    the parse.
    """
    invocation = find_compiler_invocation(
        [word for word in command if "\0" not in word]
    )
    name = extract_compiler_name(invocation.words)
    does = _Translation(place=_from(invocation, map_path), is_there=exists)
    does.flags.dialect = _compiler_dialect(name)
    given = expand_response_files(
        invocation.words[1:],
        lambda path: read_response_file(posixpath.join(invocation.folder, path)),
        for_nvcc=_nvcc(name),
    )
    words = (word for word in given if "\0" not in word)
    _translate(
        translate_cl_words(words)
        if re.match(r"(?i)(?:clang-)?(?:cl|icl)(?:\.exe)?$", name)
        else words,
        does,
    )
    does.flags.arguments = [word for said in does.words.values() for word in said]
    return does.flags


def _translate(
    words: Iterator[str], does: _Translation, *, passed_on: bool = False
) -> None:
    for word in words:
        name, value = split_flag(translate_cl_macro(word) if passed_on else word)
        if value is None and takes_value(name):
            value = next(words, "")
        if name in FORWARDING_FLAGS and value is not None and not passed_on:
            _translate(
                iter(re.split(r"[,\s]+", value.replace('"', "").replace("'", ""))),
                does,
                passed_on=True,
            )
        elif (
            not _understood(name, value, does)
            and name.startswith("-")
            and name not in OUTPUT_FLAGS
        ):
            does.flags.ignored_flags.append(
                name if value is None else f"{name} {value}"
            )


def _understood(name: str, value: str | None, does: _Translation) -> bool:
    if value is None:
        return _alone(name, does)
    for names, translate in _VALUED:
        if name in names:
            return translate(name, value, does)
    implied = VALUE_IMPLIED_MACROS.get((name.lstrip("-"), value))
    return implied is not None and _macro("-D", implied[2:], does)


def _alone(name: str, does: _Translation) -> bool:
    if name in IMPLIED_MACROS:
        return _macro("-D", IMPLIED_MACROS[name][2:], does)
    if name == "-cuda" and does.flags.dialect is None:
        does.flags.dialect = Dialect.CUDA
    if name in KEPT_FLAGS:
        does.words[name, ""] = (name,)
    return name in KEPT_FLAGS or name == "-cuda"


def _include(name: str, path: str, does: _Translation) -> bool:
    flag, placed = INCLUDE_FLAGS[name], does.place(path) if path else None
    if placed is None:
        absolute = posixpath.normpath(path) + "/"
        if (
            not absolute.startswith(_SYSTEM_INCLUDES)
            or absolute in _SYSTEM_INCLUDES
            or _TOOLKITS.search(absolute)
        ):
            does.flags.dropped_paths.append(f"{flag} {path}: {_PATHS_DROPPED}")
            return True
        placed = posixpath.normpath(path)
    does.words.setdefault(
        (flag, placed), (f"-I{placed}",) if flag == "-I" else (flag, _plain(placed))
    )
    return True


def _forced(name: str, path: str, does: _Translation) -> bool:
    flag, placed = FORCED_INCLUDE_FLAGS[name], does.place(path) if path else None
    if placed is None or not does.is_there(placed):
        does.flags.dropped_paths.append(
            f"{flag} {path}: {_PATHS_DROPPED if placed is None else _ABSENT}"
        )
    else:
        does.words.setdefault((flag, placed), (flag, _plain(placed)))
    return True


def _define(name: str, value: str, does: _Translation) -> bool:
    return _macro(MACRO_FLAGS[name], value, does)


def _macro(flag: str, value: str, does: _Translation) -> bool:
    """Of several words about one macro the last counts."""
    found = _MACRO.fullmatch(value)
    if found:
        does.words["macro", found[1]] = (flag + value,)
    return bool(found)


def _language(_: str, value: str, does: _Translation) -> bool:
    if value in LANGUAGE_DIALECTS or value.startswith("c"):
        does.flags.dialect, does.flags.is_language_explicit = (
            LANGUAGE_DIALECTS.get(value),
            True,
        )
    return True


def _standard(_: str, value: str, does: _Translation) -> bool:
    if STANDARD_PATTERN.fullmatch(value):
        does.words["-std", ""] = (f"-std={value.replace('latest', '23')}",)
        return True
    return False


def _archs(_: str, value: str, does: _Translation) -> bool:
    named = (*does.flags.offload_archs, *arch_flags.parse_offload_archs(value))
    does.flags.offload_archs = tuple(dict.fromkeys(named))[: arch_flags.MAX_ARCHS]
    return False


def _plain(path: str) -> str:
    """Keep a path from being read as a flag or as a response file where it is a word of its own."""
    return f"./{path}" if path.startswith(("-", "@")) else path


def _from(invocation: Invocation, place: PathMapper) -> PathMapper:
    return lambda path: place(posixpath.join(invocation.folder, path))


def _nvcc(name: str) -> bool:
    return name.lower().startswith("nvcc")


def _compiler_dialect(name: str) -> Dialect | None:
    if _nvcc(name):
        return Dialect.CUDA
    return Dialect.HIP if name.lower().startswith("hipcc") else None


_VALUED: Final = (
    (INCLUDE_FLAGS, _include), (FORCED_INCLUDE_FLAGS, _forced), (MACRO_FLAGS, _define), (LANGUAGE_FLAGS, _language), (STANDARD_FLAGS, _standard),
    (arch_flags.ARCH_FLAGS, _archs),
)  # fmt: skip
