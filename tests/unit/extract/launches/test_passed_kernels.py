"""A kernel that is passed to a launching function is launched by its caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.model import Launch, LaunchFacts

Launches = Callable[[str], list[Launch]]
KERNELS = """
template <class T> __global__ void scale(T *x, int n) { x[n] = T(2); }
template <class T> __global__ void shift(T *x, int n) { x[n] += T(1); }
__global__ void plain(int *x, int n) { x[n] = 3; }
"""
RUN = """
template <class K, class T> void run(K kernel, T *x, int n) {
  kernel<<<n, 256>>>(x, n);
}
"""


@pytest.fixture
def launches(project: Callable[..., Any]) -> Launches:
    """Return the launches of a file that the compiler resolved to a kernel."""

    def list_launches(text: str) -> list[Launch]:
        (facts,) = project({"a.cu": KERNELS + text}).facts()
        sightings: tuple[LaunchFacts, ...] = facts.launches
        return [sighting.launch for sighting in sightings if sighting.target_path]

    return list_launches


def describe(launch: Launch) -> tuple[str, tuple[tuple[str, ...], ...], str]:
    return launch.kernel_name, launch.template_arguments, launch.grid


def arguments_of(launch: Launch) -> list[str]:
    return [argument for _, argument in launch.argument_map]


def test_each_caller_gives_its_own_kernel(launches: Launches) -> None:
    text = (
        RUN + "void f(float *a, int *b) { run(scale<float>, a, 4); run(plain, b, 8); }"
    )
    assert {launch.kernel_name for launch in launches(text)} == {"scale", "plain"}


def test_the_configuration_is_in_the_callers_words(launches: Launches) -> None:
    text = RUN + "void f(float *data, int rows) { run(scale<float>, data, rows * 2); }"
    (launch,) = launches(text)
    assert describe(launch) == ("scale", (("float",),), "(rows * 2)")
    assert arguments_of(launch) == ["data", "rows * 2"]


def test_a_parameter_is_passed_on_through_a_second_function(
    launches: Launches,
) -> None:
    outer = "template <class K> void outer(K k, float *y) { run(k, y, 16); }\n"
    text = f"{RUN}{outer}void f(float *a) {{ outer(shift<float>, a); }}"
    (launch,) = launches(text)
    assert describe(launch) == ("shift", (("float",),), "16")
    assert arguments_of(launch) == ["a", "16"]


def test_a_function_pointer_parameter_is_one_too(launches: Launches) -> None:
    text = (
        "void run(void (*kernel)(int *, int), int *x) { kernel<<<1, 32>>>(x, 0); }\n"
        "void f(int *x) { run(plain, x); run(&scale<int>, x); }\n"
    )
    assert {launch.kernel_name for launch in launches(text)} == {"plain", "scale"}


def test_an_element_of_a_table_may_be_passed(launches: Launches) -> None:
    text = RUN + (
        "void (*table[2])(int *, int) = {plain, scale<int>};\n"
        "void f(int *x, int i) { run(table[i], x, 4); }\n"
    )
    assert {launch.kernel_name for launch in launches(text)} == {"plain", "scale"}


def test_kernels_at_other_positions_are_not_launched(launches: Launches) -> None:
    text = (
        "template <class A, class B> void second(A first, B kernel, int *x) {\n"
        "  kernel<<<1, 32>>>(x, 0); (void)first; }\n"
        "void f(int *x) { second(plain, scale<int>, x); }\n"
    )
    assert [launch.kernel_name for launch in launches(text)] == ["scale"]


def test_a_variable_holds_what_it_was_given(launches: Launches) -> None:
    text = "void f(int *x) { auto kernel = &scale<int>; kernel<<<3, 32>>>(x, 0); }"
    assert [describe(launch) for launch in launches(text)] == [
        ("scale", (("int",),), "3")
    ]


def test_a_variable_may_hold_each_kernel_of_a_choice(launches: Launches) -> None:
    text = (
        "void f(int *x, bool up) {\n"
        "  void (*kernel)(int *, int) = up ? shift<int> : scale<int>;\n"
        "  kernel<<<1, 32>>>(x, 0); }\n"
    )
    assert {launch.kernel_name for launch in launches(text)} == {"shift", "scale"}


def test_a_kernel_of_another_type_is_not_held(launches: Launches) -> None:
    text = (
        "void f(int *x, bool up) {\n"
        "  void (*kernel)(int *, int);\n"
        "  (void)&scale<float>;\n"
        "  if (up) kernel = shift<int>;\n"
        "  kernel<<<1, 32>>>(x, 0); }\n"
    )
    held_names = {
        launch.kernel_name for launch in launches(text) if launch.callee == "kernel"
    }
    assert held_names == {"shift"}


def test_a_function_that_picks_a_kernel_is_followed(launches: Launches) -> None:
    text = (
        "typedef void (*Kernel)(int *, int);\n"
        "Kernel pick(bool up) { return up ? shift<int> : plain; }\n"
        "void f(int *x, bool up) { Kernel kernel = pick(up); kernel<<<1, 2>>>(x, 0); }\n"
    )
    assert {launch.kernel_name for launch in launches(text)} == {"shift", "plain"}


def test_functions_that_pick_each_other_come_to_an_end(launches: Launches) -> None:
    text = (
        "typedef void (*Kernel)(int *, int);\n"
        "Kernel odd(int n);\n"
        "Kernel even(int n) { return n ? odd(n - 1) : plain; }\n"
        "Kernel odd(int n) { return n ? even(n - 1) : shift<int>; }\n"
        "void f(int *x) { Kernel kernel = even(5); kernel<<<1, 2>>>(x, 0); }\n"
    )
    assert {launch.kernel_name for launch in launches(text)} == {"plain", "shift"}


def test_a_launch_in_a_lambda_belongs_to_the_function_around_it(
    launches: Launches,
) -> None:
    text = (
        "namespace lib { void outer(int *x) {\n"
        "  auto go = [&] { plain<<<1, 32>>>(x, 0); }; go(); } }\n"
    )
    (launch,) = launches(text)
    assert launch.enclosing == "lib::outer"


def test_a_launch_in_a_method_names_its_class(launches: Launches) -> None:
    text = "struct Op { void run(int *x) { plain<<<1, 32>>>(x, 0); } };\n"
    (launch,) = launches(text)
    assert launch.enclosing == "Op::run"


def test_an_overload_is_told_by_its_arguments(launches: Launches) -> None:
    text = (
        "__global__ void over(int *x) { x[0] = 1; }\n"
        "__global__ void over(float *x) { x[0] = 1; }\n"
        "void f(float *x) { over<<<1, 32>>>(x); }\n"
    )
    (facts,) = [launch for launch in launches(text) if launch.kernel_name == "over"]
    assert arguments_of(facts) == ["x"]


def test_the_address_array_of_a_call_is_in_the_callers_words(
    launches: Launches,
) -> None:
    text = (
        "void f(int *data, int rows) {\n"
        "  void *args[] = {static_cast<void *>(&data), (void *)(&rows)};\n"
        "  cudaLaunchKernel((const void *)plain, dim3(7), dim3(32), args, 0, 0); }\n"
    )
    (launch,) = launches(text)
    assert arguments_of(launch) == ["data", "rows"]
    assert describe(launch) == ("plain", (), "dim3(7)")


@pytest.mark.parametrize(
    "text",
    [
        "void f(int *x) { run(, x, 1); }",
        "void f(int *x) { run(scale<, x, 1); }",
        "template <class K> void f(K k) { f(k); k<<<1, 1>>>(); }",
        "void f(int *x) { auto kernel; kernel<<<1, 1>>>(x); }",
        "void f() { undeclared<<<1, 1>>>(); }",
    ],
)
def test_broken_callers_launch_nothing_and_end(text: str, launches: Launches) -> None:
    assert launches(RUN + text) == []
