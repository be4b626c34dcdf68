"""Values of a stranger's JSON have the type that they should have, or the reader is told where."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dataset.imported.json_values import JsonObject

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner)
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"),
        (True, "true or false"),
        (7, "a number"),
        (0.5, "a number"),
        ("x", "a text"),
        ([], "a list"),
    ],
)
def test_what_is_no_object_is_called_by_its_type(value: object, kind: str) -> None:
    with pytest.raises(ValueError, match=f"line 3 is {kind} and no object"):
        JsonObject(value, "line 3")


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (None, ()),
        ("", ()),
        # what an agent in Python writes of a message that it does not have
        ("None", ()),
        ("none", ("none",)),
        ("code", ("code",)),
        ([], ()),
        (["a", "b"], ("a", "b")),
        (["a", None, "b"], ("a", "b")),
        # a candidate with the time that it took
        ([["a", 1.5], ["b", 2]], ("a", "b")),
        ([[None, 3]], ()),
        (["None"], ("None",)),
    ],
)
def test_texts_are_read_in_every_form(value: object, texts: tuple[str, ...]) -> None:
    row = JsonObject({"label": value}, "line 1")
    assert row.read_texts("label") == texts
    assert row.read_text("label") == "\n".join(texts)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (3, "is a number: give a text, or a list of texts"),
        (False, "is true or false: give a text, or a list of texts"),
        ({}, "is an object: give a text, or a list of texts"),
        ([3], "is a number: give a list of texts"),
        ([[]], "is a list: give a list of texts"),
        ([{}], "is an object: give a list of texts"),
        ([["a"], [["b"]]], "is a list: give a list of texts"),
    ],
)
def test_what_is_no_text_is_refused_with_its_place(value: object, reason: str) -> None:
    row = JsonObject({"label": value}, "line 9")
    with pytest.raises(ValueError, match=f"`label` of line 9 {reason}"):
        row.read_texts("label")


@pytest.mark.parametrize("passed", [True, False, None])
def test_a_verdict_is_given_or_was_not_reached(passed: bool | None) -> None:
    assert JsonObject({"pass_exe": passed}, "line 1").read_verdict("pass_exe") is passed
    assert JsonObject({}, "line 1").read_verdict("pass_exe") is None


@pytest.mark.parametrize("value", [0, 1, "true", "", [], {}])
def test_what_only_looks_like_a_verdict_is_refused(value: object) -> None:
    row = JsonObject({"pass_exe": value}, "line 2")
    with pytest.raises(
        ValueError, match=r"`pass_exe` of line 2 .* true, false or null"
    ):
        row.read_verdict("pass_exe")


def test_half_a_character_can_be_stored() -> None:
    row = JsonObject({"label": "a\ud800b", "several": ["\udcff"]}, "line 1")
    assert row.read_text("label") == "a?b"
    assert row.read_texts("several") == ("?",)


@given(value=JSON_VALUES)
def test_any_value_is_read_as_texts_or_refused_by_name(value: Any) -> None:
    row = JsonObject({"label": value}, "line 1")
    message = ""
    try:
        texts = row.read_texts("label")
    except ValueError as error:
        message = str(error)
    else:
        assert all(text.encode() is not None for text in texts)
        assert value is None or isinstance(value, str | list)
    assert "`label` of line 1" in message or not message
