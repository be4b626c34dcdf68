"""What a kernel uses is said as far as its compiler reports it."""

from __future__ import annotations

from crawler.model import Resources
from workers.cli.files.validate_report import _describe_resources


def test_spills_and_scratch_are_said_only_where_there_are_any() -> None:
    resources = Resources(symbol="k", registers=12, shared_bytes=0, spills=0)
    assert _describe_resources(resources) == "12 registers, 0 bytes shared"


def test_everything_that_is_used_is_said() -> None:
    resources = Resources(
        symbol="k",
        registers=64,
        shared_bytes=128,
        spills=3,
        scratch_bytes=16,
        occupancy=8,
    )
    assert _describe_resources(resources) == (
        "64 registers, 128 bytes shared, 3 spilled, 16 bytes scratch, occupancy 8"
    )
