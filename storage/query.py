"""The query language: `repo = mmcv and name = roi_* and pass_call.gfx90a = pass`.

Conditions are joined by `and` (or by a space): FIELD OP VALUE with `=`, `!=`, `~` (contains), `<`, `<=`, `>`, `>=`; a
value may hold `*`, be quoted, or be a list with commas (any of them). A bare word is part of a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, exists, literal, not_, or_, select

from storage.errors import BadQuery
from storage.tables import KernelDefinition, KernelInstantiation, KernelTag, Port, UnitBuild, table

_TOKEN: Final = re.compile(r'\s*(?:(?P<op><=|>=|!=|=|~|<|>)|(?P<string>"(?:[^"\\]|\\.)*")|(?P<word>[^\s=!~<>"]+))')
_KERNEL: Final = table(KernelDefinition)
_TEXT: Final = {
    "name": "name",
    "qualified_name": "qualified_name",
    "repo": "repo",
    "commit": "pinned",
    "path": "path",
    "dialect": "dialect",
    "found_by": "found_by",
    "reason": "reason",
    "flags_origin": "flags_origin",
    "licence": "licence",
    "licence_class": "licence_class",
    "cluster": "cluster",
    "digest": "unit",
    "unit_problem": "unit_problem",
}
_NUMBERS: Final = {"line": "line", "end_line": "end_line", "launches": "launches"}
_LONGEST: Final = 4_000


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition, and where it stands."""

    field: str
    op: str
    value: str
    position: int


def fields() -> tuple[str, ...]:
    """Return what may stand before an operator."""
    return (*_TEXT, *_NUMBERS, "lines", "is_template", "tag", "instantiation", "pass_call.TARGET")


def parse(expression: str) -> tuple[Condition, ...]:
    """Return the conditions of an expression; raises `BadQuery` where it is wrong."""
    if len(expression) > _LONGEST:
        raise BadQuery(f"a query may have {_LONGEST} characters: shorten it")
    tokens = list(_tokens(expression))
    found = []
    at = 0
    while at < len(tokens):
        kind, text, position = tokens[at]
        if kind == "word" and text.lower() == "and":
            at += 1
        elif at + 1 < len(tokens) and tokens[at + 1][0] == "op":
            if at + 2 >= len(tokens) or tokens[at + 2][0] == "op" or kind != "word":
                raise BadQuery(f"a value is missing behind `{tokens[at + 1][1]}`: write one", position=position)
            found.append(Condition(text, tokens[at + 1][1], tokens[at + 2][1], position))
            at += 3
        elif kind == "op":
            raise BadQuery(f"`{text}` has no field before it: write FIELD {text} VALUE", position=position)
        else:
            found.append(Condition("name", "~", text, position))
            at += 1
    for condition in found:
        _check(condition)
    return tuple(found)


def where(expression: str) -> ColumnElement[bool]:
    """Return an expression as a condition on the table of kernels; values are always bound, never spliced in."""
    return and_(literal(True), *(_sql(condition) for condition in parse(expression)))


def _tokens(expression: str) -> Iterator[tuple[str, str, int]]:
    position = 0
    stripped = expression.rstrip()
    while position < len(stripped):
        match = _TOKEN.match(stripped, position)
        if match is None or match.lastgroup is None:
            raise BadQuery(f"cannot read `{stripped[position:][:20]}`: quote the value", position=position)
        text = match.group(match.lastgroup)
        if match.lastgroup == "string":
            text = re.sub(r"\\(.)", r"\1", text[1:-1])
        yield match.lastgroup, text, match.start(match.lastgroup)
        position = match.end()


def _check(condition: Condition) -> None:
    name = condition.field
    if name in _TEXT or name in ("tag", "instantiation") or name.startswith("pass_call."):
        if condition.op in ("=", "!=", "~"):
            return
        raise BadQuery(f"`{name}` is text: compare it by =, != or ~", position=condition.position)
    if name in (*_NUMBERS, "lines"):
        if condition.op != "~" and re.fullmatch(r"\d{1,12}", condition.value):
            return
        raise BadQuery(f"`{name}` is a number: compare it by =, !=, <, <=, >, >=", position=condition.position)
    if name == "is_template":
        if condition.op in ("=", "!=") and condition.value in ("true", "false"):
            return
        raise BadQuery("`is_template` is true or false", position=condition.position)
    raise BadQuery(f"no field is called `{name}`: there are {', '.join(fields())}", position=condition.position)


def _sql(condition: Condition) -> ColumnElement[bool]:
    name, op, value = condition.field, condition.op, condition.value
    negate = op == "!="
    if name in _TEXT:
        found = _text(_KERNEL.c[_TEXT[name]], op, value)
    elif name in _NUMBERS or name == "lines":
        column = _KERNEL.c.end_line - _KERNEL.c.line + 1 if name == "lines" else _KERNEL.c[_NUMBERS[name]]
        return _compared(column, op, int(value))
    elif name == "is_template":
        found = _KERNEL.c.is_template == (value == "true")
    elif name == "tag":
        tags = table(KernelTag)
        found = exists(select(1).where(tags.c.kernel == _KERNEL.c.id, _text(tags.c.tag, op, value)))
    elif name == "instantiation":
        uses = table(KernelInstantiation)
        found = exists(select(1).where(uses.c.kernel == _KERNEL.c.id, _text(uses.c.label, op, value)))
    else:
        found = _built(name.removeprefix("pass_call."), op, value)
    return not_(found) if negate else found


def _built(target: str, op: str, value: str) -> ColumnElement[bool]:
    builds, ports = table(UnitBuild), table(Port)
    ported = select(ports.c.ported).where(ports.c.unit == _KERNEL.c.unit)
    mine = or_(builds.c.unit == _KERNEL.c.unit, builds.c.unit.in_(ported))
    return exists(select(1).where(mine, builds.c.target == target, _text(builds.c.status, op, value)))


def _text(column: Any, op: str, value: str) -> ColumnElement[bool]:
    if op == "~":
        return column.contains(value, autoescape=True)  # type: ignore[no-any-return]
    return or_(*(_one(column, part) for part in value.split(",")))


def _one(column: Any, value: str) -> ColumnElement[bool]:
    if "*" not in value:
        return column == value  # type: ignore[no-any-return]
    escaped = re.sub(r"([\\%_])", r"\\\1", value).replace("*", "%")
    return column.like(escaped, escape="\\")  # type: ignore[no-any-return]


def _compared(column: Any, op: str, value: int) -> ColumnElement[bool]:
    compared: dict[str, ColumnElement[bool]] = {
        "=": column == value,
        "!=": column != value,
        "<": column < value,
        "<=": column <= value,
        ">": column > value,
        ">=": column >= value,
    }
    return compared[op]
