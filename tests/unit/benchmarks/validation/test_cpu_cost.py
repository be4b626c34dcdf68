"""The report of what validations cost: by kernel, then by step."""

from __future__ import annotations

from typing import Any

from benchmarks.validation.cpu_cost import format_report


def make_step(phase: str, work: str, seconds: float) -> dict[str, Any]:
    return {
        "phase": phase,
        "work": work,
        "seconds": seconds,
        "own_seconds": 0.0,
        "calls": 1,
        "launches": 4,
        "sandboxes": 1,
    }


def test_steps_are_listed_by_their_share_of_all_kernels() -> None:
    records = [
        {
            "processor": 1.0 + number,
            "steps": [
                make_step("drafts", "run plain", 1.0),
                make_step("variants", "run plain", float(number)),
            ],
        }
        for number in range(10)
    ]

    lines = list(format_report(records))

    assert lines[0] == (
        "10 kernels: 5.5 s of the processor at the median, 5.5 at the mean, 9.0 at the ninth"
        " decile."
    )
    phases = [line for line in lines if line.startswith(("| drafts |", "| variants |"))]
    assert phases[0].startswith("| variants | 4.50 | 82% |")
    assert "| run plain | 5.50 | 100% | 0.00 | 2.0 | 8.0 | 2.0 |" in lines
