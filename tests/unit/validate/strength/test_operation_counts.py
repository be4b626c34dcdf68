"""Operations are counted where the source writes them, as often as the innermost region about
them was run.
"""

from __future__ import annotations

from crawler.validate.strength.coverage_mapping import function_name_digest
from crawler.validate.strength.operation_counts import locate_operations

SOURCE = """__global__ void k(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j) {
    if (i > j) a[i] += expf(a[j] - 1);
  }
}
void host(int n) { n = n * n; }
"""
REGIONS = """_Z1kPfi:
  File 0, 1:36 -> 6:2 = #0
  File 0, 3:19 -> 3:24 = (#0 + #1)
  File 0, 3:26 -> 3:29 = #1
  Gap,File 0, 3:30 -> 3:31 = #1
  File 0, 3:31 -> 5:4 = #1
  File 0, 4:9 -> 4:14 = #1
  Branch,File 0, 4:9 -> 4:14 = #2, (#1 - #2)
  File 0, 4:16 -> 4:38 = #2
"""


def test_each_counts_as_often_as_it_was_run() -> None:
    operations = locate_operations(SOURCE, REGIONS)
    # of a thread two for its number, of a round one for `++j`, and three within the condition
    assert (
        operations.executed_operations(
            [(function_name_digest("_Z1kPfi"), (64, 640, 100))]
        )
        == 64 * 2 + 640 + 100 * 3
    )
    assert (
        operations.executed_operations([(function_name_digest("_Z5otherv"), (5,))]) == 0
    )


def test_without_counters_nothing_is_known() -> None:
    assert locate_operations(SOURCE, REGIONS).executed_operations([]) == -1
    assert locate_operations("not { a unit", "").executed_operations([(1, (2,))]) == 0
