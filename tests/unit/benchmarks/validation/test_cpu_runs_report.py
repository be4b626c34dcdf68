"""The report of runs on a CPU: who counts, why others do not, what cases tell, and what a
kernel costs.
"""

from __future__ import annotations

from typing import Any

from benchmarks.validation.cpu_runs_report import format_report, summarise_package


def make_line(
    unit: str, behaviour: str, code: str, cases: int, **fields: Any
) -> dict[str, Any]:
    return {
        "unit": unit,
        "behaviour": behaviour,
        "code": code,
        "cases": cases,
        "seconds": 2.0,
        **fields,
    }


STRONG = {
    "mutants": 40,
    "killed": 38,
    "branches": 8,
    "reached": 6,
    "unreached": 2,
    "survivors": ["index", "index"],
}
LINES = [
    make_line("a", "racy", "race", 0),
    make_line("a", "deterministic", "self-consistent", 8, processor=3.5, **STRONG),
    make_line("b", "deterministic", "few-cases", 4, processor=4.5, mutants=0),
]


def test_the_last_run_of_a_unit_counts() -> None:
    summary = summarise_package("p", [], LINES)
    assert (summary["run"], summary["good"]) == (2, 1)
    assert summary["codes"] == {"deterministic: few-cases": 1}


def test_strength_and_cost_are_told_where_they_were_measured() -> None:
    text = "\n".join(
        format_report(
            [summarise_package("p", [], LINES), summarise_package("q", [], LINES[:1])]
        )
    )
    assert "| p | 1 | 75 % | 75 % | 95 % | 95 % | 2 | index 2 |" in text
    assert "p: 4.0 s of the processor a kernel at the median of 2." in text
    assert "q: " not in text
