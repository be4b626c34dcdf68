"""Applies the rules to tokens: strings, characters, comments and messages always stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

from crawler.model import Change
from crawler.port import duplicates, ptx
from crawler.port.rules import HEADER_FOLDERS, HEADERS, NAMES, NAMESPACES, libraries
from crawler.tokens import Kind, Token

_MEMBER_ACCESS = frozenset({".", "->"})


class Neighbours:
    """The tokens that a compiler sees before and after each token."""

    def __init__(self, pieces: Sequence[Token]) -> None:
        self._visible = [token for token in pieces if token.kind not in (Kind.SPACE, Kind.COMMENT)]
        self._position = -1

    def advance(self) -> None:
        """Step to the next token that is neither blank nor comment."""
        self._position += 1

    def text(self, distance: int) -> str:
        """Return the text of the token that far away, empty past either end."""
        index = self._position + distance
        return self._visible[index].text if 0 <= index < len(self._visible) else ""

    def kind(self, distance: int) -> Kind | None:
        """Return the kind of the token that far away."""
        index = self._position + distance
        return self._visible[index].kind if 0 <= index < len(self._visible) else None


def rewrite(pieces: Sequence[Token]) -> tuple[list[Token], tuple[Change, ...]]:
    """Return the tokens in HIP, and what was changed; doing it again changes nothing."""
    single, removed = duplicates.remove(pieces)
    assembled, changes = ptx.rewrite(single)
    changes += removed
    rewritten: list[Token] = []
    around = Neighbours(assembled)
    for token in assembled:
        if token.kind not in (Kind.SPACE, Kind.COMMENT):
            around.advance()
        rule, text = _renamed(token, around)
        if rule:
            changes.append(Change(rule=rule, line=token.line, before=token.text, after=text))
            token = token._replace(text=text)
        rewritten.append(token)
    return rewritten, tuple(sorted(changes, key=lambda change: change.line))


def header(text: str) -> str:
    """Return what an included header, with its brackets or quotes, becomes."""
    inner = text[1:-1]
    renamed = HEADERS.get(inner) or next(
        (hip for folder, hip in HEADER_FOLDERS.items() if inner.startswith(folder)), ""
    )
    return f"<{renamed}>" if renamed else text


def _renamed(token: Token, around: Neighbours) -> tuple[str, str]:
    if token.kind is Kind.HEADER:
        text = header(token.text)
        return ("header" if text != token.text else ""), text
    if token.kind is not Kind.NAME or around.text(-1) in _MEMBER_ACCESS:
        return "", token.text
    if token.text in NAMES:
        return NAMES[token.text]
    if (renamed := libraries.renamed(token.text)) != token.text:
        return "library", renamed
    if token.text in NAMESPACES and _is_namespace(around):
        return "namespace", NAMESPACES[token.text]
    return "", token.text


def _is_namespace(around: Neighbours) -> bool:
    nested = around.text(-1) == "::" and around.kind(-2) is Kind.NAME
    alias = around.text(-1) == "=" and around.text(-3) == "namespace"
    return not nested and (around.text(1) == "::" or around.text(-1) == "namespace" or alias)
