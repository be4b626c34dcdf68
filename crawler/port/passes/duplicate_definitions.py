"""Remove device functions that HIP already defines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from crawler.cpp.brackets import BRACES, ROUND, closing_word
from crawler.cpp.directives import OPENING, with_directives
from crawler.cpp.lexer import Token, TokenKind, tokenize
from crawler.cpp.masked.masked_source import MaskedSource
from crawler.hip.own_overloads import HIP_OVERLOADS, spell_parameter_types
from crawler.hip.vector_operators import COMPOUND_OPERATORS, is_componentwise_assignment
from crawler.port.interface import PortRule, RuleEdit

# A quick look at the masked code, so that most sources are never tokenized here.
_CANDIDATE: Final = re.compile(
    rf"\b(?:{'|'.join(HIP_OVERLOADS)})\s*\([^(){{}};]{{0,1000}}\)\s*\{{|\boperator\s*[-+*/]=\s*\("
)
# text of a unit behind a definition: the end of its line, and one blank line behind that
_WHOLE_LINES: Final = re.compile(r"[ \t]*(?:\n(?:[ \t]*\n)?|\Z)")
_CANDIDATE_NAMES: Final = frozenset({*HIP_OVERLOADS, "operator"})
_SPECIFIERS: Final = frozenset(
    (
        "static",
        "inline",
        "__inline__",
        "__forceinline__",
        "__device__",
        "__host__",
        "__noinline__",
        "constexpr",
        "const",
        "unsigned",
        "long",
    )
)
_MACRO: Final = re.compile(r"[A-Z0-9_]*DEVICE[A-Z0-9_]*")
"""What a macro that stands for `__device__` is called: `LIB_DEVICE_ONLY`."""
_MAX_HEAD_TOKENS: Final = 48
_MAX_BODY_TOKENS: Final = 400
_TEMPLATE_HEAD_TOKENS: Final = 5
"""Of `template <typename T>`."""
_LATER_BRANCHES: Final = frozenset({"elif", "else", "endif"})
_BLANK_KINDS: Final = frozenset({TokenKind.SPACE, TokenKind.COMMENT})
_OPEN_SCOPES: Final = (("namespace",), ("extern", '"C"'))

TokenRange = tuple[int, int]
"""Positions of a first and a last token, the latter included."""


class _DuplicateDefinitions:
    name = "duplicate_definitions"
    order = 20
    keeps_lines = False

    def find_edits(
        self, source: MaskedSource, *, is_whole_file: bool
    ) -> Iterator[RuleEdit]:
        if source.words.isdisjoint(_CANDIDATE_NAMES):
            return
        if not _CANDIDATE.search(source.code):
            return

        code = _CodeTokens(list(tokenize(source.text)))
        for first, last in _find_definitions(code):
            start, end = code.start_offset(first), code.end_offset(last)
            definition = source.text[start:end]
            line_ends = "\n" * definition.count("\n")
            # An empty declaration, so that what follows on the line does not begin one.
            replacement = f" {line_ends};"
            if not is_whole_file:
                start, end, replacement = _widen_to_lines(source, start, end)

            yield RuleEdit(
                start=start,
                end=end,
                replacement=replacement,
                rule="duplicate",
                before=definition,
                after="",
            )


def _widen_to_lines(source: MaskedSource, start: int, end: int) -> tuple[int, int, str]:
    """Return the edit that removes a definition: (start, end, replacement).

    It takes its lines and a blank one behind them along, where nothing else stands on them.
    """
    lines = _WHOLE_LINES.match(source.text, end)
    line_start = source.text.rfind("\n", 0, start) + 1
    if lines is None or source.text[line_start:start].strip():
        return start, end, ";"

    return line_start, lines.end(), ""


class _CodeTokens:
    """The tokens that a compiler sees, outside directives, and their places among all tokens."""

    def __init__(self, all_tokens: Sequence[Token]) -> None:
        self._all_tokens = all_tokens
        self._places = [
            place
            for place, (token, directive) in enumerate(with_directives(all_tokens))
            if not directive and token.kind not in _BLANK_KINDS
        ]
        self._offsets = list(
            accumulate((len(token.text) for token in all_tokens), initial=0)
        )
        self.words = [all_tokens[place].text for place in self._places]

    def __len__(self) -> int:
        return len(self.words)

    def word(self, position: int) -> str:
        """Return the text of a token, empty for a position that there is not."""
        return self.words[position] if 0 <= position < len(self.words) else ""

    def start_offset(self, position: int) -> int:
        return self._offsets[self._places[position]]

    def end_offset(self, position: int) -> int:
        return self._offsets[self._places[position] + 1]

    def holds_whole_branches(self, first: int, last: int) -> bool:
        """Tell whether the only directives between two tokens are whole `#if … #endif`, in each
        branch of which braces are balanced.
        """
        depth = 0
        depths_of_open_branches: list[int] = []
        tokens = self._all_tokens[self._places[first] : self._places[last] + 1]
        for position, token in enumerate(tokens):
            if token.kind is not TokenKind.PUNCTUATION:
                continue

            if token.text == "{":
                depth += 1
            elif token.text == "}":
                depth -= 1
            elif token.text == "#":
                following = tokens[position + 1 : position + 4]
                if not _note_branch(following, depth, depths_of_open_branches):
                    return False

        return not depths_of_open_branches


def _note_branch(
    following: Sequence[Token], depth: int, depths_of_open_branches: list[int]
) -> bool:
    """Take notice of the directive that `following` names, at a depth of braces.

    Return whether it opens, parts or closes branches at the depth that they were opened at.
    """
    names = (token.text for token in following if token.kind is TokenKind.NAME)
    keyword = next(names, "")
    if keyword in OPENING:
        depths_of_open_branches.append(depth)
        return True
    if keyword not in _LATER_BRANCHES or depths_of_open_branches[-1:] != [depth]:
        return False

    if keyword == "endif":
        depths_of_open_branches.pop()

    return True


def _find_definitions(code: _CodeTokens) -> Iterator[TokenRange]:
    """Yield each definition at file scope that HIP has, too."""
    depth = 0
    position = 0
    while position < len(code):
        word = code.word(position)
        if word == "{":
            depth += not _opens_file_scope(code, position)
        elif word == "}":
            depth = max(0, depth - 1)
        elif depth == 0:
            definition = _match_definition(code, position)
            if definition is not None:
                yield definition
                _, position = definition

        position += 1


def _match_definition(code: _CodeTokens, name: int) -> TokenRange | None:
    word = code.word(name)
    if word in HIP_OVERLOADS and code.word(name + 1) == "(":
        return _match_overload(code, name)

    is_compound = code.word(name + 1) in COMPOUND_OPERATORS
    if word == "operator" and is_compound and code.word(name + 2) == "=":
        return _match_compound_assignment(code, name)

    return None


def _match_overload(code: _CodeTokens, name: int) -> TokenRange | None:
    """Return the definition of a function that HIP has for the same parameters."""
    closing, end = _find_list_and_body_ends(code, name + 1)
    if not end:
        return None

    start, template_parameter = _find_definition_start(code, name)

    types = spell_parameter_types(code.words[name + 2 : closing], template_parameter)
    if types not in HIP_OVERLOADS[code.word(name)]:
        return None
    words = [code.word(position) for position in range(start, name)]
    if "__device__" not in words and not any(map(_MACRO.fullmatch, words)):
        return None

    return (start, end) if code.holds_whole_branches(start, end) else None


def _match_compound_assignment(code: _CodeTokens, name: int) -> TokenRange | None:
    """Return the definition of a compound assignment that HIP's own vector types have."""
    opening = name + 3
    closing, end = _find_list_and_body_ends(code, opening)
    if not end:
        return None

    start = name
    while start > 0 and name - start < _MAX_HEAD_TOKENS:
        if code.word(start - 1) in (";", "}", "{", ">"):
            break

        start -= 1

    is_template = code.word(start - 1) == ">"
    if is_template or not code.holds_whole_branches(start, end):
        return None

    parameters = code.words[opening + 1 : closing]
    body = code.words[closing + 2 : end]
    operator = code.word(name + 1)
    if not is_componentwise_assignment(operator, parameters, body):
        return None

    return start, end


def _find_list_and_body_ends(code: _CodeTokens, opening: int) -> tuple[int, int]:
    """Return where the parameter list that opens at a position ends, and where the body behind
    it ends; 0 for neither.
    """
    if code.word(opening) != "(":
        return 0, 0

    list_limit = opening + _MAX_HEAD_TOKENS
    closing = closing_word(code.words, opening, list_limit, pairs=ROUND)
    if closing < 0 or code.word(closing + 1) != "{":
        return 0, 0

    body_limit = closing + 1 + _MAX_BODY_TOKENS
    end = closing_word(code.words, closing + 1, body_limit, pairs=BRACES)

    return closing, max(end, 0)


def _find_definition_start(code: _CodeTokens, name: int) -> tuple[int, str]:
    """Return where a definition begins, and the name of its template parameter if it has one."""
    # e.g. `template <typename T> static __device__ T max(T a, T b) { … }`
    start = name - 1  # the return type
    while start > 0 and _is_specifier(code, start - 1):
        start -= 1

    template_start = start - _TEMPLATE_HEAD_TOKENS
    head = [code.word(position) for position in range(template_start, start)]
    is_template = head[:2] == ["template", "<"] and head[4] == ">"
    if is_template and head[2] in ("typename", "class"):
        return template_start, head[3]

    return start, ""


def _is_specifier(code: _CodeTokens, position: int) -> bool:
    word = code.word(position)
    return word in _SPECIFIERS or _MACRO.fullmatch(word) is not None


def _opens_file_scope(code: _CodeTokens, brace: int) -> bool:
    """Tell whether a brace opens an anonymous namespace or a linkage block: names in it clash
    all the same.
    """
    for scope in _OPEN_SCOPES:
        positions = range(brace - len(scope), brace)
        if tuple(code.word(position) for position in positions) == scope:
            return True

    return False


PLUGIN: Final[PortRule] = _DuplicateDefinitions()
