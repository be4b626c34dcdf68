"""Verdicts on kernels of known truth: none becomes wrong that was right.

`known_wrong.txt` lists the cases whose verdicts are wrong so far; what is right stays away from it.
All of them take an hour of a core: every third file is judged unless `TESTS_TRUTH=all` is set.
"""

from __future__ import annotations

import os
from itertools import groupby
from pathlib import Path

import pytest

from benchmarks.validation.truth_cases import TruthCase, read_truth_cases
from benchmarks.validation.verdicts import judge_truth_case

pytestmark = pytest.mark.apt
KNOWN_WRONG = frozenset(
    (Path(__file__).parent / "known_wrong.txt").read_text().splitlines()
)
FILES = {
    f"{topic}/{file}": list(cases)
    for (topic, file), cases in groupby(
        read_truth_cases(), key=lambda case: (case.topic, case.file)
    )
}
_STEP = 1 if os.environ.get("TESTS_TRUTH") == "all" else 3
JUDGED_FILES = dict(list(FILES.items())[::_STEP])


def test_what_is_known_to_be_wrong_is_a_case() -> None:
    assert {case.name for cases in FILES.values() for case in cases} >= KNOWN_WRONG


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("cases", JUDGED_FILES.values(), ids=JUDGED_FILES)
def test_verdicts_are_right_or_known_to_be_wrong(cases: list[TruthCase]) -> None:
    verdicts = [
        judge_truth_case(case) for case in cases if case.name not in KNOWN_WRONG
    ]
    wrong = {
        verdict.case: (verdict.status, verdict.code)
        for verdict in verdicts
        if not verdict.is_right
    }
    assert not wrong
