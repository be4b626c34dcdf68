"""Kernels, launches and macros of a translation unit, as its text shows them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from crawler.cpp.arguments import split_at_top_level_commas
from crawler.cpp.lexer import TokenKind
from crawler.cpp.preprocessor.macros import Macro, find_macros
from crawler.cpp.source_text import SourceFiles, SourceText
from crawler.cpp.template_argument_text import is_universal_argument
from crawler.extract.syntax.kernel_definitions import (
    KernelDefinition,
    find_kernel_definitions,
)
from crawler.extract.syntax.launch_syntax import (
    LAUNCH_CALLS,
    STRUCT_LAUNCH_CALLS,
    LaunchText,
    find_launches,
)
from crawler.extract.syntax.launch_wrappers import LaunchWrappers
from crawler.extract.syntax.macro_kernels import find_kernel_macros, find_macro_kernels
from crawler.extract.syntax.macro_launches import MacroLaunches

_GLOBAL: Final = "__global__"
_LONGEST_CALL: Final = 4_000
_EXPLICIT: Final = re.compile(r"(?<!\.)(?<!->)(?<!::)(?<!\w)template\s+[A-Za-z_/]")
"""`template` in front of what is no parameter list; behind a dot, an arrow or a scope it names
a member.
"""


class UnitText:
    """The files of one translation unit, as text."""

    def __init__(self, sources: SourceFiles, files: tuple[str, ...]) -> None:
        self.sources = sources
        self.files = files
        self._macros: dict[str, list[Macro]] = defaultdict(list)
        for path in files:
            for macro in find_macros(sources[path]):
                self._macros[macro.name].append(macro)
        known = [macro for named in self._macros.values() for macro in named]
        making = find_kernel_macros(known)
        words = find_kernel_markers(known).difference(making)
        self.definitions = {
            path: (
                *find_kernel_definitions(sources[path], words),
                *find_macro_kernels(sources[path], making),
            )
            for path in files
        }
        self.kernel_names = frozenset(
            found.name for listed in self.definitions.values() for found in listed
        )
        self.launches = {path: find_launches(sources[path]) for path in files}
        self.macro_launches = MacroLaunches(sources, self._macros)
        self.launched_names = frozenset(
            text.name for texts in self.launches.values() for text in texts
        )
        self.launch_wrappers = LaunchWrappers(sources, self.launches)
        self._launched: dict[
            tuple[str, int, str, tuple[str, ...]], LaunchText | None
        ] = {}
        self._explicit: dict[str, frozenset[str]] = {}

    def find_missing_definitions(
        self, known_definitions: Collection[tuple[str, str]]
    ) -> list[tuple[str, KernelDefinition]]:
        """Return the definitions of which no (path, name) is in `known_definitions`."""
        listed = (
            (path, found)
            for path, all_found in self.definitions.items()
            for found in all_found
        )
        return [
            (path, found)
            for path, found in listed
            if not found.is_in_macro and (path, found.name) not in known_definitions
        ]

    def contains_text(self, word: str) -> bool:
        """Tell whether any of the files holds a word, or one that begins so."""
        return any(word in self.sources[path].raw for path in self.files)

    def find_use_words(self, names: Iterable[str]) -> frozenset[str]:
        """Return the words that may stand for a use of these kernels: their names, and macros
        that lead to one.
        """
        wanted = {
            *names,
            *LAUNCH_CALLS,
            *STRUCT_LAUNCH_CALLS,
            *self.launch_wrappers.names,
        }
        known = [macro for named in self._macros.values() for macro in named]
        launching = {macro.name for macro in known if "<<<" in macro.text}
        while True:
            reached = {
                m.name
                for m in known
                if m.name not in wanted
                and (m.used_names & wanted or m.name in launching)
            }
            if not reached:
                return frozenset(wanted)
            wanted |= reached

    def expand_aliases(self, words: Collection[str]) -> frozenset[str]:
        """Return these words and the macros whose text holds one, however indirectly."""
        wanted = set(words)
        known = [macro for named in self._macros.values() for macro in named]
        while True:
            reached = {
                macro.name
                for macro in known
                if macro.name not in wanted and macro.used_names & wanted
            }
            if not reached:
                return frozenset(wanted)
            wanted |= reached

    def find_launch(
        self, path: str, offset: int, name: str, arguments: tuple[str, ...] = ()
    ) -> LaunchText | None:
        """Return the launch whose callee stands at `offset`, or that the macro used there makes."""
        place = (path, offset, name, arguments)
        if place not in self._launched:
            texts = self.launches.get(path, ())
            here = next(
                (
                    text
                    for text in texts
                    if text.start <= offset <= text.configuration_start
                ),
                None,
            )
            self._launched[place] = here or (
                self._launch_by_macro(*place) if path else None
            )
        return self._launched[place]

    def _launch_by_macro(
        self, path: str, offset: int, name: str, arguments: tuple[str, ...]
    ) -> LaunchText | None:
        source = self.sources[path]
        first = source.lexeme_index(offset)
        for at in self._expanded_at(source, first):
            for launched in filter(
                None, self.macro_launches.find_launches_at(path, at)
            ):
                by_name = [text for text in launched if text.name == name]
                if by_name:
                    return _fitting(by_name, arguments)
                if len({text.macro_span for text in launched}) == 1:
                    return (
                        launched[0]
                        if at == first or launched[0].name not in self.kernel_names
                        else None
                    )
        return None

    def _expanded_at(self, source: SourceText, at: int) -> Iterator[int]:
        """Yield the positions of the macros that may make a token: its own, then those that it
        is an argument of.
        """
        lexemes, depth = source.lexemes, 0
        if at < len(lexemes) and lexemes[at].text in self.macro_launches:
            yield at
        for before in range(min(at, len(lexemes)) - 1, max(0, at - _LONGEST_CALL), -1):
            depth += (lexemes[before].text == ")") - (lexemes[before].text == "(")
            if depth < 0:
                depth = 0
                if lexemes[before - 1].text in self.macro_launches:
                    yield before - 1

    def expand_argument_macros(self, arguments: Iterable[str]) -> tuple[str, ...]:
        """Return arguments with those that are a macro for a list of arguments laid out."""
        return tuple(
            part for argument in arguments for part in self._laid_out(argument)
        )

    def expand_configuration_macro(self, launch_text: LaunchText) -> LaunchText:
        """Return a launch with its configuration laid out where a macro stands for all of it."""
        if launch_text.block:
            return launch_text
        parts = (*self.expand_argument_macros([launch_text.grid]), "", "0", "0")
        return replace(
            launch_text,
            grid=parts[0],
            block=parts[1],
            shared_bytes=parts[2] or "0",
            stream=parts[3] or "0",
        )

    def _laid_out(self, argument: str) -> Sequence[str]:
        for macro in self._macros.get(argument, ()):
            body = macro.text.partition(macro.name)[2].replace("\\\n", "\n")
            parts = (
                []
                if body.startswith("(")
                else split_at_top_level_commas(" ".join(body.split()))
            )
            if len(parts) > 1:
                return parts
        return (argument,)

    def explicit_instantiation_names(self, path: str) -> frozenset[str]:
        """Return the names that a file instantiates explicitly: those behind `template` without
        a parameter list.
        """
        if path not in self._explicit:
            self._explicit[path] = frozenset(self._instantiated(path))
        return self._explicit[path]

    def _instantiated(self, path: str) -> Iterator[str]:
        if not _EXPLICIT.search(self.sources[path].raw):
            return
        lexemes = self.sources[path].lexemes
        for at, lexeme in enumerate(lexemes[:-1]):
            if lexeme.text == "template" and lexemes[at + 1].text != "<":
                for after in lexemes[at + 1 : at + 60]:
                    if after.text in (";", "{"):
                        break
                    if after.kind is TokenKind.NAME:
                        yield after.text


def _fitting(texts: Sequence[LaunchText], arguments: tuple[str, ...]) -> LaunchText:
    """Return the launch whose template arguments, as far as they are plain, are those that the
    compiler resolved.
    """

    def fits(text: LaunchText) -> bool:
        pairs = zip(text.template_arguments, arguments, strict=False)
        return all(
            written == known
            for written, known in pairs
            if is_universal_argument(written)
        )

    return next((text for text in texts if fits(text)), texts[0])


def find_kernel_markers(known_macros: Iterable[Macro]) -> frozenset[str]:
    """Return what marks a kernel: `__global__`, and the project's own macros that stand for it."""
    aliases = {
        macro.name
        for macro in known_macros
        if _GLOBAL in macro.used_names and "{" not in macro.text
    }
    return frozenset({_GLOBAL, *aliases})
