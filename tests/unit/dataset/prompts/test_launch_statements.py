"""A prompt's launch has what its configuration is computed of, and no tensors."""

from __future__ import annotations

import pytest

from crawler.dataset.prompts.launch_statements import (
    resolve_variable,
    select_configuring,
)

SETUP = """auto input = given.contiguous();
const int rows = input.size(0);
int threads = 64,
    spare = 0;
if (rows > 1024) {
  threads = 128;
}
dim3 grid((rows + threads - 1) / threads);
float* data = input.data_ptr<float>();
cudaStream_t stream = at::cuda::getCurrentCUDAStream();"""


def test_what_grid_and_block_depend_on_is_chosen_in_order() -> None:
    assert select_configuring(SETUP, "grid threads").splitlines() == [
        "auto input = given.contiguous();",
        "const int rows = input.size(0);",
        "int threads = 64,",
        "    spare = 0;",
        "if (rows > 1024) {",
        "  threads = 128;",
        "}",
        "dim3 grid((rows + threads - 1) / threads);",
    ]


def test_a_comparison_and_a_member_set_nothing() -> None:
    assert select_configuring("bool b = n == 3;\nother.n = 4;", "n") == ""
    assert select_configuring("cudaGetDevice(&n);\nn += 2;", "n").count("\n") == 1


@pytest.mark.parametrize(
    ("setup", "expression", "value"),
    [
        (SETUP, "grid", "dim3((rows + threads - 1) / threads)"),
        ("const int n = rows * 2;", "n", "rows * 2"),
        ("dim3 g = dim3(1,\n     b);", "g", "dim3(1, b)"),
        ("dim3 g = {n, 2, 1};", "g", "dim3(n, 2, 1)"),
        ("dim3 g{n, 2};", "g", "dim3(n, 2)"),
        ("dim3 g;\ng.x = n / 4;\ng.z = 2;", "g", "dim3(n / 4, 1, 2)"),
        ("dim3 b, g;\nb.x = 1;\ng.x = 2;", "b", "dim3(1, 1, 1)"),
        ("auto n = f([&] { return 1; });", "n", "n"),
        # more than one way
        (SETUP, "threads", "threads"),
        ("dim3 g(1);\ng.x = 2;", "g", "g"),
        ("dim3 g;\ninit(&g);", "g", "g"),
        ("", "n / 2", "n / 2"),
        ("", "n", "n"),
    ],
)
def test_a_variable_is_what_it_is_made_of(
    setup: str, expression: str, value: str
) -> None:
    assert resolve_variable(setup, expression) == value
