"""Tests that are one text."""

from __future__ import annotations

from dataclasses import replace

from crawler.dataset.programs.single_file_test import (
    MAX_CONTENT_BYTES,
    build_single_file_test,
    select_small_cases,
)
from crawler.model import Case, Dialect, Suite
from tests.run_records import BLOBS, SECRET_CONTENT, make_run_records

RAN, FAILED = make_run_records()
((_, SUITE),) = RAN.suites


def enlarge(case: Case, size: int) -> Case:
    (buffer,) = case.buffers
    return replace(case, buffers=(replace(buffer, size=size),))


def list_names(suite: Suite) -> list[str]:
    return [case.name for case in select_small_cases(suite).cases]


def test_a_case_that_is_held_back_is_not_in_it() -> None:
    assert list_names(SUITE) == ["ordinary"]


def test_a_case_that_is_too_large_is_left_out_and_smaller_ones_stay() -> None:
    shown_case = SUITE.cases[0]
    large = replace(enlarge(shown_case, MAX_CONTENT_BYTES), name="large")
    small = replace(shown_case, name="small")

    assert list_names(replace(SUITE, cases=(large, small))) == ["small"]


def test_cases_fit_together() -> None:
    half = enlarge(SUITE.cases[0], MAX_CONTENT_BYTES // 6)
    cases = tuple(replace(half, name=str(number)) for number in range(3))

    assert list_names(replace(SUITE, cases=cases)) == ["0", "1"]


def test_cases_in_which_nothing_is_written_are_no_test_by_themselves() -> None:
    # what only goes round a branch: `if (data[i] == other[i]) out[i] = i`, never equal
    (shown_case,) = select_small_cases(SUITE).cases
    (buffer,) = shown_case.buffers
    idle = replace(shown_case, name="idle", buffers=(replace(buffer, gold=""),))
    large = replace(enlarge(shown_case, MAX_CONTENT_BYTES), name="large")

    assert list_names(replace(SUITE, cases=(shown_case, idle))) == ["ordinary", "idle"]
    assert list_names(replace(SUITE, cases=(large, idle))) == []


def test_a_kernel_has_a_test_in_its_own_dialect() -> None:
    test = build_single_file_test(RAN, Dialect.CUDA, BLOBS.get)

    assert test is not None
    assert not test.beside
    assert "All tests passed!" in test.source
    assert SECRET_CONTENT.hex() not in test.source


def test_without_cases_there_is_none() -> None:
    assert build_single_file_test(FAILED, Dialect.CUDA, BLOBS.get) is None
    assert build_single_file_test(RAN, Dialect.CUDA, None) is None
