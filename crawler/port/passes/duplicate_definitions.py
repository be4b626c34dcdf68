"""Remove device functions that HIP already defines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from crawler.cpp.brackets import BRACES, ROUND, closing_word
from crawler.cpp.directives import OPENING, with_directives
from crawler.cpp.lexer import Token, TokenKind, join_tokens, tokenize
from crawler.cpp.masked_source import MaskedSource
from crawler.hip.vector_operators import COMPOUND_OPERATORS, is_componentwise_assignment
from crawler.model import Change

HIP_OVERLOADS: Final = {
    "min": (("T", "T"),),
    "max": (("T", "T"),),
    "atomicAdd": (("double*", "double"),),
    "atomicMin": (("float*", "float"), ("double*", "double")),
    "atomicMax": (("float*", "float"), ("double*", "double")),
}
"""Name to the parameter types of HIP's own; `T` is the parameter of a function template."""

_POSSIBLE: Final = re.compile(
    rf"__device__[^;{{}}]{{0,1000}}?\b(?:{'|'.join(HIP_OVERLOADS)})\b|\boperator\s*[-+*/]=\s*\("
)
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
    )
)
_HEAD: Final = 48
"""A function's head is at most this many tokens."""
_BODY: Final = 400
_PARTING: Final = frozenset({"elif", "else", "endif"})
_SPACES_THAT_OPEN: Final = (("namespace",), ("extern", '"C"'))


class _Source:
    """The tokens that a compiler sees, outside directives, and where they stand among all."""

    def __init__(self, pieces: Sequence[Token]) -> None:
        self.pieces = pieces
        self.places = [
            index
            for index, (token, directive) in enumerate(with_directives(pieces))
            if not directive and token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
        ]
        self.words = [pieces[place].text for place in self.places]

    def __len__(self) -> int:
        return len(self.places)

    def text(self, at: int) -> str:
        return self.words[at] if 0 <= at < len(self.words) else ""

    def adjacent(self, first: int, last: int) -> bool:
        """Tell whether no directive stands between two tokens but whole `#if … #endif`, each
        branch with its braces.
        """
        depth = 0
        opened: list[int] = []
        pieces = self.pieces[self.places[first] : self.places[last] + 1]
        for at, token in enumerate(pieces):
            if token.kind is not TokenKind.PUNCTUATION:
                continue
            depth += (token.text == "{") - (token.text == "}")
            if token.text == "#" and not _is_branch(
                pieces[at + 1 : at + 4], depth, opened
            ):
                return False
        return not opened


def _is_branch(behind: Sequence[Token], depth: int, opened: list[int]) -> bool:
    """Take notice of a directive that opens, parts or closes branches at a depth of braces;
    tell whether it does.
    """
    word = next((token.text for token in behind if token.kind is TokenKind.NAME), "")
    if word in OPENING:
        opened.append(depth)
        return True
    matches = word in _PARTING and bool(opened) and opened[-1] == depth
    if matches and word == "endif":
        opened.pop()
    return matches


def remove_duplicate_definitions(
    source: MaskedSource,
) -> tuple[MaskedSource, list[Change]]:
    """Return a text without such definitions at file scope; all else keeps its line."""
    if source.words.isdisjoint((*HIP_OVERLOADS, "operator")) or not _POSSIBLE.search(
        source.code
    ):
        return source, []
    left, changes = remove_from_tokens(list(tokenize(source.text)))
    return (MaskedSource(join_tokens(left)), changes) if changes else (source, [])


def remove_from_tokens(
    source_tokens: Sequence[Token],
) -> tuple[list[Token], list[Change]]:
    """Return the tokens without such definitions at file scope; all else keeps its line."""
    source = _Source(source_tokens)
    kept: list[Token] = []
    changes: list[Change] = []
    done = 0
    for start, end in _definitions(source):
        first, last = source.places[start], source.places[end] + 1
        text = join_tokens(source_tokens[first:last])
        line = source_tokens[first].line
        blank = Token(TokenKind.SPACE, " " + "\n" * text.count("\n"), line)
        # an empty declaration, so that what follows on the line does not become its first token
        kept += [
            *source_tokens[done:first],
            blank,
            Token(TokenKind.PUNCTUATION, ";", line),
        ]
        changes.append(Change(rule="duplicate", line=line, before=text, after=""))
        done = last
    return [*kept, *source_tokens[done:]], changes


def _definitions(source: _Source) -> Iterator[tuple[int, int]]:
    """Yield the first and last position of each definition, skipping every scope but the file's."""
    at = depth = 0
    while at < len(source):
        text = source.text(at)
        if text == "{":
            depth += not _is_open_scope(source, at)
        elif text == "}":
            depth = max(0, depth - 1)
        elif depth == 0:
            found = _found(source, at, text)
            if found:
                yield found
                at = found[1]
        at += 1


def _found(source: _Source, at: int, text: str) -> tuple[int, int] | None:
    if text in HIP_OVERLOADS and source.text(at + 1) == "(":
        return _definition(source, at)
    if (
        text == "operator"
        and source.text(at + 1) in COMPOUND_OPERATORS
        and source.text(at + 2) == "="
    ):
        return _assignment(source, at)
    return None


def _definition(source: _Source, name: int) -> tuple[int, int] | None:
    closing, end = _list_and_body(source, name + 1)
    if not end:
        return None
    start, parameter = _start(source, name)
    types = _parameter_types(
        [source.text(at) for at in range(name + 2, closing)], parameter
    )
    specifiers = {source.text(at) for at in range(start, name)}
    wanted = types in HIP_OVERLOADS[source.text(name)] and "__device__" in specifiers
    return (start, end) if wanted and source.adjacent(start, end) else None


def _assignment(source: _Source, name: int) -> tuple[int, int] | None:
    """Return where a compound assignment of HIP's own vector types begins and ends."""
    opening = name + 3
    closing, end = _list_and_body(source, opening)
    start = name
    while (
        start > 0
        and name - start < _HEAD
        and source.text(start - 1) not in (";", "}", "{", ">")
    ):
        start -= 1
    if not end or source.text(start - 1) == ">" or not source.adjacent(start, end):
        return None
    parameters = [source.text(at) for at in range(opening + 1, closing)]
    body = [source.text(at) for at in range(closing + 2, end)]
    return (
        (start, end)
        if is_componentwise_assignment(source.text(name + 1), parameters, body)
        else None
    )


def _list_and_body(source: _Source, opening: int) -> tuple[int, int]:
    """Return where the parameter list that opens at a place ends, and where the body behind it
    ends; 0 for neither.
    """
    if source.text(opening) != "(":
        return 0, 0
    closing = closing_word(source.words, opening, opening + _HEAD, pairs=ROUND)
    if closing < 0 or source.text(closing + 1) != "{":
        return 0, 0
    end = closing_word(source.words, closing + 1, closing + 1 + _BODY, pairs=BRACES)
    return closing, max(end, 0)


def _start(source: _Source, name: int) -> tuple[int, str]:
    """Return where the definition begins, and the name of its template parameter if it has one."""
    start = name - 1  # the return type
    while start > 0 and source.text(start - 1) in _SPECIFIERS:
        start -= 1
    head = [source.text(at) for at in range(start - 5, start)]
    if (
        head[:2] == ["template", "<"]
        and head[2] in ("typename", "class")
        and head[4] == ">"
    ):
        return start - 5, head[3]
    return start, ""


def _parameter_types(words: Sequence[str], parameter: str) -> tuple[str, ...]:
    types: list[str] = [""]
    for word in words:
        if word == ",":
            types.append("")
        elif word == parameter:
            types[-1] += "T"
        elif word in ("float", "double", "*"):
            types[-1] += word
    return tuple(types)


def _is_open_scope(source: _Source, at: int) -> bool:
    """Tell whether a brace opens an anonymous namespace or a linkage block: names in it clash
    all the same.
    """
    return any(
        tuple(source.text(at - len(opening) + offset) for offset in range(len(opening)))
        == opening
        for opening in _SPACES_THAT_OPEN
    )
