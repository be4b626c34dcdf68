"""Parser of the query language: `name=roi_align* and pass_call.gfx90a=pass and lines > 100
-tag=trivial`.

Terms stand apart by spaces or `and`, and all must hold. A term is `FIELD OP VALUE[,VALUE…]`, or
a bare word, which is a
part of the name. `=` and `!=` compare anything, `~` finds a part of a text, `<`, `<=`, `>`,
`>=` compare numbers. A
comma means any of; `*` is any text, and then the case of ASCII letters does not matter; `-` or
`not` before a term
turns it round; quotes take everything inside literally. A field of many values (`tag`,
`reasons`) holds when one of
them does; `pass_call` without a target when any target's verdict does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from crawler.model import Dialect, FlagsOrigin, Layer, LicenceClass, Status, Wave
from storage.errors import BadQuery
from storage.index.glob import Glob

_LONGEST = 4096
_MOST_TERMS = 50
_MOST_VALUES = 100
_LARGEST = 2**63 - 1
_HEAD = re.compile(r"([A-Za-z_]+)(?:\.([A-Za-z0-9_:+.\-]+))?\s*(!=|<=|>=|=|~|<|>)\s*")
_NOT = re.compile(r"not\s+(?=\S)", re.IGNORECASE)
_AND = re.compile(r"and(?=\s|$)", re.IGNORECASE)
_BARE = re.compile(r'[^\s,"*=<>~]+')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


class FieldKind(StrEnum):
    """What a field holds, and so which comparisons it knows."""

    TEXT = "text"
    NUMBER = "number"
    FLAG = "true or false"
    MANY = "many texts"
    VERDICT = "a status for each target or device"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a row that can be asked for."""

    name: str
    kind: FieldKind
    choices: tuple[str, ...] = ()
    row_attribute: str = ""
    """What `KernelRow` calls it, where that differs."""


@dataclass(frozen=True, slots=True)
class Term:
    """One condition; `values` are globs, numbers or flags, as the field's kind is."""

    field: Field
    operator: str
    """`=`, `<`, `<=`, `>` or `>=`."""
    values: tuple[Glob | int | bool, ...]
    negated: bool = False
    target: str = ""
    """Of a verdict; empty for any."""


def _fields() -> Iterator[Field]:
    for name in (
        "name",
        "qualified_name",
        "repo",
        "commit",
        "path",
        "digest",
        "cluster",
        "licence",
        "reason",
    ):
        yield Field(name, FieldKind.TEXT)
    choices = {
        "dialect": Dialect,
        "found_by": Layer,
        "flags_origin": FlagsOrigin,
        "licence_class": LicenceClass,
    }
    for name, values in choices.items():
        yield Field(name, FieldKind.TEXT, tuple(value.value for value in values))
    for name in ("line", "end_line", "lines", "launches"):
        yield Field(name, FieldKind.NUMBER)
    for name in ("is_template", "superseded"):
        yield Field(name, FieldKind.FLAG)
    for name in ("tag", "instantiation", "port"):
        yield Field(name, FieldKind.MANY, row_attribute=f"{name}s")
    yield Field("reasons", FieldKind.MANY)
    yield Field(
        "wave",
        FieldKind.MANY,
        tuple(value.value for value in Wave),
        row_attribute="waves",
    )
    for name in ("pass_call", "pass_exe", "pass_perf"):
        yield Field(name, FieldKind.VERDICT, tuple(status.value for status in Status))


FIELDS: Final = {field.name: field for field in _fields()}
_ALIASES: Final = {
    field.row_attribute: field.name for field in FIELDS.values() if field.row_attribute
}
_FLAGS: Final = {
    "true": True,
    "yes": True,
    "1": True,
    "false": False,
    "no": False,
    "0": False,
}


def field_names() -> tuple[str, ...]:
    """Return what may stand before an operator."""
    keys = {"pass_call": ".TARGET", "pass_exe": ".DEVICE", "pass_perf": ".DEVICE"}
    return tuple(name + keys.get(name, "") for name in FIELDS)


def parse_query(expression: str) -> tuple[Term, ...]:
    """Return the terms of `expression`, none for an empty one; raises `BadQuery`."""
    if len(expression) > _LONGEST:
        raise BadQuery(
            f"The query is longer than {_LONGEST} characters; ask for less at once.",
            position=_LONGEST,
        )
    for position, character in enumerate(expression):
        if character == "\0" or "\ud800" <= character <= "\udfff":
            raise _bad("this character cannot be searched for; leave it out", position)
    reader = _Reader(expression)
    terms = tuple(reader.terms())
    if len(terms) > _MOST_TERMS:
        raise BadQuery(
            f"The query has more than {_MOST_TERMS} terms; ask for less at once."
        )
    return terms


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def terms(self) -> Iterator[Term]:
        self._skip_space()
        while self.at < len(self.text):
            joined = _AND.match(self.text, self.at)
            if joined:
                self.at = joined.end()
            else:
                yield self._term()
            self._skip_space()

    def _skip_space(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def _term(self) -> Term:
        negated = self._negation()
        start = self.at
        head = _HEAD.match(self.text, self.at)
        if head is None:
            words = self._values()
            return Term(
                FIELDS["name"],
                "=",
                tuple(word.as_substring() for word, _ in words),
                negated,
            )
        self.at = head.end()
        name, target, operator = head.group(1), head.group(2) or "", head.group(3)
        field = _field(name, target, start)
        read = self._values()
        _check(field, operator, len(read), head.start(3))
        values = tuple(_value(field, value, position) for value, position in read)
        if operator == "~":
            values = tuple(
                value.as_substring() if isinstance(value, Glob) else value
                for value in values
            )
        return Term(
            field,
            _PLAIN.get(operator, operator),
            values,
            negated != (operator == "!="),
            target,
        )

    def _negation(self) -> bool:
        if self.text.startswith("-", self.at):
            self.at += 1
            return True
        word = _NOT.match(self.text, self.at)
        if word:
            self.at = word.end()
        return word is not None

    def _values(self) -> list[tuple[Glob, int]]:
        start = self.at
        values = [(self._glob(), start)]
        while self.text.startswith(",", self.at):
            self.at += 1
            start = self.at
            values.append((self._glob(), start))
            if len(values) > _MOST_VALUES:
                raise _bad(
                    f"more than {_MOST_VALUES} values; ask for less at once", start
                )
        return values

    def _glob(self) -> Glob:
        pieces, start = [""], self.at
        while (
            self.at < len(self.text)
            and not self.text[self.at].isspace()
            and self.text[self.at] != ","
        ):
            bare = _BARE.match(self.text, self.at)
            quoted = _QUOTED.match(self.text, self.at)
            if bare:
                pieces[-1] += bare.group()
                self.at = bare.end()
            elif self.text[self.at] == "*":
                pieces.append("")
                self.at += 1
            elif quoted:
                pieces[-1] += re.sub(r"\\(.)", r"\1", quoted.group(1), flags=re.DOTALL)
                self.at = quoted.end()
            else:
                raise _bad(_MISPLACED[self.text[self.at]], self.at)
        if self.at == start:
            raise _bad('a value is missing; write one, or "" for none', start)
        return Glob(tuple(pieces))


_NO_FIELD: Final = "no field stands before this sign; quote it to search for it"
_MISPLACED: Final = {
    '"': "this quote is never closed; add another",
    **dict.fromkeys("=<>~", _NO_FIELD),
}
_PLAIN: Final = {"!=": "=", "~": "="}


def _field(name: str, target: str, position: int) -> Field:
    field = FIELDS.get(_ALIASES.get(name, name))
    if field is None:
        known = ", ".join(sorted(FIELDS))
        raise _bad(
            f"`{name}` is no field; quote it if it is part of a name, else use one of: {known}",
            position,
        )
    if target and field.kind is not FieldKind.VERDICT:
        raise _bad(f"`{name}` has no targets; write `{name}` alone", position)
    return field


def _check(field: Field, operator: str, values: int, position: int) -> None:
    if operator in {"=", "!="}:
        return
    if operator == "~":
        if field.kind in {FieldKind.NUMBER, FieldKind.FLAG} or field.choices:
            raise _bad(
                f"`{field.name}` is no free text; use `=`, with `*` where needed",
                position,
            )
        return
    if field.kind is not FieldKind.NUMBER:
        raise _bad(
            f"`{field.name}` is {field.kind} and has no order; use `=` or `!=`",
            position,
        )
    if values > 1:
        raise _bad(f"`{operator}` compares with one number; leave one", position)


def _value(field: Field, value: Glob, position: int) -> Glob | int | bool:
    text = value.pieces[0]
    if field.kind is FieldKind.NUMBER:
        if (
            not value.is_exact
            or not re.fullmatch(r"-?[0-9]{1,19}", text)
            or abs(int(text)) > _LARGEST
        ):
            raise _bad(f"`{field.name}` is a number; write a whole one", position)
        return int(text)
    if field.kind is FieldKind.FLAG:
        if not value.is_exact or text.lower() not in _FLAGS:
            raise _bad(
                f"`{field.name}` is `true` or `false`; write one of these", position
            )
        return _FLAGS[text.lower()]
    if field.choices and value.is_exact and text not in field.choices:
        raise _bad(
            f"`{field.name}` is never `{text}`; use one of: {', '.join(field.choices)}",
            position,
        )
    return value


def _bad(why: str, position: int) -> BadQuery:
    return BadQuery(f"Query, at character {position + 1}: {why}.", position=position)
