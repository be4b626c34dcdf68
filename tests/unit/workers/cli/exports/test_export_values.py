"""What the options of an export mean, and what is said where they mean nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.errors import Misconfigured
from crawler.model import LicenceClass
from storage.errors import BadQuery
from storage.index.query.conditions import Conjunction
from storage.index.query.parser import parse_query
from workers.cli.exports.export_values import (
    add_superseded_term,
    load_decontamination,
    parse_licence_classes,
    parse_shares,
    refuse_to_overwrite,
)


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("permissive", {"permissive"}),
        ("permissive,copyleft", {"permissive", "copyleft"}),
        (" copyleft , none ", {"copyleft", "none"}),
        ("any", set(LicenceClass)),
    ],
)
def test_licence_classes_are_named(text: str, classes: set[str]) -> None:
    assert parse_licence_classes(text) == {LicenceClass(name) for name in classes}


@pytest.mark.parametrize("text", ["", "MIT", "Permissive", "permissive,,none", ","])
def test_a_class_of_licences_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Misconfigured, match="permissive") as raised:
        parse_licence_classes(text)
    assert raised.value.code


@pytest.mark.parametrize(
    "where", ["", "  ", "name = a", "name = a or name = b", "not tag = trivial"]
)
def test_an_export_has_no_superseded_kernel_unless_it_was_asked_for(where: str) -> None:
    assert add_superseded_term(where, True) == where
    condition = parse_query(add_superseded_term(where, False))
    # it binds all of the expression, and not its last alternative alone
    if where.strip():
        assert isinstance(condition, Conjunction)
        expected = (parse_query(where), parse_query("superseded = no"))
        assert condition.operands == expected
    else:
        assert condition == parse_query("superseded = no")


@pytest.mark.parametrize(
    "where",
    [
        "superseded = yes",
        "name = a and superseded = no",
        "not (tag = x or superseded = yes)",
    ],
)
def test_who_speaks_of_superseded_kernels_gets_what_they_say(where: str) -> None:
    assert add_superseded_term(where, False) == where


@pytest.mark.parametrize(
    "where",
    [
        "name = superseded",
        "path = old/superseded/*",
        "superseded",
        '"superseded = yes"',
    ],
)
def test_a_name_that_is_the_word_says_nothing_of_what_is_superseded(where: str) -> None:
    condition = parse_query(add_superseded_term(where, False))
    assert isinstance(condition, Conjunction)
    assert condition.operands == (parse_query(where), parse_query("superseded = no"))


@pytest.mark.parametrize("where", ["a) or (b", "name = a) or (name = b", ") (", "a)"])
def test_brackets_that_only_ours_would_close_are_refused(where: str) -> None:
    """`(a) or (b) superseded = no` would give the superseded ones of `a`, too."""
    with pytest.raises(BadQuery, match="no bracket was opened"):
        add_superseded_term(where, False)


def test_an_error_is_told_at_its_place_in_what_was_written() -> None:
    with pytest.raises(BadQuery) as raised:
        add_superseded_term("nome = a", False)
    assert raised.value.position == 0


@given(where=st.text(alphabet='ab=<>~(),"* .-|superseded\n', max_size=40))
def test_whatever_is_asked_for_is_refused_or_stays_a_query(where: str) -> None:
    try:
        parse_query(where)
    except BadQuery:
        with pytest.raises(BadQuery):
            add_superseded_term(where, False)
    else:
        parse_query(add_superseded_term(where, False))


@pytest.mark.parametrize(
    ("splits", "split", "form", "names"),
    [
        ("", "", "jsonl", []),
        ("", "", "huggingface", ["train", "validation", "test"]),
        ("", "test", "jsonl", ["train", "validation", "test"]),
        ("a=0.5,b=0.5", "b", "parquet", ["a", "b"]),
        ("a=0.5,b=0.5", "", "huggingface", ["a", "b"]),
    ],
)
def test_splits_are_those_that_were_asked_for_or_the_usual_ones(
    splits: str, split: str, form: str, names: list[str]
) -> None:
    shares = parse_shares(splits, split, form, 0)
    assert [name for name, _ in shares.shares] == names if shares else names == []


@pytest.mark.parametrize(
    ("splits", "split", "form", "reason"),
    [
        ("a=0.5,b=0.5", "", "jsonl", "--split"),
        ("a=0.5,b=0.5", "c", "jsonl", "c"),
        ("", "dev", "jsonl", "dev"),
        ("a=1.5", "a", "jsonl", "no split"),
        ("a=0.5,a=0.5", "a", "jsonl", "no split"),
        ("a=0.5,b=0.4", "a", "jsonl", "sum to 0.9"),
        ("a=nan,b=0.5", "a", "jsonl", "no split"),
        ("a=inf", "a", "jsonl", "no split"),
    ],
)
def test_splits_that_are_none_are_refused(
    splits: str, split: str, form: str, reason: str
) -> None:
    with pytest.raises(Misconfigured, match=reason) as raised:
        parse_shares(splits, split, form, 0)
    assert raised.value.code == "bad-splits"


def test_without_a_benchmark_nothing_is_left_out() -> None:
    assert load_decontamination(None) is None
    assert load_decontamination([]) is None


def test_a_file_of_somebody_elses_is_replaced_by_force_alone(tmp_path: Path) -> None:
    destination = tmp_path / "thesis.txt"
    refuse_to_overwrite(destination, False)
    destination.write_text("mine")
    with pytest.raises(Misconfigured) as raised:
        refuse_to_overwrite(destination, False)
    assert raised.value.code == "destination-exists"
    refuse_to_overwrite(destination, True)
    assert destination.read_text() == "mine"
