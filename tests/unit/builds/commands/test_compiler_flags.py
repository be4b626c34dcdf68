from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.commands.compiler_flags import (
    split_flag,
    takes_value,
    translate_cl_macro,
    translate_cl_words,
)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("-Iinc", ("-I", "inc")),
        ("-I=inc", ("-I", "inc")),
        ("-I", ("-I", None)),
        ("-isystem=inc", ("-isystem", "inc")),
        ("-DX=1", ("-D", "X=1")),
        ("--define-macro=X=1", ("--define-macro", "X=1")),
        ("-Wp,-DX", ("-Wp", "-DX")),
        ("-Wall", ("-Wall", None)),
        ("-std=c++17", ("-std", "c++17")),
        ("--c++17", ("-std", "c++17")),
        ("-xcu", ("-x", "cu")),
        ("-fvisibility=hidden", ("-fvisibility=hidden", None)),
        ("k.cu", ("k.cu", None)),
        ("--gpu-architecture=sm_80", ("--gpu-architecture", "sm_80")),
        ("-Xptxas", ("-Xptxas", None)),
    ],
)
def test_a_flag_is_split_into_name_and_value(
    word: str, expected: tuple[str, str | None]
) -> None:
    assert split_flag(word) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("-o", True),
        ("-gencode", True),
        ("-Xcudafe", True),
        ("-Xarch_device", True),
        ("-maxrregcount", True),
        ("-c", False),
        ("-O3", False),
        ("--use_fast_math", False),
        ("k.cu", False),
    ],
)
def test_some_flags_take_the_next_word(name: str, expected: bool) -> None:
    assert takes_value(name) is expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["/DX", "/UY"], ["-D", "X", "-U", "Y"]),
        (["/I", "inc", "-Iother"], ["-I", "inc", "-I", "other"]),
        (["/external:I", "lib"], ["-isystem", "lib"]),
        (["/FIforced.h"], ["-include", "forced.h"]),
        (["/std:c++20"], ["-std=c++20"]),
        (["/D"], ["-D", ""]),
        (["/nologo", "k.cpp"], ["/nologo", "k.cpp"]),
    ],
)
def test_words_of_cl_are_spelt_as_gccs(words: list[str], expected: list[str]) -> None:
    assert list(translate_cl_words(words)) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [("/DX=1", "-DX=1"), ("/UX", "-UX"), ("/D/path", "/D/path"), ("-DX", "-DX")],
)
def test_only_macros_of_cl_are_taken_among_other_words(
    word: str, expected: str
) -> None:
    assert translate_cl_macro(word) == expected


@given(st.text(max_size=30))
def test_the_parts_of_any_flag_make_it_up(word: str) -> None:
    name, value = split_flag(word)
    if value is None:
        assert name == word
    else:
        assert word.endswith(value)
