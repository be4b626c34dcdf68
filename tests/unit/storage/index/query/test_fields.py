"""Fields, operators and values of terms."""

from __future__ import annotations

from dataclasses import fields

import pytest

from storage.errors import BadQuery
from storage.index.query.fields import (
    FIELDS,
    check_operator,
    convert_value,
    field_names,
    find_field,
)
from storage.index.query.glob import Glob
from storage.index.query.terms import FieldKind
from storage.interfaces import KernelRow


def test_every_field_is_one_of_a_row_or_derived_from_it() -> None:
    attributes = {field.name for field in fields(KernelRow)}
    for field in FIELDS.values():
        # of a text a row has only where it stands
        if field.name not in ("lines", "text"):
            assert (field.row_attribute or field.name) in attributes


def test_a_field_may_be_written_as_the_row_has_it() -> None:
    assert find_field("tags", "", 0) is FIELDS["tag"]
    assert find_field("tag", "", 0) is FIELDS["tag"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("names", "name"),
        ("repos", "repo"),
        ("launch", "launches"),
        ("licences", "licence"),
        ("licence_classes", "licence_class"),
        ("waves", "wave"),
        ("pass_calls", "pass_call"),
        # both are fields, and no form of the other
        ("line", "line"),
        ("lines", "lines"),
        ("reason", "reason"),
        ("reasons", "reasons"),
    ],
)
def test_a_field_is_known_in_the_singular_and_the_plural(
    written: str, meant: str
) -> None:
    assert find_field(written, "", 0) is FIELDS[meant]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("license", "licence"),
        ("Name", "name"),
        ("digset", "digest"),
        ("instanciations", "instantiation"),
        ("passcall", "pass_call"),
    ],
)
def test_an_unknown_field_is_answered_with_the_one_that_is_like_it(
    written: str, meant: str
) -> None:
    with pytest.raises(BadQuery, match=rf"no field \(did you mean `{meant}`\?\);"):
        find_field(written, "", 0)


def test_a_field_like_no_other_is_answered_with_all_of_them() -> None:
    with pytest.raises(BadQuery, match=r"is no field; .* use one of: class, cluster"):
        find_field("xyzzy", "", 0)


def test_verdicts_say_what_may_follow_them() -> None:
    assert "pass_call.TARGET" in field_names()
    assert "pass_exe.DEVICE" in field_names()
    assert "name" in field_names()


@pytest.mark.parametrize("kind", list(FieldKind))
def test_only_numbers_have_an_order(kind: FieldKind) -> None:
    field = next(field for field in FIELDS.values() if field.kind is kind)
    check_operator(field, "=", 3, 0)
    check_operator(field, "!=", 3, 0)
    if kind is FieldKind.NUMBER:
        check_operator(field, "<=", 1, 0)
        return
    with pytest.raises(BadQuery, match="has no order"):
        check_operator(field, "<=", 1, 0)


@pytest.mark.parametrize(
    ("text", "number"), [("5", 5), ("-3", -3), (str(2**63 - 1), 2**63 - 1)]
)
def test_numbers_have_64_bits(text: str, number: int) -> None:
    assert convert_value(FIELDS["lines"], Glob((text,)), "=", 0) == number
    with pytest.raises(BadQuery, match="is a number"):
        convert_value(FIELDS["lines"], Glob((str(2**63),)), "=", 0)


@pytest.mark.parametrize(
    ("text", "flag"), [("TRUE", True), ("no", False), ("0", False)]
)
def test_flags_have_several_words(text: str, flag: bool) -> None:
    assert convert_value(FIELDS["is_template"], Glob((text,)), "=", 0) is flag


def test_a_pattern_of_choices_need_not_be_one_of_them() -> None:
    pattern = Glob(("cu", ""))
    assert convert_value(FIELDS["dialect"], pattern, "=", 0) is pattern
    with pytest.raises(BadQuery, match="use one of: cuda, hip"):
        convert_value(FIELDS["dialect"], Glob(("cu",)), "=", 0)
