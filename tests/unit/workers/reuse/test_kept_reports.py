"""A report is made once, kept where it will last, and says where our own code broke."""

from __future__ import annotations

from functools import partial

import pytest

from crawler.errors import MissingTool
from crawler.validate.programs.author_launches import ProgramReport
from storage.open import Storage
from workers.reuse.kept_reports import recall_or_make


def describe_breakage(message: str) -> ProgramReport:
    return ProgramReport(code="internal", message=message)


def ask(storage: Storage, *reports: ProgramReport | Exception) -> list[ProgramReport]:
    """Ask once for each report, which is what making one would come to."""

    def make(report: ProgramReport | Exception) -> ProgramReport:
        if isinstance(report, Exception):
            raise report
        return report

    return [
        recall_or_make(
            storage, "key", ProgramReport, partial(make, report), describe_breakage
        )
        for report in reports
    ]


def test_a_report_is_made_once(storage: Storage) -> None:
    first = ProgramReport(code="no-launch", message="first")
    assert ask(storage, first, AssertionError("made again")) == [first, first]


@pytest.mark.parametrize("code", ["internal", "no-compiler", "host-compile-timeout"])
def test_what_may_come_otherwise_is_made_again(storage: Storage, code: str) -> None:
    passing = ProgramReport(code=code, message="passing")
    lasting = ProgramReport(code="", message="lasting")
    assert ask(storage, passing, lasting) == [passing, lasting]


def test_a_break_of_our_own_code_is_told_and_tried_again(storage: Storage) -> None:
    lasting = ProgramReport(code="", message="")
    broken, again = ask(storage, ZeroDivisionError("at the seventh line"), lasting)
    assert broken.code == "internal"
    assert "ZeroDivisionError: at the seventh line" in broken.message
    assert "Traceback" in broken.message
    assert again == lasting


def test_what_the_operator_must_mend_is_no_report(storage: Storage) -> None:
    with pytest.raises(MissingTool, match="install it"):
        ask(storage, MissingTool("there is no clang: install it", code="no-compiler"))


def test_reports_of_two_keys_are_kept_apart(storage: Storage) -> None:
    reports = {key: ProgramReport(code="", message=key) for key in ("a", "b")}
    for key in ("a", "b", "a", "b"):
        make = partial(reports.pop, key)
        report = recall_or_make(storage, key, ProgramReport, make, describe_breakage)
        assert report.message == key
