"""How much memory a tensor gives a kernel, and what stands in it."""

from __future__ import annotations

import pytest

from crawler.validate.evidence.allocations.allocation import UNINITIALISED
from crawler.validate.evidence.launch_configuration import Extent
from tests.unit.validate.evidence.allocations.hosts import configure, make_site

OUTPUT = {"y": "y.data_ptr<float>()", "n": "n"}


@pytest.mark.parametrize(
    ("making", "count"),
    [
        ("auto y = torch::empty({n, 3}, x.options());", 3),
        ("at::Tensor y = at::zeros({2 * n}, x.options());", 2),
        ("auto y = x.new_empty({n});", 1),
        ("auto z = torch::zeros({n, n}); auto y = torch::empty_like(z);", -1),
        ("auto z = torch::full({n}, 1.0); auto y = torch::empty(z.sizes());", 1),
    ],
)
def test_a_factory_gives_elements_by_the_sizes_of_the_launch(
    making: str, count: int
) -> None:
    text = f"void run(Tensor x, int n) {{ {making} LAUNCH }}"
    configuration = configure(make_site(text, OUTPUT), "n")
    n = int(configuration.scalars["n"])
    elements = n * n if count < 0 else count * n
    assert configuration.extents == {"y": Extent(elements, 4)}


def test_a_tensor_that_is_counted_has_as_many_elements() -> None:
    text = "void run(Tensor x) { const int n = x.numel(); LAUNCH }"
    configuration = configure(
        make_site(text, {"x": "x.data_ptr<double>()", "n": "n"}), "n"
    )
    n = int(configuration.scalars["n"])
    assert configuration.extents == {"x": Extent(n, 8)}


def test_a_tensor_of_a_known_rank_has_the_elements_of_its_axes() -> None:
    text = (
        'void run(Tensor x) { TORCH_CHECK(x.dim() == 2, "matrix");'
        " int rows = x.size(0), cols = x.size(1); LAUNCH }"
    )
    arguments = {"x": "x.data_ptr<float>()", "rows": "rows", "cols": "cols"}
    configuration = configure(make_site(text, arguments), "rows", "cols")
    rows, cols = (int(configuration.scalars[name]) for name in ("rows", "cols"))
    assert configuration.extents == {"x": Extent(rows * cols, 4)}


@pytest.mark.parametrize(
    ("making", "count"),
    [
        ("x = x.contiguous();", 1),
        ("x = x.contiguous().flatten(1);", 0),
        ("x = x.contiguous", 0),
        ("x = x.view({-1});", 0),
        ("x = x.contiguous(); x = x.slice(0, 1);", 0),
    ],
)
def test_a_tensor_that_is_made_dense_keeps_its_axes(making: str, count: int) -> None:
    text = (
        f"void run(Tensor x) {{ TORCH_CHECK(x.dim() == 1); {making}"
        " int n = x.size(0); auto y = at::zeros_like(x); auto z = x.contiguous(); LAUNCH }"
    )
    pointers = {name: f"{name}.data_ptr<float>()" for name in ("x", "y", "z")}
    configuration = configure(make_site(text, {**pointers, "n": "n"}), "n")
    n = int(configuration.scalars["n"])
    assert configuration.extents == dict.fromkeys(
        pointers if count else (), Extent(n, 4)
    )


def test_a_text_may_end_with_the_name_of_a_tensor() -> None:
    text = (
        "void run(Tensor x) { TORCH_CHECK(x.dim() == 1); x = x.contiguous(); x LAUNCH }"
    )
    site = make_site(text, {"x": "x.data_ptr<float>()", "n": "x.size(0)"})
    assert set(configure(site, "n").extents) == {"x"}


def test_a_tensor_whose_rank_nobody_tells_may_be_larger_than_its_axes() -> None:
    text = "void run(Tensor x) { int rows = x.size(0); LAUNCH }"
    site = make_site(text, {"x": "x.data_ptr<float>()", "rows": "rows"})
    assert configure(site, "rows").extents == {}


def test_what_the_host_asserts_to_be_equal_is_known_too() -> None:
    text = (
        "void run(Tensor x, Tensor y) { TORCH_CHECK(x.numel() == y.numel());"
        " int n = x.numel(); LAUNCH }"
    )
    configuration = configure(make_site(text, OUTPUT), "n")
    assert configuration.extents == {"y": Extent(int(configuration.scalars["n"]), 4)}


def test_equations_that_lead_in_circles_tell_nothing() -> None:
    text = (
        "void run(Tensor x, Tensor y, int n) { TORCH_CHECK(x.numel() == y.numel());"
        " LAUNCH }"
    )
    assert configure(make_site(text, OUTPUT), "n").extents == {}


@pytest.mark.parametrize(
    ("statements", "fill_byte"),
    [
        ("auto y = torch::empty({n});", UNINITIALISED),
        ("auto y = torch::empty({n}); int m = y.numel();", UNINITIALISED),
        ("auto y = torch::zeros({n});", 0),
        ("auto y = torch::zeros_like(torch_input);", None),
        ("auto y = torch::empty({n}); y.fill_(1);", None),
        ("auto y = torch::zeros({n}); if (n == 0) return y;", 0),
        ("auto y = torch::empty({n}); if (n == 0) { return {y, y}; }", UNINITIALISED),
        (
            "auto y = torch::zeros({n}); if (!n) return std::make_tuple(y, y);",
            0,
        ),
        ("auto y = torch::zeros({n}); if (n == 0) return {n, y};", 0),
        ("auto y = torch::zeros({n}); if (n == 0) return made(n, y);", None),
        ("auto y = torch::zeros({n}); auto f = [&] { return init(y); }; f();", None),
        ("auto y = torch::zeros({n}); if (n) return y.fill_(1);", None),
        ("auto y = torch::zeros({n}); if (n == 0) return; init(y);", None),
        ("auto y = torch::empty({n}); prepare(y);", None),
        ("auto y = torch::ones({n});", None),
        ("auto y = torch::empty({n}); float *p = y.data_ptr<float>();", None),
    ],
)
def test_what_is_done_before_the_launch_tells_what_a_tensor_holds(
    statements: str, fill_byte: int | None
) -> None:
    site = make_site(f"void run(int n) {{ {statements} LAUNCH }}", OUTPUT)
    allocation = site.allocations.get("y")
    assert (allocation.fill_byte if allocation else None) == fill_byte


def test_a_name_for_a_pointer_leads_to_its_tensor() -> None:
    text = (
        "void run(int n) { auto y = torch::empty({n});"
        " float *p = y.data_ptr<float>(); LAUNCH }"
    )
    allocation = make_site(text, {"y": "p", "n": "n"}).allocations["y"]
    assert (allocation.element_type, allocation.fill_byte) == ("float", UNINITIALISED)


def test_an_accessor_of_a_tensor_that_was_given_holds_its_own_shape() -> None:
    accessor = "x.packed_accessor32<float, 2, torch::RestrictPtrTraits>()"
    site = make_site("void run(Tensor x) { LAUNCH }", {"x": accessor})
    assert site.allocations["x"].size is None


def test_equations_that_double_at_each_step_take_no_time() -> None:
    equations = "".join(
        f"TORCH_CHECK(a{step} == a{step + 1} + a{step + 1});" for step in range(150)
    )
    text = f"void run(int n) {{ {equations} auto y = torch::empty({{a0}}); LAUNCH }}"
    assert configure(make_site(text, OUTPUT), "n").extents == {}


def test_a_tensor_that_is_made_anew_is_not_the_first_one() -> None:
    text = "void run(int n) { auto y = torch::empty({n}); y = torch::empty({2 * n}); LAUNCH }"
    assert make_site(text, OUTPUT).allocations == {}


def test_a_shape_by_its_name_is_no_count() -> None:
    text = (
        "void run(int n) { std::vector<int64_t> shape = {n, 3};"
        " auto y = torch::empty(shape, options); LAUNCH }"
    )
    assert configure(make_site(text, OUTPUT), "n").extents == {}
