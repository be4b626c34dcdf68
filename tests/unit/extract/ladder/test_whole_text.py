"""A whole translation unit compiles for its device though the host lacks a header."""

from __future__ import annotations

import pytest

from crawler.extract.ladder import whole_text
from tests.unit.extract.ladder.conftest import ParseProject

pytestmark = pytest.mark.apt("clang-19")

SOURCE = """#include <no/such/library.h>
using namespace library::literals;
struct Table {
  void fill(library::Size count);
  __device__ int get(int i) const;
  int size() const { return library::size(*this); }
};
__device__ int Table::get(int i) const { return i; }
void prepare(library::Size count) {}
__global__ void k(Table t, int *x) { x[0] = t.get(1); }
"""


def test_what_the_host_lacks_a_header_for_goes(parse_project: ParseProject) -> None:
    text = parse_project(SOURCE).facts.whole_text
    assert "library::" not in text
    assert "__device__ int get(int i) const;" in text
    assert "int Table::get(int i) const { return i; }" in text


def test_a_broken_unit_that_took_long_has_no_whole_text(
    parse_project: ParseProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_text, "_MAX_SECONDS_BEFORE_MENDING", 0.0)
    facts = parse_project(SOURCE).facts
    assert facts.whole_text == ""
    assert [kernel.name for kernel in facts.kernels] == ["k"]
    assert parse_project("__global__ void k(int *x) { x[0] = 1; }\n").facts.whole_text


def test_a_unit_without_errors_keeps_its_declarations(
    parse_project: ParseProject,
) -> None:
    text = parse_project(
        "struct Table { void fill(int count); };\nvoid prepare(int count) {}\n"
        "__global__ void k(int *x) { x[0] = 1; }\n"
    ).facts.whole_text
    assert "void fill(int count);" in text
    assert "void prepare(int count);" in text.replace(") ;", ");")
