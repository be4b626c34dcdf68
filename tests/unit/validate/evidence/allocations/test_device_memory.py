"""How much `cudaMalloc` and its like give a kernel, and what stands in it."""

from __future__ import annotations

import pytest

from crawler.validate.evidence.allocations.allocation import UNINITIALISED
from crawler.validate.evidence.launch_configuration import Extent
from tests.unit.validate.evidence.allocations.hosts import configure, make_site

POINTER = {"x": "d_x", "n": "n"}


@pytest.mark.parametrize(
    "allocation",
    [
        "cudaMalloc(&d_x, n * sizeof(float));",
        "CHECK(cudaMalloc((void **)&d_x, sizeof(float) * n));",
        "if (hipMalloc(reinterpret_cast<void **>(&d_x), 4 * n) != hipSuccess) return;",
        "size_t bytes = size_t(n) * sizeof(int); cudaMallocManaged(&d_x, bytes);",
        "cudaMallocAsync((void**)(&d_x), n << 2, stream);",
    ],
)
def test_an_allocation_gives_bytes_by_the_sizes_of_the_launch(allocation: str) -> None:
    site = make_site(f"void run(int n) {{ float *d_x; {allocation} LAUNCH }}", POINTER)
    configuration = configure(site, "n")
    count = int(4 * configuration.scalars["n"])
    assert configuration.extents == {"x": Extent(count, 1)}


@pytest.mark.parametrize(
    "text",
    [
        "void run(float *d_x, int n) { LAUNCH }",
        "void run(int n) { LAUNCH cudaMalloc(&d_x, n * 4); }",
        "void run(int n) { cudaMalloc(&d_x, capacity * 4); LAUNCH }",
        "void run(int n) { cudaMalloc(&d_x, n * sizeof(Particle)); LAUNCH }",
        "void run(int n) { if (n) cudaMalloc(&d_x, n); else cudaMalloc(&d_x, 2 * n); LAUNCH }",
        "void run(int n) { cudaMalloc(pointers + 1, n * 4); LAUNCH }",
        "void run(int n) { cudaMalloc(&d_x, n * 4); d_x += 8; LAUNCH }",
        "void run(int n) { cudaMalloc(&d_x, n * 4); d_x = d_y; LAUNCH }",
        "void run(int n) { cudaMalloc(&s.d_x, n * 4); LAUNCH }",
    ],
)
def test_what_the_host_does_not_say_is_not_known(text: str) -> None:
    assert configure(make_site(text, POINTER), "n").extents == {}


def test_an_offset_into_memory_is_not_all_of_it() -> None:
    text = "void run(int n) { cudaMalloc(&d_x, n * 4); LAUNCH }"
    assert make_site(text, {"x": "d_x + 5", "n": "n"}).allocations == {}


@pytest.mark.parametrize(
    ("statements", "fill_byte"),
    [
        ("", UNINITIALISED),
        ("cudaMemset(d_x, 0, n * 4);", 0),
        ("CHECK(cudaMemsetAsync(d_x, 0xff, n * 4, stream));", 0xFF),
        ("cudaMemset(d_x, -1, n * 4);", 0xFF),
        ("cudaMemset(d_x, fill, n * 4);", None),
        ("cudaMemcpy(d_x, x, n * 4, cudaMemcpyHostToDevice);", None),
        ("prepare<<<1, 64>>>(d_x);", None),
        ("cudaMemset(d_x, 0, n * 4); prepare<<<1, 64>>>(d_x);", None),
        ("cudaMemset(d_y, 0, n * 4);", UNINITIALISED),
    ],
)
def test_what_is_done_before_the_launch_tells_what_memory_holds(
    statements: str, fill_byte: int | None
) -> None:
    text = f"void run(int n) {{ cudaMalloc(&d_x, n * 4); {statements} LAUNCH }}"
    assert make_site(text, POINTER).allocations["x"].fill_byte == fill_byte


def test_pointers_of_an_array_are_of_one_size() -> None:
    text = (
        "void run(int n) { float3 *fields[2]; for (int f = 0; f < 2; f++)"
        " cudaMallocManaged(&fields[f], n * sizeof(float3)); LAUNCH }"
    )
    site = make_site(text, {"x": "fields[step % 2]", "n": "n"})
    configuration = configure(site, "n")
    assert configuration.extents == {
        "x": Extent(12 * int(configuration.scalars["n"]), 1)
    }
    assert site.allocations["x"].fill_byte is None


def test_rows_at_a_pitch_are_as_many_bytes_as_the_runtime_gives() -> None:
    text = """void run(int n) {
  float *d_x; size_t pitch;
  cudaMallocPitch(&d_x, &pitch, n * sizeof(float), 3);
  LAUNCH
}"""
    configuration = configure(make_site(text, POINTER), "n")
    row_bytes = -(-int(4 * configuration.scalars["n"]) // 512) * 512
    assert configuration.extents == {"x": Extent(3 * row_bytes, 1)}
