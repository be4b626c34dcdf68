"""The call that a search ended with, read off what a stranger's program printed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.validate.launchers.call_search import (
    FoundCall,
    are_all_accepted,
    list_checked_calls,
    read_accepted_calls,
    read_found_call,
    wants_other_types,
)
from crawler.validate.programs.runs.launch_log import parse_launch_log
from crawler.validate.programs.runs.program_runs import ProgramRun

FAULTY = FoundCall(
    choices="0,2",
    accepted=0b111,
    clean=1,
    is_checked=True,
    suits_zeros=False,
    evaluations=3,
)


def run(output: str) -> ProgramRun:
    return ProgramRun(log=parse_launch_log(""), exit_code=0, output=output)


def test_a_search_says_which_instances_the_launcher_accepts() -> None:
    found_call = read_found_call(
        run("noise\nkernelset-call clean 7 7 1 12 0,2,1\nmore\n")
    )
    assert found_call is not None
    assert found_call.call == "7,0,2,1"
    assert found_call.accepted_count == 3
    assert found_call.is_clean
    assert not found_call.suits_zeros


def test_all_instances_that_there_may_be_are_read() -> None:
    found_call = read_found_call(run(f"kernelset-call clean {2**32 - 1} 1 1 12 0\n"))
    assert found_call is not None
    assert found_call.accepted_count == 32


def test_instances_in_which_something_goes_wrong_are_not_clean() -> None:
    found_call = read_found_call(run("kernelset-call open 7 5 0 12 0\n"))
    assert found_call is not None
    assert found_call.clean_count == 2
    assert not found_call.is_clean
    assert found_call.suits_zeros
    assert not found_call.is_checked


@pytest.mark.parametrize(
    "output",
    [
        "",
        "kernelset-call none 0 0 0 60 \n",
        "kernelset-call refused 0 0 0 60 \n",
        "kernelset-call clean 7 7 1\n",
        "kernelset-call clean 7 7 1 12 0,2; rm -rf\n",
        "said kernelset-call clean 7 7 1 12 0\n",
        f"kernelset-call clean 7 7 1 {'9' * 5000} 0\n",
    ],
)
def test_no_call_is_read_where_none_was_found_or_the_line_is_another(
    output: str,
) -> None:
    assert read_found_call(run(output)) is None


def test_only_calls_that_the_launcher_accepted_are_read() -> None:
    output = (
        "kernelset-test 1 1 f(float[4])\n"
        "kernelset-test 2 0 f(float[5])\n"
        "kernelset-test 3 1 g(2)\n"
    )
    assert list(read_accepted_calls(run(output))) == [(1, "f(float[4])"), (3, "g(2)")]


def test_all_calls_are_accepted_where_none_is_refused_or_missing() -> None:
    accepted = "kernelset-test 1 1 f(2)\nkernelset-test 12 1 f(2)\n"

    assert are_all_accepted(run(accepted), 2)
    assert not are_all_accepted(run(accepted), 3)
    assert not are_all_accepted(run(f"{accepted}kernelset-test 2 0 f(3)\n"), 2)


def test_a_call_that_fills_the_page_is_cut() -> None:
    ((_, call),) = read_accepted_calls(run(f"kernelset-test 1 1 f({'x' * 5000})\n"))
    assert len(call) < 500
    assert call.startswith("f(xxx")


def test_a_fault_is_the_kernels_where_some_call_is_clean() -> None:
    assert FAULTY.is_telling
    assert not replace(FAULTY, is_checked=False).is_telling
    assert not replace(FAULTY, suits_zeros=True).is_telling


def test_a_fault_in_every_call_is_the_kernels_after_many_tries_only() -> None:
    nowhere_clean = replace(FAULTY, clean=0)
    assert not nowhere_clean.is_telling
    assert replace(nowhere_clean, evaluations=60).is_telling


def test_fewer_instances_are_asked_for_with_the_same_choices() -> None:
    assert FAULTY.limit_instances(0b1010).call == "2,0,2"


def test_a_test_with_a_number_beyond_all_numbers_is_none_of_ours() -> None:
    assert list(read_accepted_calls(run(f"kernelset-test {'9' * 5000} 1 f()\n"))) == []


def test_a_search_that_wants_other_types_says_so() -> None:
    assert wants_other_types(run("kernelset-call refused 0 0 0 60 0,1\n"))
    assert not wants_other_types(run("kernelset-call none 0 0 0 60 0,1\n"))
    assert not wants_other_types(run("kernelset-call clean 7 7 1 12 0,2,1\n"))
    assert not wants_other_types(run("a crash"))


def test_the_last_call_that_was_found_is_the_best() -> None:
    output = "kernelset-call clean 7 7 1 3 0\nkernelset-call faulty 7 3 1 40 5\n"
    found_call = read_found_call(run(output))

    assert found_call is not None
    assert found_call.choices == "5"
    assert not found_call.is_clean


def test_calls_whose_contents_were_looked_at_are_accepted_ones() -> None:
    calls = run("kernelset-test 1 2 f(int32[3])\nkernelset-test 2 1 f(int32[4])\n")
    refused = run("kernelset-test 3 0 f(int32[5])\n")

    assert list_checked_calls(calls) == {1}
    assert [number for number, _ in read_accepted_calls(calls)] == [1, 2]
    assert are_all_accepted(calls, 2)
    assert not list_checked_calls(refused)
    assert not are_all_accepted(refused, 1)
