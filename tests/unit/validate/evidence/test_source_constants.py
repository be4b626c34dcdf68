"""What a kernel asks of its parameters: flags and pointers that may be null, and bounds."""

from __future__ import annotations

from crawler.cpp.comments import without_comments
from crawler.validate.evidence.source_constants import (
    find_arithmetic_parameters,
    find_equality_values,
    find_flag_parameters,
    find_threshold_values,
)

SOURCE = """
  if (p.flip) x = 1;
  int step = ((p.up) ? 1 : -1) * p.stride;
  if (offset != NULL && n > 0) y = offset[0];
  if (nullptr == mask) return;
  if (!(quiet)) z = call(width);
  for (int i = 0; i < n; i++) total += ratio * 2;
  if (ratio > 1 || ratio <= -3) return;
"""
NAMES = (
    "p.flip",
    "p.up",
    "p.stride",
    "offset",
    "mask",
    "quiet",
    "width",
    "n",
    "ratio",
    "flip",
)


def test_flags_and_pointers_that_may_be_null_are_known() -> None:
    assert find_flag_parameters(SOURCE, NAMES) == (
        "p.flip",
        "p.up",
        "offset",
        "mask",
        "quiet",
    )


def test_what_is_computed_with_is_no_flag() -> None:
    assert find_arithmetic_parameters(SOURCE, NAMES) == ("p.stride", "n", "ratio")


def test_bounds_come_with_their_neighbours() -> None:
    assert find_threshold_values(SOURCE, NAMES) == {
        "n": (0, 1, -1),
        "ratio": (1, 2, 0, -3, -2, -4),
    }


def test_neither_a_remainder_nor_a_comment_compares_a_parameter() -> None:
    source = """// we require k % groups == 0, and mode == 7
assert(k % groups == 0); /* mode == 8 */ if (mode == 3) x(groups == 4);"""
    assert without_comments("a /* b") == "a  "
    assert find_equality_values(
        without_comments(source), ("groups", "mode", "k"), {}
    ) == {"groups": (4,), "mode": (3,)}
