from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.commands import response_files
from crawler.builds.commands.response_files import (
    MAX_WORDS,
    expand_response_files,
    split_command_line,
    split_response_file,
)


@pytest.mark.parametrize(
    ("text", "gcc", "nvcc"),
    [
        ('"-Ia b" -D"X"=\'c d\'\n-DY', ["-Ia b", "-DX=c d", "-DY"], None),
        (r"a\ b 'c\'d' \\", ["a b", "c'd", "\\"], None),
        (r"-IC:\src\inc", ["-IC:srcinc"], [r"-IC:\src\inc"]),
        ('"never closed', ["never closed"], None),
        ('""', [""], None),
        ("\ufeff-DX", ["-DX"], None),
    ],
)
def test_response_files_are_quoted_as_their_compiler_reads_them(
    text: str, gcc: list[str], nvcc: list[str] | None
) -> None:
    assert list(split_response_file(text)) == gcc
    assert list(split_response_file(text, for_nvcc=True)) == (nvcc or gcc)


def test_a_command_whose_quotes_do_not_close_is_still_split() -> None:
    assert split_command_line("g++ -DX='a b.cpp") == ["g++", "-DX='a", "b.cpp"]


def expand(words: list[str], files: dict[str, str]) -> list[str]:
    return list(expand_response_files(words, files.get))


def test_a_file_stands_for_its_words_also_within_another() -> None:
    files = {"a": "-DX @b", "b": "'two words'"}
    assert expand(["nvcc", "@a", "k.cu"], files) == ["nvcc", "-DX", "two words", "k.cu"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--options-file", "a,b"], ["-DA", "-DB"]),
        (["--options-file=a,b"], ["-DA", "-DB"]),
        (["-optf", "a"], ["-DA"]),
        (["-optf"], []),
        (["@missing", "-DX"], ["-DX"]),
        (["--options", "a"], ["--options", "a"]),
    ],
)
def test_flags_of_nvcc_name_response_files(
    words: list[str], expected: list[str]
) -> None:
    assert expand(words, {"a": "-DA", "b": "-DB"}) == expected


def test_files_that_name_each_other_end() -> None:
    assert expand(["@a"], {"a": "@b x", "b": "@a y"}).count("x") <= 5
    assert len(expand(["@a"], {"a": "-DX " * 2 * MAX_WORDS})) == MAX_WORDS


def test_a_bounded_number_of_files_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_files, "_MAX_FILES", 2)
    assert expand(["@a"] * 3, {"a": "x"}) == ["x", "x"]
    monkeypatch.setattr(response_files, "_MAX_TEXT_CHARS", 3)
    assert expand(["@a"] * 3, {"a": "xy"}) == ["xy", "x"]


@given(st.lists(st.text(min_size=1, max_size=10), max_size=6))
def test_words_that_a_shell_quotes_are_read_back(words: list[str]) -> None:
    assert split_command_line(shlex.join(words)) == words


@given(st.text(max_size=40))
def test_any_text_is_split(text: str) -> None:
    for for_nvcc in (False, True):
        words = list(split_response_file(text, for_nvcc=for_nvcc))
        assert sum(map(len, words)) <= len(text)
