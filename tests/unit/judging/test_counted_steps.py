"""Of which sources steps are told, and how many are as good as the reference's."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.judging.counted_steps import can_be_counted, judge_steps

TRUTH = Path(__file__).parents[2] / "truth"
UNCOUNTED = sorted(TRUTH.glob("uncounted/*.cu"))
HONEST = sorted(TRUTH.glob("cheats/honest/*.cu"))


@pytest.mark.parametrize("path", UNCOUNTED, ids=lambda path: path.stem)
def test_what_could_reach_the_count_is_not_counted(path: Path) -> None:
    assert not can_be_counted(path.read_text())


def test_honest_kernels_are_counted() -> None:
    uncounted = [path.stem for path in HONEST if not can_be_counted(path.read_text())]
    assert uncounted == []
    assert len(HONEST) > 10


def test_words_in_comments_and_parts_of_names_are_no_way_out() -> None:
    assert can_be_counted("// asm, exit and #include\nint writes, reopened, exits;")
    assert can_be_counted("#pragma unroll 4\nfor (;;) {}")
    assert can_be_counted("#define WIDTH 4\nint a[WIDTH];")


@pytest.mark.parametrize(
    "text",
    [
        "int a = (_exit(0), 1);",
        "[[clang::optnone]] int a;",
        "%:%:",
        "#if X",
        "\\u0061",
        'as\\\nm("");',
    ],
)
def test_ways_out_are_found_in_code(text: str) -> None:
    assert not can_be_counted(text)


@pytest.mark.parametrize(
    ("steps", "reference", "is_good"),
    [
        (100, 100, True),
        (125, 100, True),
        (126, 100, False),
        (-1, 100, None),
        (1, -1, None),
    ],
)
def test_a_quarter_more_is_as_good(
    steps: int, reference: int, is_good: bool | None
) -> None:
    assert judge_steps(steps, reference) is is_good
