from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.commands import compilers
from crawler.builds.commands.compilers import is_compiler, iter_source_entries


def list_sources(command: str) -> list[str]:
    return [entry.file for entry in iter_source_entries(command.split(), "/src")]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("nvcc", True),
        ("/usr/local/cuda/bin/nvcc", True),
        ("x86_64-linux-gnu-g++-12", True),
        ("clang++-18", True),
        ("hipcc.bin", True),
        ("mpicxx", True),
        ("ld", False),
        ("nvcc_wrapper", False),
        ("echo", False),
        ("", False),
    ],
)
def test_compilers_are_told_by_name(program: str, expected: bool) -> None:
    assert is_compiler(program) is expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("nvcc -c k.cu -o k.o", ["k.cu"]),
        ("g++ -c a.cpp b.cc c.c", ["a.cpp", "b.cc", "c.c"]),
        ("nvcc -I k.cu -c l.cu", ["l.cu"]),
        ("nvcc -Xcompiler k.cu l.cu", ["l.cu"]),
        ("nvcc -c k.cu k.cu", ["k.cu"]),
        ("nvcc -o app k.o libx.a", []),
        ("nvcc -x cu kernels.inc k.o", ["kernels.inc"]),
        ("clang++ -x hip kernels", ["kernels"]),
        ("nvcc -x none kernels.inc", []),
        ("nvcc kernels.inc", []),
        ("nvcc @args.rsp", []),
        ("nvcc --version", []),
        ("nvcc -o", []),
    ],
)
def test_sources_are_what_is_compiled(command: str, expected: list[str]) -> None:
    assert list_sources(command) == expected


def test_each_source_has_the_whole_command_line() -> None:
    words = ["nvcc", "-DX", "a.cu", "b.cu"]
    entries = list(iter_source_entries(words, "/src/build"))
    assert [entry.directory for entry in entries] == ["/src/build"] * 2
    assert [entry.split_words() for entry in entries] == [words] * 2


def test_a_very_long_command_line_has_fewer_entries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compilers, "_MAX_WORDS", 40)
    command = "nvcc " + " ".join(f"{number}.cu" for number in range(9))
    assert len(list_sources(command)) == 4
    monkeypatch.setattr(compilers, "_MAX_WORDS", 1)
    assert len(list_sources(command)) == 1


@given(st.lists(st.text(max_size=10) | st.sampled_from(["-x", "cu", "-o", "a.cu"])))
def test_sources_are_words_of_the_command_line(words: list[str]) -> None:
    for entry in iter_source_entries(["nvcc", *words], "."):
        assert entry.file in words
        assert not entry.file.startswith(("-", "@"))
