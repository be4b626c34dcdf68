"""Builds as they are published."""

from __future__ import annotations

import pytest

from crawler.dataset.rows.build_row import select_best_statuses, to_build_row
from crawler.model import Build, Status, Toolchain, Verdict


def make_build(target: str, status: Status) -> Build:
    return Build(
        unit="u",
        target=target,
        toolchain=Toolchain(compiler="clang 18"),
        pass_call=Verdict(status=status, code="code", message="message"),
    )


@pytest.mark.parametrize(
    ("statuses", "best"),
    [
        ([Status.FAIL, Status.PASS, Status.FAIL], "pass"),
        ([Status.SKIPPED, Status.UNSUPPORTED], "skipped"),
        ([Status.FAIL, Status.UNSUPPORTED], "unsupported"),
    ],
)
def test_the_best_status_of_a_target_counts(statuses: list[Status], best: str) -> None:
    builds = [make_build("sm_80", status) for status in statuses]
    assert select_best_statuses(builds) == {"sm_80": best}


def test_targets_are_sorted() -> None:
    builds = [make_build(target, Status.PASS) for target in ("sm_90", "gfx90a")]
    assert list(select_best_statuses(builds)) == ["gfx90a", "sm_90"]


def test_a_row_has_the_verdict_in_its_own_fields() -> None:
    row = to_build_row(make_build("gfx942", Status.FAIL))
    assert (row.status, row.code, row.message) == ("fail", "code", "message")
    assert (row.target, row.toolchain.compiler) == ("gfx942", "clang 18")
