from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.errors import BadArchive
from crawler.sources.file_names import check_member_name, is_printable_name


@pytest.mark.parametrize(
    "name", ["a.cu", "src/a b.cu", "é/ü.cuh", "./a", "a/./b", "..a"]
)
def test_a_name_inside_its_folder_is_accepted(name: str) -> None:
    check_member_name(name)


@pytest.mark.parametrize(
    "name",
    ["", ".", "/etc/passwd", "../a", "a/../../b", "a/..", "a\0b", "a\\b", "C:\\a"],
)
def test_a_name_that_leaves_its_folder_is_refused(name: str) -> None:
    with pytest.raises(BadArchive, match=r"would leave its folder.*report it"):
        check_member_name(name)


@pytest.mark.parametrize("name", ["n" * 256, "é" * 128, "/".join(["dir"] * 260)])
def test_a_name_that_no_file_system_takes_is_refused(name: str) -> None:
    with pytest.raises(BadArchive, match="too long"):
        check_member_name(name)


def test_the_longest_names_are_accepted() -> None:
    check_member_name("n" * 255)
    check_member_name("/".join(["d" * 124] * 8))


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m.cu", "\udcff.cu", "a\x7f"])
def test_a_name_with_control_characters_is_not_printable(name: str) -> None:
    assert not is_printable_name(name)
    assert is_printable_name("cafe é 日本")


@given(st.text(max_size=40))
def test_what_is_accepted_stays_below_any_folder(name: str) -> None:
    try:
        check_member_name(name)
    except BadArchive:
        return
    parts = PurePosixPath("/folder", name).parts
    assert parts[:2] == ("/", "folder")
    assert ".." not in parts
    assert len(Path(name).parts) > 0
