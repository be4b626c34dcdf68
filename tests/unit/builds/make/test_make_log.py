from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.make.make_log import parse_make_log


def list_calls(text: str) -> list[tuple[str, str]]:
    return [(entry.directory, entry.file) for entry in parse_make_log(text, "/src")]


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("nvcc -c k.cu", "/src"),
        ("/usr/local/cuda-12.1/bin/nvcc -Iinc k.cu -o k", "/src"),
        ("cd a/b && nvcc -c k.cu", "/src/a/b"),
        ("cd a; cd ../c; hipcc -c k.cu", "/src/c"),
        (
            "mkdir -p out && X=1 CC=gcc ccache nvcc -c k.cu 2>/dev/null >out/log || true",
            "/src",
        ),
        ("(cd a && nvcc -c k.cu)", "/src/a"),
        ("if true; then nvcc -c k.cu; fi", "/src"),
        ("nvcc -c 'k.cu' $(pkg-config --cflags x) `cat more`", "/src"),
        ("@echo compiling; nvcc -c k.cu", "/src"),
        ("some-compiler -c k.cu -o k.o", "/src"),
        ("aarch64-linux-gnu-g++-12 -x cu -c k.cu", "/src"),
    ],
)
def test_a_call_of_a_compiler_is_found_in_a_shell_line(line: str, where: str) -> None:
    assert list_calls(line) == [(where, "k.cu")]


@pytest.mark.parametrize(
    "line",
    [
        "echo nvcc -o k.cu",
        "rm -f k.cu",
        "for f in a.cu; do nvcc -c $f; done",
        "nvcc 'k.cu",
        "nvcc -c k.o -o k.cu",
        "g++ x.o -o x",
        "make -C k.cu",
    ],
)
def test_what_calls_no_compiler_of_a_known_source_is_left_out(line: str) -> None:
    assert list_calls(line) == []


def test_folders_are_those_that_make_says_it_enters() -> None:
    text = (
        "make: Entering directory '/src'\nmake[1]: Entering directory '/src/a b'\nnvcc -c x.cu\n"
        "gmake[2]: Entering directory `/src/c'\nnvcc -c y.cu\nmake[1]: Leaving directory '/src/a b'\nnvcc -c z.cu\n"
        "make[1]: Leaving directory '/never/entered'\nnvcc -c w.cu\n"
    )
    assert list_calls(text) == [
        ("/src/a b", "x.cu"),
        ("/src/c", "y.cu"),
        ("/src", "z.cu"),
        ("/src", "w.cu"),
    ]


def test_a_line_goes_on_after_a_backslash() -> None:
    (entry,) = parse_make_log("nvcc -DA \\\n  -DB \\\n  -c k.cu\n", "/src")
    assert entry.split_words() == ["nvcc", "-DA", "-DB", "-c", "k.cu"]


def test_each_source_of_a_call_has_an_entry() -> None:
    assert list_calls("nvcc a.cu b.cpp b.cpp c.o -o d") == [
        ("/src", "a.cu"),
        ("/src", "b.cpp"),
    ]


@pytest.mark.parametrize(
    "text",
    ["nvcc " + "a.cu " * 10_000, "nvcc -c a.cu \\\n" * 5000, "(" * 50_000 + "a.cu"],
)
def test_a_huge_log_costs_little(text: str) -> None:
    began = time.process_time()
    assert len(parse_make_log(text, "/src")) <= 5000
    assert time.process_time() - began < 10


@given(st.text(alphabet="nvc.u -\"'\\$()`&|;<>\n\0ä", max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    for entry in parse_make_log(text, "/src"):
        assert entry.directory.startswith("/")
