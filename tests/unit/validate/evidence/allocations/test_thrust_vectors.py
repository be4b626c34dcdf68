"""How much memory Thrust's vectors give a kernel."""

from __future__ import annotations

import pytest

from crawler.validate.evidence.launch_configuration import Extent
from tests.unit.validate.evidence.allocations.hosts import configure, make_site


@pytest.mark.parametrize(
    "argument",
    [
        "thrust::raw_pointer_cast(x.data())",
        "x.data().get()",
        "thrust::raw_pointer_cast(&x[0])",
    ],
)
@pytest.mark.parametrize(
    "making",
    [
        "thrust::device_vector<float> x(n - 1);",
        "thrust::device_vector<float> x(n - 1, 0.0f);",
    ],
)
def test_a_vector_has_the_elements_that_it_is_made_with(
    making: str, argument: str
) -> None:
    text = f"void run(int n) {{ {making} LAUNCH }}"
    configuration = configure(make_site(text, {"x": argument, "n": "n"}), "n")
    n = int(configuration.scalars["n"])
    assert configuration.extents == {"x": Extent(n - 1, 0)}


@pytest.mark.parametrize("making", ["x = values;", "x(values);"])
def test_a_copy_has_the_elements_of_what_it_copies(making: str) -> None:
    text = (
        "void run(const thrust::host_vector<float> &values) {"
        f" int n = values.size(); thrust::device_vector<float> {making} LAUNCH }}"
    )
    arguments = {"x": "thrust::raw_pointer_cast(x.data())", "n": "n"}
    configuration = configure(make_site(text, arguments), "n")
    assert configuration.extents == {"x": Extent(int(configuration.scalars["n"]), 0)}


def test_a_vector_that_the_function_is_given_is_of_any_size() -> None:
    text = "void run(thrust::device_vector<float> &x, int n) { LAUNCH }"
    arguments = {"x": "thrust::raw_pointer_cast(x.data())", "n": "n"}
    assert configure(make_site(text, arguments), "n").extents == {}
