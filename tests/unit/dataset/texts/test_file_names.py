"""File names of kernels: portable, and each owner's own."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from crawler.dataset.texts.file_names import (
    UniqueFileNames,
    format_file_stem,
    format_instantiation_name,
    sanitize_name,
)


@given(st.text())
def test_any_name_is_portable(text: str) -> None:
    name = sanitize_name(text)
    assert re.fullmatch(r"\w+", name, re.ASCII)
    assert len(name) < 140


def test_a_name_says_what_it_is_of() -> None:
    assert format_instantiation_name("blur", "float_4") == "blur_float_4"
    assert format_instantiation_name("blur", "") == "blur"
    assert format_file_stem("src/blur.forward.cu") == "blur_forward"
    assert sanitize_name("~") == "unnamed"


def test_long_names_that_begin_alike_differ() -> None:
    assert sanitize_name("a" * 300) != sanitize_name("a" * 301)


def test_who_comes_first_has_the_plain_name() -> None:
    names = UniqueFileNames()
    assert names.claim("blur", "one") == "blur"
    assert names.claim("blur", "one") == "blur"
    assert names.claim("Blur", "two", "stem") == "Blur__stem"
    third = names.claim("blur", "three", "stem")
    assert re.fullmatch(r"blur__[0-9a-f]{8}", third)
    assert UniqueFileNames({"blur": "one"}).claim("BLUR", "two") != "BLUR"


@given(st.lists(st.tuples(st.sampled_from(["a", "A", "b"]), st.text(max_size=3))))
def test_no_two_owners_share_a_file_whatever_the_case(
    claims: list[tuple[str, str]],
) -> None:
    names = UniqueFileNames()
    owner_by_name: dict[str, str] = {}
    for preferred, owner in claims:
        name = names.claim(preferred, owner, "hint").casefold()
        assert owner_by_name.setdefault(name, owner) == owner
