"""Headers that units begin with are precompiled where several begin with the same ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.extract.clang.precompiled_preludes import scratch_folder
from crawler.extract.ladder import precompiled_includes, unit_check
from crawler.extract.ladder.precompiled_includes import (
    PrecompiledIncludes,
    drop_include_options,
    split_includes,
)
from crawler.extract.ladder.unit_check import list_errors, parse_unit_text
from crawler.model import Dialect

PRELUDE = "<kernelset/cuda.cuh>"
HEAD = f"// -std=c++17\n#include {PRELUDE}\n#include <future>\n"
SLOW = precompiled_includes.MIN_SECONDS


@pytest.fixture
def known_includes(monkeypatch: pytest.MonkeyPatch) -> PrecompiledIncludes:
    """What the units of a test leave for each other: each of them counts as slow."""
    known_includes = PrecompiledIncludes()
    monkeypatch.setattr(unit_check, "_precompiled_includes", known_includes)
    monkeypatch.setattr(precompiled_includes, "MIN_SECONDS", 0.0)
    return known_includes


def list_precompiled() -> list[Path]:
    folder = Path(scratch_folder().name)
    return list(folder.glob("includes-*.pch"))


@pytest.fixture(autouse=True)
def no_files() -> None:
    for file in list_precompiled():
        file.unlink()


def test_the_headers_at_the_head_are_found() -> None:
    lines, _ = split_includes(HEAD + "int a;\n#include <map>\n")
    assert lines == f"#include {PRELUDE}\n#include <future>\n"


@pytest.mark.parametrize("head", ["#define A\n", "int a;\n", "\n", '#include "a.h"\n'])
def test_what_stands_before_a_header_counts(head: str) -> None:
    text = f"{head}#include <map>\n"
    assert split_includes(text) == ("", text)


def test_a_text_without_its_headers_keeps_its_places() -> None:
    text = HEAD + "int a;\n"
    _, blanked_text = split_includes(text)
    assert "#include" not in blanked_text
    assert blanked_text.startswith("// -std=c++17\n")
    assert len(blanked_text) == len(text)
    assert blanked_text.splitlines()[3] == "int a;"


def test_flags_that_include_are_left_out() -> None:
    flags = ("-w", "-include", "map", "-DA=1")
    assert list(drop_include_options(flags)) == ["-w", "-DA=1"]


def test_quick_headers_are_not_precompiled() -> None:
    lines, _ = split_includes(HEAD)
    known_includes = PrecompiledIncludes()
    known_includes.note_seconds(lines, (), SLOW / 2)
    assert not known_includes.prepare(lines, ())


def test_the_prelude_alone_is_not_precompiled_again() -> None:
    lines = f"#include {PRELUDE}\n"
    known_includes = PrecompiledIncludes()
    known_includes.note_seconds(lines, (), SLOW * 2)
    assert not known_includes.prepare(lines, ())


@pytest.mark.apt("clang-19")
@pytest.mark.usefixtures("known_includes")
def test_the_second_unit_has_the_same_errors_in_the_same_lines() -> None:
    text = HEAD + "std::promise<int> fine;\n__global__ void k(lib_t *x) { y; }\n"
    first = parse_unit_text(text, Dialect.CUDA, "c++17", PRELUDE)
    assert not list_precompiled()
    second = parse_unit_text(text, Dialect.CUDA, "c++17", PRELUDE)
    assert len(list_precompiled()) == 1
    assert first is not None
    assert second is not None
    assert list_errors(second) == list_errors(first)
    assert [error.lines for error in list_errors(second)] == [(5,), (5,)]


@pytest.mark.apt("clang-19")
@pytest.mark.usefixtures("known_includes")
def test_a_header_with_errors_is_read_by_each_unit() -> None:
    text = HEAD + "#include <not_there.h>\nint a;\n"
    units = [parse_unit_text(text, Dialect.CUDA, "c++17", PRELUDE) for _ in range(2)]
    errors = [list_errors(unit) for unit in units if unit is not None]
    assert errors[0] == errors[1]
    assert "not_there.h" in errors[0][0].message
    assert not list_precompiled()


@pytest.mark.apt("clang-19")
@pytest.mark.usefixtures("known_includes")
def test_what_flags_define_and_include_comes_first() -> None:
    text = "A a;\nstd::promise<B> b;\nstatic_assert(__LINE__ == 3);\n"
    flags = ("-DA=int", "-include", "future", "-DB=A")
    for _ in range(2):
        unit = parse_unit_text(text, Dialect.CUDA, "c++17", PRELUDE, flags)
        assert unit is not None
        assert not list_errors(unit)

    assert len(list_precompiled()) == 1


@pytest.mark.apt("clang-19")
def test_few_enough_are_kept(
    known_includes: PrecompiledIncludes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precompiled_includes, "MAX_KEPT", 1)
    for header in ("future", "regex", "future"):
        text = f"#include {PRELUDE}\n#include <{header}>\nint a;\n"
        for _ in range(2):
            assert parse_unit_text(text, Dialect.CUDA, "c++17", PRELUDE) is not None

        assert len(list_precompiled()) == 1
