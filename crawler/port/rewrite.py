"""Applies the rules to tokens: strings, characters, comments and messages always stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

from crawler.model import Change
from crawler.port import duplicates, ptx
from crawler.port.rules import HEADER_FOLDERS, HEADERS, NAMES, NAMESPACES, libraries
from crawler.tokens import Kind, Token

_MEMBER_ACCESS = frozenset({".", "->"})
_BLANK = (Kind.SPACE, Kind.COMMENT)
_RENAMED = (Kind.NAME, Kind.HEADER)


class Neighbours:
    """The tokens that a compiler sees around one of them."""

    def __init__(self, pieces: Sequence[Token], at: int) -> None:
        self._pieces = pieces
        self._at = at

    def text(self, distance: int) -> str:
        """Return the text of the token that far away, empty past either end."""
        found = self._token(distance)
        return found.text if found else ""

    def kind(self, distance: int) -> Kind | None:
        """Return the kind of the token that far away."""
        found = self._token(distance)
        return found.kind if found else None

    def _token(self, distance: int) -> Token | None:
        step, at = (1 if distance > 0 else -1), self._at
        for _ in range(abs(distance)):
            at += step
            while 0 <= at < len(self._pieces) and self._pieces[at].kind in _BLANK:
                at += step
        return self._pieces[at] if 0 <= at < len(self._pieces) else None


def rewrite(pieces: Sequence[Token]) -> tuple[list[Token], tuple[Change, ...]]:
    """Return the tokens in HIP, and what was changed; doing it again changes nothing."""
    single, removed = duplicates.remove(pieces)
    rewritten, changes = ptx.rewrite(single)
    changes += removed
    assembled = tuple(rewritten)
    for at, token in enumerate(assembled):
        if token.kind in _RENAMED:
            rule, text = _renamed(token, Neighbours(assembled, at))
            if rule:
                changes.append(Change(rule=rule, line=token.line, before=token.text, after=text))
                rewritten[at] = token._replace(text=text)
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
    renaming = NAMES.get(token.text) or ("library", libraries.renamed(token.text))
    if token.text in NAMESPACES and _is_namespace(around):
        renaming = ("namespace", NAMESPACES[token.text])
    if renaming[1] == token.text or around.text(-1) in _MEMBER_ACCESS:
        return "", token.text
    return renaming


def _is_namespace(around: Neighbours) -> bool:
    nested = around.text(-1) == "::" and around.kind(-2) is Kind.NAME
    alias = around.text(-1) == "=" and around.text(-3) == "namespace"
    return not nested and (around.text(1) == "::" or around.text(-1) == "namespace" or alias)
