"""Fields of the query language, and checks of their operators and values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from enum import StrEnum
from typing import Final

from crawler import model
from storage.errors import BadQuery
from storage.index.kernel_rows.text_words import read_phrase
from storage.index.query.glob import Glob
from storage.index.query.terms import Field, FieldKind, Range, Value

_MAX_NUMBER: Final = 2**63 - 1


_TEXT_FIELDS: Final = (
    "name",
    "qualified_name",
    "repo",
    "commit",
    "path",
    "digest",
    "cluster",
    "near_cluster",
    "licence",
    "reason",
)
_CHOICE_FIELDS: Final[dict[str, Callable[[], Iterable[StrEnum]]]] = {
    "dialect": lambda: model.Dialect,
    "found_by": lambda: model.Layer,
    "flags_origin": lambda: model.FlagsOrigin,
    "licence_class": lambda: model.LicenceClass,
    "review": lambda: model.ReviewState,
}
_NUMBER_FIELDS: Final = ("line", "end_line", "offset", "lines", "launches")
_FLAG_FIELDS: Final = ("is_template", "superseded")
_PLURAL_FIELDS: Final = ("tag", "operator", "instantiation", "port")
"""Fields of many values that `KernelRow` names in the plural."""
VERDICT_FIELDS: Final[dict[str, Callable[[], Iterable[StrEnum]]]] = {
    "pass_call": lambda: model.Status,
    "pass_exe": lambda: model.Status,
    "instantiation_exe": lambda: model.Status,
    "pass_perf": lambda: model.Status,
    "extents": lambda: model.Extents,
    "oracle": lambda: model.Oracle,
    "strength": lambda: model.StrengthClass,
    "fidelity": lambda: model.Fidelity,
}


def _iter_fields() -> Iterator[Field]:
    for name in _TEXT_FIELDS:
        yield Field(name, FieldKind.TEXT)

    for name, list_choices in _CHOICE_FIELDS.items():
        yield Field(name, FieldKind.TEXT, list_choices)

    for name in _NUMBER_FIELDS:
        yield Field(name, FieldKind.NUMBER)

    for name in _FLAG_FIELDS:
        yield Field(name, FieldKind.FLAG)

    for name in _PLURAL_FIELDS:
        yield Field(name, FieldKind.MANY, row_attribute=f"{name}s")

    yield Field("class", FieldKind.MANY, row_attribute="tags")
    yield Field("reasons", FieldKind.MANY)
    yield Field("wave", FieldKind.MANY, lambda: model.Wave, row_attribute="waves")

    for name, list_choices in VERDICT_FIELDS.items():
        yield Field(name, FieldKind.VERDICT, list_choices)

    yield Field("text", FieldKind.WORDS)


FIELDS: Final = {field.name: field for field in _iter_fields()}


def _iter_other_forms(name: str) -> Iterator[str]:
    """Yield the plurals of a field's name, and its singulars where it is a plural itself."""
    for ending in ("s", "es"):
        yield name + ending
        if name.endswith(ending):
            yield name.removesuffix(ending)


def _collect_aliases() -> dict[str, str]:
    aliases: dict[str, str] = {}
    for name in FIELDS:
        for form in _iter_other_forms(name):
            # `line` and `lines`, `reason` and `reasons` are fields of their own
            if form not in FIELDS:
                aliases[form] = name

    return aliases


_ALIASES: Final = _collect_aliases()
"""Other forms of the fields' names: `tags` as rows have it, `launch`."""
_FLAG_WORDS: Final = {
    "true": True,
    "yes": True,
    "1": True,
    "false": False,
    "no": False,
    "0": False,
}


def field_names() -> tuple[str, ...]:
    """Return what may stand before an operator."""
    suffixes = {
        "pass_call": ".TARGET",
        "pass_exe": ".DEVICE",
        "instantiation_exe": ".DEVICE",
        "pass_perf": ".DEVICE",
        "extents": ".DEVICE",
        "oracle": ".DEVICE",
        "strength": ".DEVICE",
        "fidelity": ".TARGET",
    }
    return tuple(name + suffixes.get(name, "") for name in FIELDS)


def bad_query(reason: str, position: int) -> BadQuery:
    """Return the error for what is wrong at `position` (from 0)."""
    return BadQuery(f"Query, at character {position + 1}: {reason}.", position=position)


def find_field(name: str, target: str, position: int) -> Field:
    """Return the field called `name`; raises `BadQuery` for none, or one without targets."""
    field = FIELDS.get(_ALIASES.get(name, name))
    if field is None:
        names = ", ".join(sorted(FIELDS))
        guess = guess_field(name)
        hint = f" (did you mean `{guess}`?)" if guess else ""
        raise bad_query(
            f"`{name}` is no field{hint};"
            f" quote it if it is part of a name, else use one of: {names}",
            position,
        )

    if target and field.kind is not FieldKind.VERDICT:
        raise bad_query(f"`{name}` has no targets; write `{name}` alone", position)

    return field


def guess_field(name: str) -> str:
    """Return which field may be meant by a name; empty where none is like it."""
    close_names = get_close_matches(name.lower(), [*FIELDS, *_ALIASES], n=1)
    return _ALIASES.get(close_names[0], close_names[0]) if close_names else ""


def check_operator(
    field: Field, operator: str, value_count: int, position: int
) -> None:
    """Raise `BadQuery` unless `operator` applies to `field` and that many values."""
    if operator in {"=", "!="}:
        return

    if operator == "~":
        is_text = field.kind not in {FieldKind.NUMBER, FieldKind.FLAG}
        if not is_text or field.choices:
            raise bad_query(
                f"`{field.name}` is no free text; use `=`, with `*` where needed",
                position,
            )

        return

    if field.kind is not FieldKind.NUMBER:
        raise bad_query(
            f"`{field.name}` is {field.kind} and has no order; use `=` or `!=`",
            position,
        )

    if value_count > 1:
        raise bad_query(f"`{operator}` compares with one number; leave one", position)


def convert_value(field: Field, value: Glob, operator: str, position: int) -> Value:
    """Return a value as the field's kind has it; raises `BadQuery` for another kind of value."""
    if field.kind is FieldKind.WORDS:
        return _check_phrase(value, position)

    if operator == "~":
        return value.as_substring()

    text = value.pieces[0]
    if field.kind is FieldKind.NUMBER:
        return _convert_number(field, value, operator, position)

    if field.kind is FieldKind.FLAG:
        word = text.lower()
        if not value.is_exact or word not in _FLAG_WORDS:
            raise bad_query(
                f"`{field.name}` is `true` or `false`; write one of these", position
            )

        return _FLAG_WORDS[word]

    if field.choices and value.is_exact and text not in field.choices:
        choices = ", ".join(field.choices)
        close_choices = get_close_matches(text.lower(), field.choices, n=1)
        hint = f" (did you mean `{close_choices[0]}`?)" if close_choices else ""
        raise bad_query(
            f"`{field.name}` is never `{text}`{hint}; use one of: {choices}", position
        )

    return value


def _check_phrase(value: Glob, position: int) -> Glob:
    if read_phrase(value) is None:
        raise bad_query(
            "`text` finds words; write some, of which the last may end with `*`, as in"
            ' `text:"shared mem*"`',
            position,
        )
    return value


def _convert_number(
    field: Field, value: Glob, operator: str, position: int
) -> int | Range:
    text = value.pieces[0]
    if value.is_exact and _is_number(text):
        return int(text)

    least, dots, greatest = text.partition("..")
    ends = [end for end in (least, greatest) if end]
    is_range = value.is_exact and dots and ends and all(map(_is_number, ends))
    if not is_range:
        raise bad_query(
            f"`{field.name}` is a number; write a whole one, or a range as `10..300`",
            position,
        )
    if operator not in {"=", "!="}:
        raise bad_query(f"`{operator}` compares with one number; use `=`", position)

    return Range(
        least=int(least) if least else None,
        greatest=int(greatest) if greatest else None,
    )


def _is_number(text: str) -> bool:
    """Return whether `text` is an integer that both databases can compare with."""
    if not re.fullmatch(r"-?[0-9]{1,19}", text):
        return False
    return abs(int(text)) <= _MAX_NUMBER
