"""Expand macros that launch kernels, and find what each use launches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.edits import Edit, apply_edits
from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.cpp.lexer import TokenKind
from crawler.cpp.preprocessor.macros import Macro
from crawler.extract.syntax.launch_syntax import (
    LAUNCH_CALLS,
    STRUCT_LAUNCH_CALLS,
    LaunchText,
    parse_launches,
)
from crawler.extract.syntax.macro_expansion import (
    MAX_EXPANDED_CHARACTERS,
    MacroDefinition,
    read_macro_definition,
    substitute_arguments,
)
from crawler.model import Span

_LAUNCH_STARTS: Final = frozenset({"<<<", *LAUNCH_CALLS, *STRUCT_LAUNCH_CALLS})
_MARK: Final = re.compile(r"/\*launch (\d+)\*/")
"""Stands in an expansion in front of a token that begins a launch, and leads back to it."""
_LONGEST_MARK: Final = 40
_MAX_NESTED_MACROS: Final = 12
_MAX_USES: Final = 4_000


class MacroLaunches:
    """The uses of macros that launch, in the files of one translation unit."""

    def __init__(
        self, sources: SourceFiles, macros_by_name: Mapping[str, Sequence[Macro]]
    ) -> None:
        self._sources = sources
        launching_names = _find_launching_names(macros_by_name)
        self._launching_macros = {
            name: macros_by_name[name] for name in launching_names
        }

        # by path and offset of a macro's name
        self._definitions: dict[tuple[str, int], MacroDefinition] = {}
        self._marks: dict[tuple[str, int], dict[int, str]] = {}
        self._marked_spans: list[Span] = []
        self._launches_by_use: dict[tuple[str, int], list[tuple[LaunchText, ...]]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._launching_macros

    def find_file_launches(self, path: str) -> Iterator[LaunchText]:
        """Yield what each use outside of directives launches.

        Of several definitions the nearest one that launches at all counts.
        """
        if not self._launching_macros:
            return

        for index, lexeme in enumerate(self._sources[path].lexemes):
            if lexeme.kind is not TokenKind.NAME or lexeme.directive:
                continue
            if lexeme.text not in self._launching_macros:
                continue

            for launches in self.find_launches_at(path, index):
                if launches:
                    yield from launches
                    break

    def find_launches_at(
        self, path: str, lexeme_index: int
    ) -> list[tuple[LaunchText, ...]]:
        """Return what the macro used at token `lexeme_index` launches.

        There is an item for each of its definitions, the likeliest first.
        """
        use = (path, lexeme_index)
        if use not in self._launches_by_use:
            launches: list[tuple[LaunchText, ...]] = []
            # a unit of many thousand uses is cut short
            has_room = len(self._launches_by_use) < _MAX_USES

            if has_room:
                source = self._sources[path]
                launches += self._iter_launches(source, lexeme_index)

            self._launches_by_use[use] = launches

        return self._launches_by_use[use]

    def _iter_launches(
        self, source: SourceText, index: int
    ) -> Iterator[tuple[LaunchText, ...]]:
        name = source.lexemes[index]
        macros = self._launching_macros[name.text]

        for macro in _order_by_nearness(macros, source.path, name.offset):
            text, last_index = self._expand_use(source, index, macro, frozenset())
            if text is None:
                continue

            # offsets in the expansion say nothing in the file: the launch is said to stand at
            # the use
            expansion = SourceText(source.path, text.encode("latin-1"))
            end = source.lexemes[last_index].end
            launches: list[LaunchText] = []

            for launch in parse_launches(expansion):
                moved = self._move_to_use(launch, expansion, name.offset, end)
                launches.append(moved)

            yield tuple(launches)

    def _move_to_use(
        self, launch: LaunchText, expansion: SourceText, start: int, end: int
    ) -> LaunchText:
        """Return a launch of an expansion as one that stands at the macro's use."""
        # a mark stands in front of the chevrons, or of the name of the launching call
        has_chevrons = expansion.raw.startswith("<<<", launch.configuration_start)
        marked_offset = launch.configuration_start if has_chevrons else launch.start
        mark_start = max(0, marked_offset - _LONGEST_MARK)
        before = expansion.raw[mark_start:marked_offset]
        marks = _MARK.findall(before)
        macro_span: Span | None = None

        if marks:
            number = int(marks[-1])
            macro_span = self._marked_spans[number]

        # marks are ours: nobody wrote them
        callee = _MARK.sub("", launch.callee)
        preceding_text = expansion.text_between(0, launch.start)
        unmarked_text = _MARK.sub("", preceding_text)

        return replace(
            launch,
            callee=callee.strip(),
            start=start,
            configuration_start=start,
            end=end,
            macro_span=macro_span,
            preceding_text=unmarked_text,
        )

    def _expand_use(
        self, source: SourceText, index: int, macro: Macro, hidden: frozenset[str]
    ) -> tuple[str | None, int]:
        """Return the text that a use makes, and the position of its last token.

        `hidden` are the macros that are being expanded. There is no text where the name is no
        use of the macro, or where the text grows too long.
        """
        definition = self._get_definition(macro)
        arguments: list[str] = []
        last_index = index

        # an object-like macro is used by its name alone
        if definition.parameters is not None:
            last_index = _find_list_end(source, index + 1)
            if last_index < 0:
                return None, index

            arguments = _list_arguments(source, index + 1, last_index)

        marks = self._marks[(macro.path, macro.name_offset)]
        text = substitute_arguments(definition, arguments, marks)
        # a macro is not expanded again within its own expansion, [cpp.rescan]
        hidden = hidden | {macro.name}
        is_too_long = len(text) > MAX_EXPANDED_CHARACTERS
        if is_too_long or len(hidden) > _MAX_NESTED_MACROS:
            return None, last_index

        expanded = self._expand_inner_uses(text, macro, hidden)
        return expanded, last_index

    def _expand_inner_uses(
        self, text: str, macro: Macro, hidden: frozenset[str]
    ) -> str:
        """Expand the launching macros that a text uses."""
        source = SourceText(macro.path, text.encode("latin-1"))
        edits: list[Edit] = []
        expanded_end = 0

        for index, lexeme in enumerate(source.lexemes):
            if lexeme.offset < expanded_end or lexeme.text in hidden:
                continue
            if lexeme.text not in self._launching_macros:
                continue

            # of several definitions the one that holds where the outer macro is defined
            macros = self._launching_macros[lexeme.text]
            inner = _order_by_nearness(macros, macro.path, macro.name_offset)[0]
            expansion, last_index = self._expand_use(source, index, inner, hidden)

            if expansion is not None:
                expanded_end = source.lexemes[last_index].end
                edits.append((lexeme.offset, expanded_end, expansion))

        return apply_edits(text, edits)

    def _get_definition(self, macro: Macro) -> MacroDefinition:
        place = (macro.path, macro.name_offset)
        if place not in self._definitions:
            source = self._sources[macro.path]
            definition = read_macro_definition(source, macro)
            self._definitions[place] = definition
            self._marks[place] = self._make_marks(definition)

        return self._definitions[place]

    def _make_marks(self, definition: MacroDefinition) -> dict[int, str]:
        """Return a mark for each token of a body that begins a launch, by its offset."""
        marks: dict[int, str] = {}
        for lexeme in definition.body:
            if lexeme.text in _LAUNCH_STARTS:
                number = len(self._marked_spans)
                span = definition.source.make_span(lexeme.offset, lexeme.end)
                self._marked_spans.append(span)
                marks[lexeme.offset] = f"/*launch {number}*/"

        return marks


def _find_list_end(source: SourceText, opening: int) -> int:
    """Return the position of the parenthesis that closes the list at a token, or -1."""
    lexemes = source.lexemes
    if opening >= len(lexemes) or lexemes[opening].text != "(":
        return -1

    return source.find_closing_bracket(opening)


def _list_arguments(source: SourceText, opening: int, closing: int) -> list[str]:
    """Return the texts between the commas of a list, empty ones included."""
    inside = source.lexemes[opening + 1 : closing]
    arguments: list[str] = []

    for part in split_tokens(inside, angles=True):
        text = ""
        if part:
            start, end = part[0].offset, part[-1].end
            text = source.raw[start:end]

        arguments.append(text)

    return arguments


def _find_launching_names(
    macros_by_name: Mapping[str, Sequence[Macro]],
) -> frozenset[str]:
    """Return the macros that launch, or use one that does."""
    # e.g. LAUNCH uses `<<<`, and CHECKED_LAUNCH uses LAUNCH
    macros: list[Macro] = []
    for definitions in macros_by_name.values():
        macros += definitions

    launching: set[str] = set()
    for macro in macros:
        if "<<<" in macro.text or macro.used_names & _LAUNCH_STARTS:
            launching.add(macro.name)

    while True:
        users = {macro.name for macro in macros if macro.used_names & launching}
        # nothing new: all that lead to a launch are known
        if users <= launching:
            return frozenset(launching)

        launching |= users


def _order_by_nearness(macros: Sequence[Macro], path: str, offset: int) -> list[Macro]:
    """Return the definitions that may hold at a place.

    They are those above it in its file, the last one first, else all others.
    """
    above = [
        macro for macro in macros if macro.path == path and macro.name_offset < offset
    ]
    candidates = above or list(macros)
    candidates.reverse()

    return candidates
