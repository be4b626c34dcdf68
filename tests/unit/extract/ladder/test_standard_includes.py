"""A unit that lacks a name of `std` takes the standard headers that its files include."""

from __future__ import annotations

import pytest

from crawler.extract.ladder.standard_includes import include_standard_headers
from crawler.model import Rung
from tests.unit.extract.ladder.conftest import ParseProject

pytestmark = pytest.mark.apt("clang-19")

HEADER = """#pragma once
#include <atomic>
#include <vector>  // #include <regex>
#include "other.h"
using level_t = std::atomic_int;
struct Log { level_t level; int count; };
"""
KERNEL = "__global__ void k(Log *log) { log->count = 1; }"
FILES = {"log.h": HEADER, "other.h": "", "a.cu": f'#include "log.h"\n{KERNEL}\n'}


def test_a_name_that_no_table_has_brings_the_headers_of_its_files(
    parse_project: ParseProject,
) -> None:
    kernel = parse_project(FILES).kernels["k"]

    assert kernel.closure is not None
    assert kernel.closure.rung is Rung.MINIMAL
    assert kernel.closure.attempts == ()
    assert "<atomic>" in kernel.closure.includes
    assert "<regex>" not in kernel.closure.includes


@pytest.mark.parametrize(
    ("message", "is_completed"),
    [
        ("no type named 'atomic_int' in namespace 'std'", True),
        ("no template named 'latch' in namespace 'std'; did you mean 'launch'?", True),
        ("implicit instantiation of undefined template 'std::array<int, 3>'", True),
        ("no type named 'atomic_int' in namespace 'own'", False),
        ("use of undeclared identifier 'x'", False),
    ],
)
def test_only_what_lacks_a_name_of_std_gets_them(
    parse_project: ParseProject, message: str, is_completed: bool
) -> None:
    project = parse_project(FILES)
    closure = project.kernels["k"].closure
    assert closure is not None
    bare = closure.__class__(
        includes=closure.includes[:1], fragments=closure.fragments, origins=()
    )
    completed = include_standard_headers(bare, [message], project.parse_pass.context)
    assert (completed is not None) is is_completed
    if completed is not None:
        assert completed.includes[1:] == ("<atomic>", "<vector>")
        again = include_standard_headers(
            completed, [message], project.parse_pass.context
        )
        assert again is None
