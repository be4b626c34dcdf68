from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.errors import BadArchive
from crawler.sources.file_names import (
    check_member_name,
    is_printable_name,
    read_spelling,
    spell_name,
    spell_path,
)


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


@pytest.mark.parametrize(
    ("raw", "spelled"),
    [
        (b"gr\xf6\xdfe.cu", "gr%F6%DFe.cu"),
        ("größe.cu".encode(), "größe.cu"),
        (b"100%.cu", "100%.cu"),
        (b"a%20b.cu", "a%20b.cu"),
        (b"gr%F6.cu", "gr%25F6.cu"),
        (b"a\\b\x1b.cu", "a%5Cb%1B.cu"),
    ],
)
def test_a_name_is_spelled_as_text(raw: bytes, spelled: str) -> None:
    assert spell_name(os.fsdecode(raw)) == spelled


RAW_NAME = st.binary(max_size=40) | st.lists(
    st.sampled_from([b"%", b"F6", b"\xf6", b"25", b"5C", b"\\", b"a"])
).map(b"".join)


@given(RAW_NAME.filter(lambda name: b"\0" not in name))
def test_a_spelling_is_text_and_leads_back(raw: bytes) -> None:
    spelled = spell_name(os.fsdecode(raw))
    assert spelled.isprintable()
    assert spelled == spelled.encode().decode()
    assert os.fsencode(read_spelling(spelled)) == raw


def test_a_name_that_its_escapes_make_too_long_is_cut() -> None:
    long_names = [os.fsdecode(b"\xf6" * 250 + end + b".cu") for end in (b"a", b"b")]
    paths = [spell_path(f"{name}/{name}") for name in long_names]
    paths += [spell_path("/".join([name[:180]] * 4 + [name])) for name in long_names]
    assert len(set(paths)) == 4
    for path in paths:
        check_member_name(path)
        assert path.endswith(".cu")


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
