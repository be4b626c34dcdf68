"""Outline a C++ file from its text: functions, uses of macros between them, names for Python.

A call graph wants every file of a project, also those that no device unit reads: this reads tens
of files a second where a parse reads two. It works on code without comments, strings and
directives, by regular expressions.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from crawler.cpp.arguments import INNERMOST_ANGLES
from crawler.cpp.brackets import ROUND, closing_in_code
from crawler.cpp.comments import blank_comments_and_literals
from crawler.cpp.directives import blank_directives
from crawler.extract.operators.declared_names import (
    ScopeHead,
    has_internal_linkage,
    read_function_name,
    read_scope_head,
)
from crawler.extract.operators.dispatch_keys import read_argument_key, read_block_key
from crawler.extract.operators.file_outline import (
    FileOutline,
    MacroRegistration,
    OutlinedFunction,
    PythonBinding,
)
from crawler.extract.operators.macro_texts import MacroText, list_macro_texts
from crawler.extract.operators.used_names import (
    NO_NAMES,
    UsedNames,
    collect_used_names,
)
from crawler.model import Span

# code whose comments, literals and directives are blank: a file that no parser may accept, of
# thousands in a project. What each search looks at is a head, a statement or a list of arguments
_BRACKET: Final = re.compile(r"[{};()]")
_WORD: Final = re.compile(r"[A-Za-z_]\w{2,}")
_SCOPE_KEYWORD: Final = re.compile(r"\b(?:namespace|class|struct|union|extern)\b")
_INCLUDED_FILE: Final = re.compile(
    r'^[ \t]*+#[ \t]*+include[ \t]*+["<](?:[^">\n/]*+/)*+([^">\n/]++)[">]', re.MULTILINE
)
_ASSIGNMENT: Final = re.compile(r"(?<![=!<>])=(?!=)")
_PLAIN_ARGUMENT: Final = re.compile(r"[\w:<>]*")
_ENUM: Final = re.compile(r"\benum\b")
_ATTRIBUTE_CALL: Final = re.compile(
    r"\b(?:__\w+|alignas|decltype|noexcept|\w*LAUNCH_BOUNDS\w*)\s*+\("
)
_MACRO_USE: Final = re.compile(
    r"^[ \t]*([A-Za-z_]\w*)\s*\(([^{}();]*,[^{}();]*)\)(?=\s*(?:;|$))", re.MULTILINE
)
# raw text, for the names are strings: what is found in a comment has no function
_BINDING: Final = re.compile(r'(?:\.|->)\s*(def|def_static|impl|op)\s*\(\s*"([^"\n]+)"')
_MAX_CALL_CHARACTERS: Final = 8_000
_MAX_HEAD_CHARACTERS: Final = 8_000
_MAX_ARGUMENTS: Final = 8


def outline_file(path: str, text: str) -> FileOutline:
    """Return the outline of a file; `text` has a character a byte."""
    return _OutlineScan(path, text).outline()


class _DeviceBlock(NamedTuple):
    """A block whose registrations are for one device."""

    start: int
    end: int
    dispatch_key: str


class _OutlineScan:
    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._raw = text
        bare_text = blank_comments_and_literals(text)
        self._macros = list_macro_texts(bare_text)
        self._code = blank_directives(bare_text)
        self._line_ends = [line_end.end() for line_end in re.finditer("\n", text)]
        self._scopes: list[ScopeHead] = []
        self._functions: list[OutlinedFunction] = []
        self._registrations: list[MacroRegistration] = []
        self._device_blocks: list[_DeviceBlock] = []

    def outline(self) -> FileOutline:
        self._scan()
        bindings: tuple[PythonBinding, ...] = ()

        if _BINDING.search(self._raw):
            bindings = tuple(self._iter_bindings())

        macro_names: dict[str, UsedNames] = {}
        for macro in self._macros:
            earlier_names = macro_names.get(macro.name, NO_NAMES)
            macro_names[macro.name] = earlier_names.join(macro.names)

        return FileOutline(
            path=self._path,
            functions=tuple(self._functions),
            registrations=tuple(self._registrations),
            python_bindings=bindings,
            macro_names=macro_names,
            included_files=frozenset(_INCLUDED_FILE.findall(self._raw)),
        )

    def _scan(self) -> None:
        """Walk over the brackets of a file and note what stands outside of bodies."""
        head_start = 0
        body_start = 0
        body_depth = 0
        parentheses = 0
        is_function = False

        for match in _BRACKET.finditer(self._code):
            sign = match[0]
            offset = match.start()

            if body_depth:
                body_depth += (sign == "{") - (sign == "}")
                if body_depth == 0:
                    if is_function:
                        self._add_function(head_start, body_start, offset + 1)

                    head_start = offset + 1
            elif sign in "()":
                parentheses = max(0, parentheses + (1 if sign == "(" else -1))
            elif sign == "{":
                kind = "other" if parentheses else self._classify(head_start, offset)
                self._add_registrations(head_start, offset)

                if kind == "scope":
                    self._open_scope(head_start, offset)
                    head_start = offset + 1
                else:
                    body_start = offset
                    body_depth = 1
                    is_function = kind == "function"
            elif not parentheses or sign == "}":
                self._add_registrations(head_start, offset)
                head_start = offset + 1
                parentheses = 0

                if sign == "}":
                    # a stray brace closes nothing
                    del self._scopes[-1:]

        self._add_registrations(head_start, len(self._code))

    def _classify(self, start: int, end: int) -> str:
        """Return what a brace at `end` opens: `scope`, `function` or `other`."""
        head = self._code[max(start, end - _MAX_HEAD_CHARACTERS) : end]
        before, parenthesis, _ = head.partition("(")
        without_angles = INNERMOST_ANGLES.sub("", before)
        if _ENUM.search(before) or _ASSIGNMENT.search(without_angles):
            return "other"

        # a name such as `my_struct` or `operator` that ends the head is no keyword
        names_scope = _SCOPE_KEYWORD.search(without_angles) is not None
        if names_scope and not before.rstrip().endswith(("_", "operator")):
            # `struct alignas(16) A {`
            is_attribute = _ATTRIBUTE_CALL.search(f"{before}(") is not None
            return "scope" if not parenthesis or is_attribute else "function"

        return "function" if parenthesis else "scope"

    def _open_scope(self, head_start: int, end: int) -> None:
        head = self._code[max(head_start, end - _MAX_HEAD_CHARACTERS) : end]
        self._scopes.append(read_scope_head(head))

    def _add_function(self, head_start: int, body_start: int, end: int) -> None:
        start = max(head_start, body_start - _MAX_HEAD_CHARACTERS)
        head = self._code[start:body_start]
        without_attributes = _ATTRIBUTE_CALL.sub(
            lambda attribute: " " * len(attribute[0]), head
        )
        own_name = read_function_name(without_attributes)
        if not own_name:
            return

        dispatch_key = read_block_key(without_attributes)
        if dispatch_key:
            self._device_blocks.append(_DeviceBlock(body_start, end, dispatch_key))

        # the line ends of the declaration before do not belong to it
        start += len(head) - len(head.lstrip())
        body_names = collect_used_names(self._code, body_start, end)
        enclosing_names = [scope.name for scope in self._scopes if scope.name]
        is_in_class = any(scope.is_class for scope in self._scopes)
        is_internal = any(scope.is_internal for scope in self._scopes)
        if not is_in_class:
            is_internal |= has_internal_linkage(without_attributes)

        self._functions.append(
            OutlinedFunction(
                name="::".join((*enclosing_names, own_name)),
                span=self._make_span(start, end),
                names=body_names.join(self._take_inner_macros(body_start, end)),
                is_member=is_in_class or "::" in own_name,
                is_internal=is_internal,
            )
        )

    def _take_inner_macros(self, start: int, end: int) -> UsedNames:
        """Return the names in the macros that a function defines for itself.

        They are the file's no more.
        """
        names = NO_NAMES
        outer_macros: list[MacroText] = []

        for macro in self._macros:
            if start <= macro.start < end:
                names = names.join(macro.names)
            else:
                outer_macros.append(macro)

        self._macros = outer_macros
        return names

    def _add_registrations(self, start: int, end: int) -> None:
        """Note the macros that are used in a stretch between functions.

        A `;` need not follow.
        """
        search_end = min(end + 1, start + _MAX_CALL_CHARACTERS)
        for use in _MACRO_USE.finditer(self._code, start, search_end):
            # `&f` and `f` register the same function
            arguments = tuple(
                part.strip().lstrip("&").strip() for part in use[2].split(",")
            )
            if len(arguments) > _MAX_ARGUMENTS:
                continue
            if not all(_PLAIN_ARGUMENT.fullmatch(part) for part in arguments):
                continue

            span = self._make_span(use.start(1), use.end())
            self._registrations.append(MacroRegistration(use[1], arguments, span))

    def _iter_bindings(self) -> Iterator[PythonBinding]:
        # the names are strings, which the code has blanked: so the raw text is searched, and
        # what is no code there is left out
        for match in _BINDING.finditer(self._raw):
            verb = match[1]
            if self._code[match.start(1) : match.end(1)] != verb:
                continue

            # the bracket of the call stands in front of the name's quote
            opening = self._raw.rfind("(", 0, match.start(2))
            name_end = match.end(2) + 1
            end = self._find_call_end(opening, name_end)
            yield PythonBinding(
                name=match[2].partition("(")[0].strip(),
                target_words=tuple(_WORD.findall(self._code, name_end, end)),
                span=self._make_span(match.start(1), end),
                verb=verb,
                dispatch_key=self._find_dispatch_key(name_end, end),
            )

    def _find_dispatch_key(self, name_end: int, end: int) -> str:
        """Return the device that a call registers for: its argument's, else its block's."""
        argument_key = read_argument_key(self._code, name_end, end)
        if argument_key:
            return argument_key

        following = bisect_right(self._device_blocks, (name_end,))
        if following == 0:
            return ""

        block = self._device_blocks[following - 1]
        return block.dispatch_key if name_end < block.end else ""

    def _find_call_end(self, opening: int, name_end: int) -> int:
        """Return where the call ends whose bracket is at `opening`.

        Where that is far away, it is said to end behind its name.
        """
        search_end = name_end + _MAX_CALL_CHARACTERS
        closing = closing_in_code(self._code, opening, search_end, pairs=ROUND)
        if closing >= 0:
            return closing + 1
        return min(len(self._code), name_end)

    def _make_span(self, start: int, end: int) -> Span:
        last_offset = max(start, end - 1)
        return Span(
            path=self._path,
            line=bisect_right(self._line_ends, start) + 1,
            end_line=bisect_right(self._line_ends, last_offset) + 1,
            offset=start,
            end_offset=end,
        )
