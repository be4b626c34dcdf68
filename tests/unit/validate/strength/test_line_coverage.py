"""A line ran where clang's regions and counters say so, as `llvm-cov` counts lines."""

from __future__ import annotations

from crawler.validate.strength.coverage_mapping import (
    function_name_digest,
    parse_line_regions,
)
from crawler.validate.strength.line_coverage import find_taken_lines

# of this kernel, which clang 19 describes so:
#  1 void k(float* p, int n, int i) {
#  2   if (i >= n)
#  3     return;
#  4   p[i] = 1;
#  5 #ifdef NOTHING
#  6   p[i] = 2;
#  7 #endif
#  8   if (n > 100) {
#  9     p[0] = 3;
# 10   } else {
# 11     p[0] = 4;
# 12   }
# 13 }
MAPPING = """_Z1kv:
  File 0, 1:32 -> 13:2 = #0
  File 0, 2:7 -> 2:13 = #0
  Branch,File 0, 2:7 -> 2:13 = #1, (#0 - #1)
  Gap,File 0, 2:14 -> 3:5 = #1
  File 0, 3:5 -> 3:11 = #1
  Gap,File 0, 3:12 -> 4:3 = (#0 - #1)
  File 0, 4:3 -> 13:2 = (#0 - #1)
  Skipped,File 0, 5:1 -> 7:1 = 0
  File 0, 8:7 -> 8:14 = (#0 - #1)
  Branch,File 0, 8:7 -> 8:14 = #2, ((#0 - #1) - #2)
  Gap,File 0, 8:15 -> 8:16 = #2
  File 0, 8:16 -> 10:4 = #2
  Gap,File 0, 10:5 -> 10:10 = ((#0 - #1) - #2)
  File 0, 10:10 -> 12:4 = ((#0 - #1) - #2)
"""
KERNEL = function_name_digest("_Z1kv")


def list_lines(*counters: int) -> tuple[list[int], list[int]]:
    """Return the lines that ran, and those that did not."""
    lines = dict(find_taken_lines(parse_line_regions(MAPPING), [(KERNEL, counters)]))
    return (
        [line for line in sorted(lines) if lines[line]],
        [line for line in sorted(lines) if not lines[line]],
    )


def test_lines_behind_a_return_ran_only_where_something_came_past_it() -> None:
    assert list_lines(8, 8, 0) == ([1, 2, 3], [4, 8, 9, 10, 11, 12, 13])
    assert list_lines(8, 0, 8) == ([1, 2, 4, 8, 9, 10, 13], [3, 11, 12])


def test_a_line_with_the_end_of_one_part_and_the_begin_of_another_ran_by_either() -> (
    None
):
    assert list_lines(8, 3, 0) == ([1, 2, 3, 4, 8, 10, 11, 12, 13], [9])
    assert list_lines(8, 3, 2) == ([*range(1, 5), *range(8, 14)], [])


def test_functions_that_never_ran_have_no_lines() -> None:
    other = function_name_digest("other")
    assert not list(find_taken_lines(parse_line_regions(MAPPING), [(other, (1,))]))


def test_regions_within_regions_without_end_cost_little() -> None:
    regions = "".join(f"  File 0, {line}:1 -> 9999:1 = #0\n" for line in range(1, 9000))
    mapping = parse_line_regions(f"_Z1kv:\n{regions}")
    assert not list(find_taken_lines(mapping, [(KERNEL, (1,))]))
