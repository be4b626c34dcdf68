"""A prompt's launch has what its configuration is computed of, and no tensors."""

from __future__ import annotations

from crawler.dataset.prompts.launch_statements import select_configuring

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
