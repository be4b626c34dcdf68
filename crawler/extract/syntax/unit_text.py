"""Kernels, launches and macros of a translation unit, as its text shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from crawler.cpp.arguments import split_at_top_level_commas
from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.cpp.preprocessor.macros import Macro, find_macros
from crawler.cpp.template_argument_text import is_universal_argument
from crawler.extract.syntax.explicit_instantiations import find_instantiated_names
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
_MAX_CALL_TOKENS: Final = 4_000
_LaunchPlace = tuple[str, int, str, tuple[str, ...]]
"""Path, offset, name and template arguments of what a launch calls."""


class UnitText:
    """The files of one translation unit, as text."""

    def __init__(self, sources: SourceFiles, files: tuple[str, ...]) -> None:
        self.sources = sources
        self.files = files
        self._macros_by_name: dict[str, list[Macro]] = defaultdict(list)

        for path in files:
            for macro in find_macros(sources[path]):
                self._macros_by_name[macro.name].append(macro)

        # what defines kernels
        self.definitions = self._find_definitions()
        self.kernel_names = frozenset(
            definition.name
            for definitions in self.definitions.values()
            for definition in definitions
        )

        # what launches them
        self.launches = {path: find_launches(sources[path]) for path in files}
        self.macro_launches = MacroLaunches(sources, self._macros_by_name)
        self.launched_names = frozenset(
            launch.name for launches in self.launches.values() for launch in launches
        )
        self.launch_wrappers = LaunchWrappers(sources, self.launches)

        # answers to the queries below
        self._launch_by_place: dict[_LaunchPlace, LaunchText | None] = {}

    def find_missing_definitions(
        self, known_definitions: Collection[tuple[str, str]]
    ) -> list[tuple[str, KernelDefinition]]:
        """Return the definitions of which no (path, name) is in `known_definitions`."""
        missing: list[tuple[str, KernelDefinition]] = []
        for path, definitions in self.definitions.items():
            for definition in definitions:
                # a definition in a macro is no kernel before the macro is used
                is_known = (path, definition.name) in known_definitions
                if not definition.is_in_macro and not is_known:
                    missing.append((path, definition))

        return missing

    def contains_text(self, word: str) -> bool:
        """Tell whether any of the files holds a word, or one that begins so."""
        return any(word in self.sources[path].raw for path in self.files)

    def find_use_words(self, names: Iterable[str]) -> frozenset[str]:
        """Return the words that may stand for a use of these kernels.

        They are the kernels' names, calls that launch, and macros that lead to either.
        """
        # a reference that stands in none of these words' neighbourhood launches nothing
        direct_words = {
            *names,
            *LAUNCH_CALLS,
            *STRUCT_LAUNCH_CALLS,
            *self.launch_wrappers.names,
        }
        launching_macros = {
            macro.name for macro in self._iter_macros() if "<<<" in macro.text
        }
        return self._expand_words(direct_words | launching_macros)

    def expand_aliases(self, words: Collection[str]) -> frozenset[str]:
        """Return these words and the macros whose text holds one, however indirectly."""
        return self._expand_words(words)

    def find_launch(
        self, path: str, offset: int, name: str, arguments: tuple[str, ...] = ()
    ) -> LaunchText | None:
        """Return the launch whose callee stands at `offset`, or that the macro used there makes."""
        place = (path, offset, name, arguments)
        if place not in self._launch_by_place:
            launch = self._find_written_launch(path, offset)
            if launch is None and path:
                launch = self._find_macro_launch(*place)

            self._launch_by_place[place] = launch

        return self._launch_by_place[place]

    def has_launch_between(self, path: str, start: int, end: int) -> bool:
        """Tell whether a kernel is launched in a range of a file, also by a macro."""
        if any(start <= launch.start < end for launch in self.launches.get(path, ())):
            return True

        names = self.sources[path].names_between(start, end)
        return any(name in self.macro_launches for name in names)

    def expand_argument_macros(self, arguments: Iterable[str]) -> tuple[str, ...]:
        """Return arguments with those that are a macro for a list of arguments laid out."""
        expanded: list[str] = []
        for argument in arguments:
            expanded += self._expand_argument(argument)

        return tuple(expanded)

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

    def explicit_instantiation_names(self, path: str) -> frozenset[str]:
        """Return the names that a file instantiates explicitly.

        They are those behind `template` without a parameter list.
        """
        return find_instantiated_names(self.sources[path])

    def _find_definitions(self) -> dict[str, tuple[KernelDefinition, ...]]:
        macros = list(self._iter_macros())
        kernel_macros = find_kernel_macros(macros)
        markers = find_kernel_markers(macros).difference(kernel_macros)

        definitions: dict[str, tuple[KernelDefinition, ...]] = {}

        for path in self.files:
            source = self.sources[path]
            definitions[path] = (
                *find_kernel_definitions(source, markers),
                *find_macro_kernels(source, kernel_macros),
            )

        return definitions

    def _iter_macros(self) -> Iterator[Macro]:
        for macros in self._macros_by_name.values():
            yield from macros

    def _expand_words(self, words: Collection[str]) -> frozenset[str]:
        """Add the macros that use a word, those that use such a macro, and so on."""
        expanded = set(words)
        macros = list(self._iter_macros())

        while True:
            added = {
                macro.name
                for macro in macros
                if macro.name not in expanded and macro.used_names & expanded
            }
            if not added:
                return frozenset(expanded)
            expanded |= added

    def _find_written_launch(self, path: str, offset: int) -> LaunchText | None:
        for launch in self.launches.get(path, ()):
            if launch.start <= offset <= launch.configuration_start:
                return launch

        return None

    def _find_macro_launch(
        self, path: str, offset: int, name: str, arguments: tuple[str, ...]
    ) -> LaunchText | None:
        source = self.sources[path]
        first = source.lexeme_index(offset)

        for index in self._iter_macro_uses(source, first):
            for launches in self.macro_launches.find_launches_at(path, index):
                if not launches:
                    continue

                same_name = [launch for launch in launches if launch.name == name]
                if same_name:
                    return _choose_by_arguments(same_name, arguments)

                # the launched name may be one that the macro makes; of several launches it
                # cannot be told which is meant
                if len({launch.macro_span for launch in launches}) == 1:
                    launch = launches[0]
                    is_other_kernel = launch.name in self.kernel_names
                    return launch if index == first or not is_other_kernel else None

        return None

    def _iter_macro_uses(self, source: SourceText, index: int) -> Iterator[int]:
        """Yield the positions of the macros that may make a token.

        They are its own, then those that it is an argument of, inner ones first.
        """
        lexemes = source.lexemes
        if index < len(lexemes) and lexemes[index].text in self.macro_launches:
            yield index

        depth = 0
        nearest = min(index, len(lexemes)) - 1
        farthest = max(0, index - _MAX_CALL_TOKENS)

        for before in range(nearest, farthest, -1):
            text = lexemes[before].text
            depth += (text == ")") - (text == "(")
            # below zero the walk leaves an argument list: in front of it stands what is called
            if depth >= 0:
                continue

            depth = 0
            if lexemes[before - 1].text in self.macro_launches:
                yield before - 1

    def _expand_argument(self, argument: str) -> Sequence[str]:
        for macro in self._macros_by_name.get(argument, ()):
            if macro.parameters is not None:
                continue

            one_line = " ".join(macro.body.replace("\\\n", "\n").split())
            parts = split_at_top_level_commas(one_line)
            if len(parts) > 1:
                return parts

        return (argument,)


def find_kernel_markers(known_macros: Iterable[Macro]) -> frozenset[str]:
    """Return what marks a kernel: `__global__`, and the project's own macros that stand for it."""
    aliases = {
        macro.name
        for macro in known_macros
        if _GLOBAL in macro.used_names and "{" not in macro.text
    }
    return frozenset({_GLOBAL, *aliases})


def _choose_by_arguments(
    launches: Sequence[LaunchText], arguments: tuple[str, ...]
) -> LaunchText:
    """Return the launch whose template arguments are those that the compiler resolved.

    Only plain ones are compared: others may be spelled in two ways. Without such a launch the
    first one is returned.
    """
    for launch in launches:
        pairs = zip(launch.template_arguments, arguments, strict=False)
        has_same_arguments = all(
            written == resolved
            for written, resolved in pairs
            if is_universal_argument(written)
        )
        if has_same_arguments:
            return launch

    return launches[0]
