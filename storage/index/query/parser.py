"""Parser of the query language: `name=roi_align* and pass_call.gfx90a=pass and -tag=trivial`.

Terms stand apart by spaces or `and`, and all must hold. A term is `FIELD OP VALUE[,VALUE…]`, or
a bare word, which is a part of the name. `=` and `!=` compare anything, `~` finds a part of a
text, `<`, `<=`, `>`, `>=` compare numbers. A comma means any of; `*` is any text, and then the
case of ASCII letters does not matter; `-` or `not` before a term negates it; quotes take
everything inside literally. A field of many values (`tag`, `reasons`) holds when one of them
does; `pass_call` without a target when any target's verdict does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from storage.errors import BadQuery
from storage.index.query.fields import (
    FIELDS,
    VERDICT_FIELDS,
    Term,
    bad_query,
    check_operator,
    convert_value,
    find_field,
)
from storage.index.query.glob import Glob

_MAX_CHARACTERS: Final = 4096
_MAX_TERMS: Final = 50
_MAX_VALUES: Final = 100
_TERM_HEAD: Final = re.compile(
    r"([A-Za-z_]+)(?:\.([A-Za-z0-9_:+.\-]+))?\s*(!=|<=|>=|=|~|<|>)\s*"
)
_NOT: Final = re.compile(r"not\s+(?=\S)", re.IGNORECASE)
_AND: Final = re.compile(r"and(?=\s|$)", re.IGNORECASE)
_BARE_TEXT: Final = re.compile(r'[^\s,"*=<>~]+')
_QUOTED_TEXT: Final = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPED_CHARACTER: Final = re.compile(r"\\(.)", re.DOTALL)
_OR: Final = re.compile(r"or(?=\s|$)|\|", re.IGNORECASE)
_BRACKET: Final = re.compile(r"[()]")
_BARE_VERDICT: Final = re.compile(
    rf"(?:{'|'.join(VERDICT_FIELDS)})(?:\.[^\s,*]+)?(?=\s|$)"
)
_NO_TERM: Final = {
    _OR: "there is no `or` between terms; list the values of one field, as in"
    ' `name = a,b`, or quote "or" if it is part of a name',
    _BRACKET: "there are no brackets; leave them out, since all terms must hold",
    _BARE_VERDICT: "this is a field; write which verdict it is to have, as in"
    " `pass_call.sm_80 = pass`",
}
"""What is not read as part of a kernel's name, since its writer means something else."""
_NO_FIELD: Final = "no field stands before this sign; quote it to search for it"
_MISPLACED_SIGNS: Final = {
    '"': "this quote is never closed; add another",
    **dict.fromkeys("=<>~", _NO_FIELD),
}
_PLAIN_OPERATORS: Final = {"!=": "=", "~": "="}
"""Operators that a term expresses by `negated` and by its globs."""


def parse_query(expression: str) -> tuple[Term, ...]:
    """Return the terms of `expression`, none for an empty one; raises `BadQuery`."""
    if len(expression) > _MAX_CHARACTERS:
        raise BadQuery(
            f"The query is longer than {_MAX_CHARACTERS} characters;"
            " ask for less at once.",
            position=_MAX_CHARACTERS,
        )

    for position, character in enumerate(expression):
        # neither NUL nor a lone surrogate can be a parameter of a statement
        if character == "\0" or "\ud800" <= character <= "\udfff":
            raise bad_query(
                "this character cannot be searched for; leave it out", position
            )

    terms = tuple(_Reader(expression).iter_terms())
    if len(terms) > _MAX_TERMS:
        raise BadQuery(
            f"The query has more than {_MAX_TERMS} terms; ask for less at once."
        )

    return terms


class _Reader:
    """Reads terms from left to right; `position` is that of the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def iter_terms(self) -> Iterator[Term]:
        self._skip_space()
        while not self._is_at_end():
            conjunction = _AND.match(self.text, self.position)
            if conjunction:
                self.position = conjunction.end()
            else:
                yield self._read_term()

            self._skip_space()

    def _is_at_end(self) -> bool:
        return self.position >= len(self.text)

    def _is_at_space(self) -> bool:
        return self.text[self.position].isspace()

    def _skip_space(self) -> None:
        while not self._is_at_end() and self._is_at_space():
            self.position += 1

    def _read_term(self) -> Term:
        is_negated = self._read_negation()
        start = self.position
        head = _TERM_HEAD.match(self.text, start)
        # no operator follows the first word
        if head is None:
            self._refuse_what_is_no_name()
            return self._read_bare_words(is_negated)

        self.position = head.end()
        if head.group(3) == "=" and self.text.startswith("=", self.position):
            raise bad_query("equality is one sign here; write `=`", head.start(3))

        name, target, operator = head.groups(default="")
        field = find_field(name, target, start)
        globs = self._read_values()
        check_operator(field, operator, len(globs), head.start(3))
        values = tuple(convert_value(field, glob, position) for glob, position in globs)
        if operator == "~":
            values = tuple(_as_substring(value) for value in values)

        return Term(
            field=field,
            operator=_PLAIN_OPERATORS.get(operator, operator),
            values=values,
            # `not name!=a` is `name=a`
            negated=is_negated != (operator == "!="),
            target=target,
        )

    def _refuse_what_is_no_name(self) -> None:
        for pattern, reason in _NO_TERM.items():
            if pattern.match(self.text, self.position):
                raise bad_query(reason, self.position)

    def _read_bare_words(self, is_negated: bool) -> Term:
        """Read words without a field, of which the name must contain one."""
        globs = self._read_values()
        substrings = tuple(glob.as_substring() for glob, _ in globs)
        return Term(FIELDS["name"], "=", substrings, is_negated)

    def _read_negation(self) -> bool:
        if self.text.startswith("-", self.position):
            self.position += 1
            return True

        word = _NOT.match(self.text, self.position)
        if word:
            self.position = word.end()

        return word is not None

    def _read_values(self) -> list[tuple[Glob, int]]:
        """Read values separated by commas, each with its position."""
        start = self.position
        values = [(self._read_glob(), start)]

        while self.text.startswith(",", self.position):
            self.position += 1
            start = self.position
            values.append((self._read_glob(), start))
            if len(values) > _MAX_VALUES:
                raise bad_query(
                    f"more than {_MAX_VALUES} values; ask for less at once", start
                )

        return values

    def _read_glob(self) -> Glob:
        start = self.position
        pieces = [""]

        while not self._is_at_end() and not self._is_at_space():
            character = self.text[self.position]
            if character == ",":
                break
            if character == "*":
                pieces.append("")
                self.position += 1
            else:
                pieces[-1] += self._read_text()

        if self.position == start:
            raise bad_query('a value is missing; write one, or "" for none', start)

        return Glob(tuple(pieces))

    def _read_text(self) -> str:
        """Read bare or quoted text up to the next wildcard, comma or space."""
        bare = _BARE_TEXT.match(self.text, self.position)
        if bare:
            self.position = bare.end()
            return bare.group()

        quoted = _QUOTED_TEXT.match(self.text, self.position)
        if quoted:
            self.position = quoted.end()
            return _ESCAPED_CHARACTER.sub(r"\1", quoted.group(1))

        sign = self.text[self.position]
        raise bad_query(_MISPLACED_SIGNS[sign], self.position)


def _as_substring(value: Glob | int | bool) -> Glob | int | bool:
    return value.as_substring() if isinstance(value, Glob) else value
