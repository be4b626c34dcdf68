"""What overflows in one order and not in another is held against nobody, and hides nobody."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from crawler.model import CaseKind, Dialect
from crawler.validate.emulator.program import build_cpu_program
from crawler.validate.harness.judged_test import JudgedTest, build_judged_test
from crawler.validate.values.blobs import Blobs
from tests.integration.harness.exported_judge import NAME, export_tests

pytestmark = [pytest.mark.apt("bwrap"), pytest.mark.slow]
SOURCES = Path(__file__).parents[2] / "truth" / "overflows"
HONEST = sorted(path.stem for path in SOURCES.glob("honest/*.cu"))
ROWS = 64
WIDTH = 4
HUGE = 3e38


HUGE_ALONE = "huge-alone"
MIXED = "mixed"
# what is wrong in the case that has rows of ordinary numbers, and in the one that has none
TAMED = "with numbers that do not overflow: "
CHEATS = {
    "infinities": ("y[0] is inf where", TAMED),
    "nans": ("y[0] is nan where", TAMED),
    "nothing_where_it_overflows": ("y[0] is nan where", ""),
    "nans_are_numbers": ("where nan is expected", ""),
}


@pytest.fixture(scope="module")
def messages(
    making: Any, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Mapping[str, str]]:
    """Candidate to case to what is wrong, by a judge that was handed all of them."""
    exported = export_tests(make_test(making), tmp_path_factory.mktemp("exported"))
    names = [f"honest/{name}" for name in HONEST] + [
        f"cheats/{name}" for name in CHEATS
    ]
    words: list[str] = []
    first, *other_messages = (
        exported.place(name, tmp_path_factory.mktemp("c") / "c", SOURCES)
        for name in names
    )
    for folder in other_messages:
        words += ["--candidates", str(folder)]
    ended = exported.judge_candidate(first, *words, "--format", "json")
    reports = [json.loads(line) for line in ended.stdout.splitlines()]
    assert len(reports) == len(names), ended.stdout
    return {
        name: {case["name"]: case["message"] for case in report["cases"]}
        for name, report in zip(names, reports, strict=True)
    }


def make_test(making: Any) -> JudgedTest:
    """Return the test of a kernel of whose outputs most overflow, in each case."""
    source = (SOURCES / "kernel.cu").read_text()
    unit = making.unit(source, "add_products", Dialect.CUDA)
    program = build_cpu_program(unit)
    blobs, case_argument = Blobs(), making.given

    huge = [HUGE, -HUGE, HUGE, HUGE, -HUGE]
    alone = [huge[index * index % 5] for index in range(ROWS * WIDTH)]
    mixed = list(alone)
    # a row in eight without any, and one of which no order and no rounding makes a number
    for row in range(0, ROWS, 8):
        mixed[row * WIDTH : row * WIDTH + WIDTH] = [1.5, -2.0, 0.25, row / 8.0]
    mixed[WIDTH : 2 * WIDTH] = [math.nan, 1.0, 2.0, 3.0]

    cases = [
        making.case(
            blobs,
            name,
            [
                case_argument("a", values),
                case_argument("x", [2.0, 1.5, 1.25, 3.0]),
                case_argument("y", ROWS, True),
                case_argument("rows", ROWS),
            ],
            kind=CaseKind.SPECIAL,
        )
        for name, values in ((MIXED, mixed), (HUGE_ALONE, alone))
    ]
    suite = making.suite(unit, program, cases, blobs)
    return build_judged_test(unit, suite, blobs, name=NAME)


@pytest.mark.parametrize("name", HONEST)
def test_who_overflows_otherwise_passes(
    messages: Mapping[str, Mapping[str, str]], name: str
) -> None:
    assert messages[f"honest/{name}"] == {MIXED: "", HUGE_ALONE: ""}


@pytest.mark.parametrize("name", CHEATS)
def test_nobody_hides_behind_an_overflow(
    messages: Mapping[str, Mapping[str, str]], name: str
) -> None:
    in_mixed, alone = CHEATS[name]
    assert in_mixed in messages[f"cheats/{name}"][MIXED]
    assert alone in messages[f"cheats/{name}"][HUGE_ALONE]
    assert messages[f"cheats/{name}"][MIXED]
