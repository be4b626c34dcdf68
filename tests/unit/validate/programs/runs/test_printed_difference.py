"""How far from its host's results a program says that its kernels' are."""

from __future__ import annotations

import pytest

from crawler.validate.programs.runs.launch_log import LaunchLog
from crawler.validate.programs.runs.printed_difference import quote_far_difference
from crawler.validate.programs.runs.program_runs import ProgramRun


def run(output: str) -> ProgramRun:
    return ProgramRun(log=LaunchLog(), exit_code=0, output=output)


def quote(line: str, without_results: str, *, other_line: str = "") -> str:
    runs = (run(f"begins\n{line}\n"), run(f"{other_line or line}\n"))
    return quote_far_difference(runs, lambda: run(f"{without_results}\n"))


def test_a_difference_as_large_as_the_results_is_quoted() -> None:
    quoted = quote("Max error (CPU vs. GPU): 1.5", "Max error (CPU vs. GPU): 20")
    assert quoted == "Max error (CPU vs. GPU): 1.5, and 20 if they left zeros"


@pytest.mark.parametrize(
    ("line", "without_results"),
    [
        ("difference from the CPU: 1.4e-07", "difference from the CPU: 20"),
        ("difference from the CPU: 0", "difference from the CPU: 20"),
        ("difference from the CPU: 3", "difference from the CPU: 3"),
        ("difference from the CPU: 3", "difference from the CPU: nan"),
        ("error of the fit: 3", "error of the fit: 20"),
        ("CPU time: 3", "CPU time: 20"),
        ("CPU error in row 4: 3", "CPU error in row 4: 20"),
    ],
)
def test_what_is_small_or_means_something_else_is_not(
    line: str, without_results: str
) -> None:
    assert not quote(line, without_results)


def test_a_difference_that_runs_do_not_agree_about_is_not_quoted() -> None:
    line = "CPU difference: 3"
    assert not quote(line, "CPU difference: 20", other_line="CPU difference: 4")


def test_words_that_come_twice_say_of_nothing_how_far_it_is() -> None:
    line = "CPU difference: 3\nCPU difference: 0"
    assert not quote(line, "CPU difference: 20\nCPU difference: 20")
