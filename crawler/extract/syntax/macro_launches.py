"""Expand macros that launch kernels, and find what each use launches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.lexer import TokenKind
from crawler.cpp.preprocessor.macros import Macro
from crawler.cpp.source_text import Lexeme, SourceFiles, SourceText
from crawler.extract.syntax.launch_syntax import (
    LAUNCH_CALLS,
    STRUCT_LAUNCH_CALLS,
    LaunchText,
    parse_launches,
)
from crawler.model import Span

_STARTS: Final = frozenset({"<<<", *LAUNCH_CALLS, *STRUCT_LAUNCH_CALLS})
_MARK: Final = re.compile(r"/\*launch (\d+)\*/")
_SPLICE: Final = re.compile(r"\\\r?\n")
_REST: Final = "__VA_ARGS__"
_DEEPEST: Final = 12
_MOST_TEXT: Final = 200_000
_MOST_USES: Final = 4_000


@dataclass(frozen=True, slots=True)
class _Definition:
    parameters: tuple[str, ...] | None
    """`None` for a macro that takes no list."""
    body: Sequence[Lexeme]
    source: SourceText
    marks: Mapping[int, str]
    """What to put in front of the tokens that begin a launch: it leads from an expansion back
    to them.
    """


class MacroLaunches:
    """The uses of macros that launch, in the files of one translation unit."""

    def __init__(
        self, sources: SourceFiles, macros_by_name: Mapping[str, Sequence[Macro]]
    ) -> None:
        self._sources = sources
        self._known = {
            name: macros_by_name[name] for name in _launching(macros_by_name)
        }
        self._definitions: dict[tuple[str, int], _Definition] = {}
        self._bodies: list[Span] = []
        self._at: dict[tuple[str, int], list[tuple[LaunchText, ...]]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def find_file_launches(self, path: str) -> Iterator[LaunchText]:
        """Yield what each use outside of directives launches, by the nearest definition that
        launches at all.
        """
        source = self._sources[path]
        for at, lexeme in enumerate(source.lexemes if self._known else ()):
            if (
                lexeme.kind is TokenKind.NAME
                and lexeme.text in self._known
                and not lexeme.directive
            ):
                yield from next(filter(None, self.find_launches_at(path, at)), ())

    def find_launches_at(
        self, path: str, lexeme_index: int
    ) -> list[tuple[LaunchText, ...]]:
        """Return what the macro used at token `lexeme_index` launches, by each of its
        definitions, the likeliest first.
        """
        if (path, lexeme_index) not in self._at:
            found = (
                list(self._launched(self._sources[path], lexeme_index))
                if len(self._at) < _MOST_USES
                else []
            )
            self._at[(path, lexeme_index)] = found
        return self._at[(path, lexeme_index)]

    def _launched(
        self, source: SourceText, at: int
    ) -> Iterator[tuple[LaunchText, ...]]:
        name = source.lexemes[at]
        for macro in _nearest(self._known[name.text], source.path, name.offset):
            text, last = self._expanded(source, at, macro, frozenset())
            if text is not None:
                inner = SourceText(source.path, text.encode("latin-1"))
                start, end = name.offset, source.lexemes[last].end
                yield tuple(
                    self._placed(launch, inner, start, end)
                    for launch in parse_launches(inner)
                )

    def _placed(
        self, launch: LaunchText, inner: SourceText, start: int, end: int
    ) -> LaunchText:
        chevrons = inner.raw.startswith("<<<", launch.configuration_start)
        marks = _MARK.findall(
            inner.raw[: launch.configuration_start if chevrons else launch.start][-40:]
        )
        body = self._bodies[int(marks[-1])] if marks else None
        return replace(
            launch,
            callee=_MARK.sub("", launch.callee).strip(),
            start=start,
            configuration_start=start,
            end=end,
            macro_span=body,
            preceding_text=_MARK.sub("", inner.text_between(0, launch.start)),
        )

    def _expanded(
        self, source: SourceText, at: int, macro: Macro, hidden: frozenset[str]
    ) -> tuple[str | None, int]:
        """Return the text that a use makes, and the position of its last token; nothing where
        it is no use.
        """
        definition = self._definition(macro)
        given: list[str] = []
        last = at
        if definition.parameters is not None:
            opening = at + 1
            if opening >= len(source.lexemes) or source.lexemes[opening].text != "(":
                return None, at
            last = source.find_closing_bracket(opening)
            if last < 0:
                return None, at
            given = [
                _raw(source, part)
                for part in split_tokens(
                    source.lexemes[opening + 1 : last], angles=True
                )
            ]
        filled = _filled(definition, _values(definition, given))
        hidden = hidden | {macro.name}
        if len(filled) > _MOST_TEXT or len(hidden) > _DEEPEST:
            return None, last
        return self._rescanned(filled, macro, hidden), last

    def _rescanned(self, text: str, macro: Macro, hidden: frozenset[str]) -> str:
        """Expand the launching macros that a text uses."""
        source = SourceText(macro.path, text.encode("latin-1"))
        pieces, done = [], 0
        for at, lexeme in enumerate(source.lexemes):
            if (
                lexeme.offset < done
                or lexeme.text not in self._known
                or lexeme.text in hidden
            ):
                continue
            inner = _nearest(self._known[lexeme.text], macro.path, macro.name_offset)[0]
            made, last = self._expanded(source, at, inner, hidden)
            if made is not None:
                pieces += [text[done : lexeme.offset], made]
                done = source.lexemes[last].end
        return "".join([*pieces, text[done:]])

    def _definition(self, macro: Macro) -> _Definition:
        place = (macro.path, macro.name_offset)
        if place not in self._definitions:
            self._definitions[place] = self._defined(macro)
        return self._definitions[place]

    def _defined(self, macro: Macro) -> _Definition:
        source = self._sources[macro.path]
        first = source.lexeme_index(macro.name_offset) + 1
        last = first
        while last < len(source.lexemes) and source.lexemes[last].directive == "define":
            last += 1
        words = source.lexemes[first:last]
        parameters: tuple[str, ...] | None = None
        if (
            words
            and words[0].text == "("
            and words[0].offset == macro.name_offset + len(macro.name)
        ):
            closed = source.find_closing_bracket(first) - first
            parameters = tuple(
                "".join(word.text for word in part)
                for part in split_tokens(words[1:closed], angles=True)
            )
            words = words[closed + 1 :]
        return _Definition(parameters, words, source, dict(self._marks(source, words)))

    def _marks(
        self, source: SourceText, words: Sequence[Lexeme]
    ) -> Iterator[tuple[int, str]]:
        for word in words:
            if word.text in _STARTS:
                self._bodies.append(source.make_span(word.offset, word.end))
                yield word.offset, f"/*launch {len(self._bodies) - 1}*/"


def _launching(known: Mapping[str, Sequence[Macro]]) -> frozenset[str]:
    """Return the macros that launch, or use one that does."""
    listed = [macro for named in known.values() for macro in named]
    found = {
        macro.name
        for macro in listed
        if "<<<" in macro.text or macro.used_names & _STARTS
    }
    while True:
        more = {
            macro.name
            for macro in listed
            if macro.name not in found and macro.used_names & found
        }
        if not more:
            return frozenset(found)
        found |= more


def _nearest(named: Sequence[Macro], path: str, offset: int) -> list[Macro]:
    """Return the definitions that may hold at a place: those above it in its file, the last
    first, else all others.
    """
    above = [
        macro for macro in named if macro.path == path and macro.name_offset < offset
    ]
    return above[::-1] or list(named)[::-1]


def _raw(source: SourceText, part: Sequence[Lexeme]) -> str:
    return source.raw[part[0].offset : part[-1].end] if part else ""


def _values(definition: _Definition, given: Sequence[str]) -> dict[str, str]:
    names = definition.parameters or ()
    values = dict(zip(names, given, strict=False))
    if names and names[-1].endswith("..."):
        rest = ", ".join(given[len(names) - 1 :])
        values[names[-1].removesuffix("...") or _REST] = values[_REST] = rest
    return values


def _filled(definition: _Definition, values: Mapping[str, str]) -> str:
    """Return the body with arguments in place of parameters, `#` and `##` obeyed."""
    pieces: list[str] = []
    end, size, before = (definition.body[0].offset if definition.body else 0), 0, ""
    for word in definition.body:
        gap = (
            ""
            if before == "##"
            else _SPLICE.sub("\n", definition.source.raw[end : word.offset])
        )
        text = (
            values.get(word.text, word.text)
            if word.kind is TokenKind.NAME
            else word.text
        )
        if before == "#" and word.text in values:
            text = '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'
        if word.text not in ("#", "##"):
            pieces += [gap, definition.marks.get(word.offset, ""), text]
        size += len(text)
        if size > _MOST_TEXT:
            break
        end, before = word.end, word.text
    return "".join(pieces)
