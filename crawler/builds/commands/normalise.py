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
    extract_compiler_name,
    find_compiler_invocation,
)
from crawler.builds.commands.named_paths import (
    PathMapper,
    is_system_library,
    protect_path,
    relocate_named_header,
)
from crawler.builds.commands.response_files import (
    ResponseFileReader,
    expand_response_files,
)
from crawler.model import Dialect

# the value of `-D`
_MACRO: Final = re.compile(r"([A-Za-z_]\w*)(?:\([^)=]*\))?(?:=.*)?", re.DOTALL)
# the name of a program
_CL: Final = re.compile(r"(?i)(?:clang-)?(?:cl|icl)(?:\.exe)?$")
_OUTSIDE_CHECKOUT: Final = "a path outside the checkout"
_MISSING_FILE: Final = "a file that is not there"


@dataclass(slots=True)
class NormalisedFlags:
    """The flags that clang gets, and what else a command says."""

    arguments: list[str] = field(default_factory=list)
    dialect: Dialect | None = None
    is_language_explicit: bool = False
    """Whether the command names its language (`-x`), rather than the compiler's name telling it."""
    offload_archs: tuple[str, ...] = ()
    dropped_paths: list[str] = field(default_factory=list)
    """Paths that clang does not get, and why."""
    ignored_flags: list[str] = field(default_factory=list)
    """Flags that mean nothing to a parse, or that clang does not know."""


def normalise_command(
    command: Iterable[str],
    map_path: PathMapper,
    read_response_file: ResponseFileReader,
    *,
    exists: Callable[[str], bool] = lambda _: True,
) -> NormalisedFlags:
    """Translate the words of a compiler's command line, its name included.

    `exists` tells whether the checkout has a file: a forced include that is not there would
    end the parse.
    """
    invocation = find_compiler_invocation(
        [word for word in command if "\0" not in word]
    )
    folder = invocation.folder
    name = extract_compiler_name(invocation.words)

    expanded_words = expand_response_files(
        invocation.words[1:],
        lambda path: read_response_file(posixpath.join(folder, path)),
        for_nvcc=_is_nvcc(name),
    )

    words: Iterator[str] = (word for word in expanded_words if "\0" not in word)

    if _CL.match(name):
        words = translate_cl_words(words)

    translator = _FlagTranslator(
        lambda path: map_path(posixpath.join(folder, path)),
        exists,
        dialect=_get_compiler_dialect(name),
    )

    translator.translate(words)

    return translator.finish()


class _FlagTranslator:
    """Translates the flags of one command, word by word."""

    def __init__(
        self,
        map_path: PathMapper,
        exists: Callable[[str], bool],
        *,
        dialect: Dialect | None,
    ) -> None:
        self._map_path = map_path
        self._exists = exists
        self._flags = NormalisedFlags(dialect=dialect)
        # keyed by what a later flag replaces or repeats: a macro, an include path, the standard
        self._words: dict[tuple[str, str], tuple[str, ...]] = {}
        self._includes_by_root = False

    def finish(self) -> NormalisedFlags:
        # last, so that it hides no file of another folder
        if self._includes_by_root:
            self._words.setdefault(("-I", "."), ("-I.",))

        for words in self._words.values():
            self._flags.arguments += words

        return self._flags

    def translate(self, words: Iterator[str], *, is_forwarded: bool = False) -> None:
        """Translate the words; `is_forwarded` for those behind `-Xcompiler` and its like."""
        for word in words:
            if is_forwarded:
                word = translate_cl_macro(word)

            name, value = split_flag(word)
            if value is None and takes_value(name):
                value = next(words, "")

            # one level deep: -Xcompiler=-Xcompiler=-DX is meant for no compiler
            if name in FORWARDING_FLAGS and value is not None and not is_forwarded:
                self._translate_forwarded(value)
            elif not self._translate_flag(name, value):
                self._note_ignored(name, value)

    def _translate_forwarded(self, value: str) -> None:
        # -Xcompiler "-fPIC,-DX" and --compiler-options '-DY -Wall'
        unquoted = value.replace('"', "").replace("'", "")
        self.translate(iter(re.split(r"[,\s]+", unquoted)), is_forwarded=True)

    def _note_ignored(self, name: str, value: str | None) -> None:
        # words without a dash are sources and objects
        if not name.startswith("-") or name in OUTPUT_FLAGS:
            return

        flag = name
        if value is not None:
            flag = f"{name} {value}"

        self._flags.ignored_flags.append(flag)

    def _translate_flag(self, name: str, value: str | None) -> bool:
        """Tell whether a flag means something to a parse."""
        if value is None:
            return self._translate_switch(name)
        if name in INCLUDE_FLAGS:
            return self._add_include_path(INCLUDE_FLAGS[name], value)
        if name in FORCED_INCLUDE_FLAGS:
            return self._add_forced_include(FORCED_INCLUDE_FLAGS[name], value)
        if name in MACRO_FLAGS:
            return self._set_macro(MACRO_FLAGS[name], value)
        if name in LANGUAGE_FLAGS:
            return self._set_language(value)
        if name in STANDARD_FLAGS:
            return self._set_standard(value)

        if name in arch_flags.ARCH_FLAGS:
            self._add_archs(value)
            return False

        # -rdc=true and --rdc true mean the same
        implied = VALUE_IMPLIED_MACROS.get((name.lstrip("-"), value))

        return implied is not None and self._add_implied_macro(implied)

    def _translate_switch(self, name: str) -> bool:
        if name in IMPLIED_MACROS:
            return self._add_implied_macro(IMPLIED_MACROS[name])

        if name == "-cuda":
            if self._flags.dialect is None:
                self._flags.dialect = Dialect.CUDA

            return True

        if name in KEPT_FLAGS:
            self._words[name, ""] = (name,)
            return True

        return False

    def _add_include_path(self, flag: str, path: str) -> bool:
        mapped_path = self._map_path(path) if path else None
        if mapped_path is None:
            mapped_path = posixpath.normpath(path)
            if not is_system_library(mapped_path):
                self._drop_path(flag, path, _OUTSIDE_CHECKOUT)
                return True

        words: tuple[str, ...] = (flag, protect_path(mapped_path))
        if flag == "-I":
            words = (f"-I{mapped_path}",)

        self._words.setdefault((flag, mapped_path), words)

        return True

    def _add_forced_include(self, flag: str, path: str) -> bool:
        mapped_path = self._map_path(path) if path else None
        if mapped_path is None:
            self._drop_path(flag, path, _OUTSIDE_CHECKOUT)
        elif not self._exists(mapped_path):
            self._drop_path(flag, path, _MISSING_FILE)
        else:
            words = (flag, protect_path(mapped_path))
            self._words.setdefault((flag, mapped_path), words)

        return True

    def _drop_path(self, flag: str, path: str, reason: str) -> None:
        self._flags.dropped_paths.append(f"{flag} {path}: {reason}")

    def _add_implied_macro(self, define: str) -> bool:
        return self._set_macro("-D", define.removeprefix("-D"))

    def _set_macro(self, flag: str, value: str) -> bool:
        """Define or undefine a macro; of several flags about one macro the last counts."""
        match = _MACRO.fullmatch(value)
        if match is None:
            return False

        relocated_value = relocate_named_header(value, self._map_path, self._exists)
        self._includes_by_root |= relocated_value != value
        self._words["macro", match[1]] = (flag + relocated_value,)

        return True

    def _set_language(self, value: str) -> bool:
        # a language of C makes a host source; `none`, which ends an earlier `-x`, says nothing
        if value in LANGUAGE_DIALECTS or value.startswith("c"):
            self._flags.dialect = LANGUAGE_DIALECTS.get(value)
            self._flags.is_language_explicit = True

        return True

    def _set_standard(self, value: str) -> bool:
        if not STANDARD_PATTERN.fullmatch(value):
            return False

        # cl alone knows `latest`
        standard = value.replace("latest", "23")
        self._words["-std", ""] = (f"-std={standard}",)

        return True

    def _add_archs(self, value: str) -> None:
        new_archs = arch_flags.parse_offload_archs(value)

        archs = dict.fromkeys(self._flags.offload_archs)
        archs.update(dict.fromkeys(new_archs))
        self._flags.offload_archs = tuple(archs)[: arch_flags.MAX_ARCHS]


def _is_nvcc(name: str) -> bool:
    return name.lower().startswith("nvcc")


def _get_compiler_dialect(name: str) -> Dialect | None:
    if _is_nvcc(name):
        return Dialect.CUDA

    return Dialect.HIP if name.lower().startswith("hipcc") else None
