"""Which kernels of a commit may be versions of one another."""

from __future__ import annotations

from dataclasses import replace

from crawler.model import Kernel
from tests.plain import HERE, plain_kernel, plain_unit
from workers.tasks.kernel_versions import MAX_VERSIONS, find_versions

NAIVE = """__global__ void transpose_naive(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}"""
TILED = """__global__ void transpose_tiled(const float* in, float* out, int width, int height) {
  __shared__ float tile[32][33];
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  if (row < height) if (column < width) tile[threadIdx.y][threadIdx.x] = in[row * width + column];
  __syncthreads();
  const int to = blockIdx.y * 32 + threadIdx.x, from = blockIdx.x * 32 + threadIdx.y;
  if (to < height) if (from < width) out[from * height + to] = tile[threadIdx.x][threadIdx.y];
}"""
PARAMETERS = (
    ("in", "const float *"),
    ("out", "float *"),
    ("width", "int"),
    ("height", "int"),
)


def make(
    name: str,
    source: str,
    parameters: tuple[tuple[str, str], ...] = PARAMETERS,
    path: str = "a.cu",
) -> Kernel:
    unit = plain_unit(source, kernel_name=name)
    span = replace(HERE, path=path)
    return plain_kernel(unit, parameters, name=name, source=source, span=span)


def test_kernels_that_take_the_same_and_are_written_otherwise_are_versions() -> None:
    kernels = [make("transpose_naive", NAIVE), make("transpose_tiled", TILED)]

    assert find_versions(kernels) == {0: (1,), 1: (0,)}


def test_how_pointers_are_qualified_makes_no_difference() -> None:
    qualified = (
        ("in", "const float *__restrict__"),
        ("out", "float*"),
        *PARAMETERS[2:],
    )
    kernels = [make("a", NAIVE), make("b", TILED, qualified)]

    assert find_versions(kernels) == {0: (1,), 1: (0,)}


def test_a_copy_is_no_version_of_its_original() -> None:
    copy = NAIVE.replace("transpose_naive", "transpose_copy")

    assert find_versions([make("a", NAIVE), make("transpose_copy", copy)]) == {}


def test_what_takes_something_else_is_none() -> None:
    other_parameters = (*PARAMETERS[:3], ("height", "long"))

    assert find_versions([make("a", NAIVE), make("b", TILED, other_parameters)]) == {}


def test_those_of_the_same_file_and_a_like_name_come_first_and_few_are_kept() -> None:
    kernels = [
        make("transpose_naive", NAIVE),
        make("copy_rows", TILED.replace("tile", "rows")),
        make("transpose_tiled", TILED, path="b.cu"),
        make("transpose_tiled", TILED.replace("tile", "part")),
        make("other", TILED.replace("column", "place")),
    ]

    first = find_versions(kernels)[0]

    assert first[0] == 3
    assert len(first) == MAX_VERSIONS
    assert 2 not in first
