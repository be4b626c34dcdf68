"""Outline a C++ file from its text: functions, macro invocations between them, names bound to
Python.

A call graph wants every file of a project, also those that no device unit reads: this reads
tens of files a second
where a parse reads two.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from crawler.cpp.brackets import ROUND, closing_in_code
from crawler.cpp.comments import blank, blank_comments_and_literals
from crawler.model import Span

_DIRECTIVE: Final = re.compile(r"^[ \t]*#(?:\\\r?\n|[^\n])*", re.MULTILINE)
_MACRO: Final = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\\\r?\n|[^\n])*", re.MULTILINE
)
_BRACKET: Final = re.compile(r"[{};()]")
_WORD: Final = re.compile(r"[A-Za-z_]\w{2,}")
_SCOPE: Final = re.compile(r"\b(?:namespace|class|struct|union|extern)\b")
_SCOPED: Final = re.compile(
    r"\b(?:namespace|class|struct|union)\s++(?:\w++\s*+\([^()]*+\)\s*+)?([\w:]+)[^;{}]*+$"
)
_ANGLES: Final = re.compile(r"<[^<>]*>")
_ENUM: Final = re.compile(r"\benum\b")
# possessive: what a directive left blank may be as long as the file
_CALLED: Final = re.compile(
    r"(operator\s*+[^\s\w(]++|operator\s*+\(\s*+\)|[\w:~]++)\s*+(?:<[^<>()]*+>\s*+)?\("
)
_ATTRIBUTES: Final = re.compile(
    r"\b(?:__\w+|alignas|decltype|noexcept|\w*LAUNCH_BOUNDS\w*)\s*+\("
)
_INVOKED: Final = re.compile(
    r"^[ \t]*([A-Za-z_]\w*)\s*\(([^{}();]*,[^{}();]*)\)(?=\s*(?:;|$))", re.MULTILINE
)
_BOUND: Final = re.compile(r'(?:\.|->)\s*(def|def_static|impl|op)\s*\(\s*"([^"\n]+)"')
_LONGEST_CALL: Final = 8_000
_LONGEST_HEAD: Final = 8_000
_MOST_ARGUMENTS: Final = 8


@dataclass(frozen=True, slots=True)
class OutlinedFunction:
    """A function definition."""

    name: str
    span: Span
    body_words: frozenset[str]
    """Names in its body."""

    @property
    def call_name(self) -> str:
        """What calls it are written with: the last part of its name, for a functor's operator
        that of the functor.
        """
        return self.name.removesuffix("::operator()").rpartition("::")[2]


@dataclass(frozen=True, slots=True)
class MacroRegistration:
    """A macro used beside functions, which may join a name to a function: `REGISTER(stub, CUDA,
    stub_cuda);`.
    """

    macro: str
    arguments: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class PythonBinding:
    """A name given to Python, and the words of what it is bound to."""

    name: str
    target_words: tuple[str, ...]
    span: Span
    verb: str
    """`def`, `impl` or `op`."""


@dataclass(frozen=True, slots=True)
class FileOutline:
    """What a file defines."""

    path: str
    functions: tuple[OutlinedFunction, ...]
    registrations: tuple[MacroRegistration, ...]
    python_bindings: tuple[PythonBinding, ...]
    macro_words: Mapping[str, frozenset[str]]
    """The words in the text of each macro that it defines."""

    def find_function_at(self, offset: int) -> OutlinedFunction | None:
        """Return the function that an offset lies in."""
        place = (
            bisect_right(
                self.functions, offset, key=lambda function: function.span.offset
            )
            - 1
        )
        found = self.functions[place] if place >= 0 else None
        return found if found and offset < found.span.end_offset else None


def outline_file(path: str, text: str) -> FileOutline:
    """Return the outline of a file; `text` has a character a byte."""
    return _Scan(path, text).outline()


class _Scan:
    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._raw = text
        bare = blank_comments_and_literals(text)
        self._macros = [
            (found.start(), found.group(1), frozenset(_WORD.findall(found.group())))
            for found in _MACRO.finditer(bare)
        ]
        self._code = _DIRECTIVE.sub(lambda found: blank(found[0]), bare)
        self._lines = [match.end() for match in re.finditer("\n", text)]
        self._scopes: list[str] = []
        self._functions: list[OutlinedFunction] = []
        self._registrations: list[MacroRegistration] = []

    def outline(self) -> FileOutline:
        self._walk()
        bound = tuple(self._bound()) if _BOUND.search(self._raw) else ()
        macros: dict[str, frozenset[str]] = {}
        for _, name, words in self._macros:
            macros[name] = macros.get(name, frozenset()) | words
        return FileOutline(
            self._path,
            tuple(self._functions),
            tuple(self._registrations),
            bound,
            macros,
        )

    def _walk(self) -> None:
        head = body = depth = parentheses = 0
        start = -1
        for match in _BRACKET.finditer(self._code):
            sign, at = match.group(), match.start()
            if depth:
                depth += (sign == "{") - (sign == "}")
                if not depth:
                    if start >= 0:
                        self._function(start, body, at + 1)
                    start, head = -1, at + 1
            elif sign in "()":
                parentheses = max(0, parentheses + (1 if sign == "(" else -1))
            elif sign == "{":
                kind = self._kind(head, at) if not parentheses else "other"
                self._registered(head, at)
                if kind != "scope":
                    body, depth = at, 1
                    start = head if kind == "function" else -1
                else:
                    self._scopes.append(
                        _scope_name(self._code[max(head, at - _LONGEST_HEAD) : at])
                    )
                    head = at + 1
            elif not parentheses or sign == "}":
                self._registered(head, at)
                head, parentheses = at + 1, 0
                if sign == "}":
                    del self._scopes[-1:]
        self._registered(head, len(self._code))

    def _kind(self, start: int, end: int) -> str:
        before = self._code[max(start, end - _LONGEST_HEAD) : end].partition("(")
        if _ENUM.search(before[0]) or re.search(
            r"(?<![=!<>])=(?!=)", _ANGLES.sub("", before[0])
        ):
            return "other"
        if _SCOPE.search(_ANGLES.sub("", before[0])) and not before[
            0
        ].rstrip().endswith(("_", "operator")):
            return (
                "scope"
                if not before[1] or _ATTRIBUTES.search(before[0] + "(")
                else "function"
            )
        return "function" if before[1] else "scope"

    def _function(self, start: int, body: int, end: int) -> None:
        start = max(start, body - _LONGEST_HEAD)
        head = self._code[start:body]
        named = _CALLED.search(
            _ATTRIBUTES.sub(lambda match: " " * len(match.group()), head)
        )
        if named:
            start += len(head) - len(head.lstrip())
            words = frozenset(
                _WORD.findall(self._code, body, end)
            ) | self._defined_within(body, end)
            name = "::".join(
                filter(None, (*self._scopes, "".join(named.group(1).split())))
            )
            self._functions.append(
                OutlinedFunction(name, self._span(start, end), words)
            )

    def _defined_within(self, start: int, end: int) -> frozenset[str]:
        """Return the words of the macros that a function defines for itself; they are the
        file's no more.
        """
        inside = [macro for macro in self._macros if start <= macro[0] < end]
        if inside:
            self._macros = [
                macro for macro in self._macros if not start <= macro[0] < end
            ]
        return frozenset().union(*(words for _, _, words in inside))

    def _registered(self, start: int, end: int) -> None:
        """Note the macros that are used in a stretch between functions, whether a `;` follows
        or not.
        """
        for invoked in _INVOKED.finditer(
            self._code, start, min(end + 1, start + _LONGEST_CALL)
        ):
            arguments = tuple(
                part.strip().lstrip("&").strip() for part in invoked.group(2).split(",")
            )
            if len(arguments) <= _MOST_ARGUMENTS and all(
                re.fullmatch(r"[\w:<>]*", part) for part in arguments
            ):
                span = self._span(invoked.start(1), invoked.end())
                self._registrations.append(
                    MacroRegistration(invoked.group(1), arguments, span)
                )

    def _bound(self) -> Iterator[PythonBinding]:
        for match in _BOUND.finditer(self._raw):
            if self._code[match.start(1) : match.end(1)] == match.group(1):
                end = self._closing(
                    self._raw.rfind("(", 0, match.start(2)), match.end(2) + 1
                )
                words = tuple(_WORD.findall(self._code, match.end(2) + 1, end))
                name = match.group(2).partition("(")[0].strip()
                yield PythonBinding(
                    name, words, self._span(match.start(1), end), match.group(1)
                )

    def _closing(self, opening: int, at: int) -> int:
        """Return where the call ends whose bracket is at `opening`; `at`, behind its name,
        where that is far away.
        """
        closing = closing_in_code(self._code, opening, at + _LONGEST_CALL, pairs=ROUND)
        return closing + 1 if closing >= 0 else min(len(self._code), at)

    def _span(self, start: int, end: int) -> Span:
        first, last = (
            bisect_right(self._lines, start) + 1,
            bisect_right(self._lines, max(start, end - 1)) + 1,
        )
        return Span(
            path=self._path, line=first, end_line=last, offset=start, end_offset=end
        )


def _scope_name(head: str) -> str:
    """Return the name of a namespace or class; empty for an anonymous one."""
    named = _SCOPED.search(_ANGLES.sub("", _ANGLES.sub("", head)))
    return named.group(1) if named else ""
