"""Which sizes of memory a launch tells its kernel of."""

from __future__ import annotations

from crawler.validate.evidence.launch_configuration import Extent
from tests.unit.validate.evidence.allocations.hosts import configure, make_site

ALLOCATING = "void run(int n, int m) { cudaMalloc(&d_x, m * 4); LAUNCH }"


def test_a_size_that_only_the_grid_has_beside_others_is_not_the_kernels() -> None:
    site = make_site(ALLOCATING, {"x": "d_x", "n": "n"}, grid="m / 64")
    assert configure(site, "n").extents == {}


def test_the_grid_alone_tells_a_kernel_that_is_passed_no_sizes() -> None:
    configuration = configure(make_site(ALLOCATING, {"x": "d_x"}, grid="m"))
    x_blocks, _, _ = configuration.grid
    assert configuration.extents == {"x": Extent(4 * x_blocks, 1)}


def test_a_tensor_that_is_asked_for_axes_and_for_all_has_their_product() -> None:
    text = (
        "void run(Tensor x) { auto y = at::empty_like(x);"
        " int n = x.numel(), width = x.size(3); LAUNCH }"
    )
    arguments = {"y": "y.data_ptr<float>()", "n": "n", "c": "x.size(1)", "w": "width"}
    configuration = configure(make_site(text, arguments), "n", "c", "w")
    scalars = configuration.scalars
    assert scalars["n"] == scalars["c"] * scalars["w"]
    assert configuration.extents == {"y": Extent(int(scalars["n"]), 4)}
