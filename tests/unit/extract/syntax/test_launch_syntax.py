"""Launches as written: chevrons and the launch calls of the runtimes."""

from __future__ import annotations

import pytest

from crawler.cpp.files.source_text import SourceText
from crawler.extract.syntax.launch_syntax import LaunchText, find_launches


def launches_of(text: str) -> tuple[LaunchText, ...]:
    return find_launches(SourceText("a.cu", text.encode()))


def only_launch(text: str) -> LaunchText:
    (launch,) = launches_of(text)
    return launch


def test_chevrons_with_all_their_parts() -> None:
    text = "void f() { ns::add<float, 4><<<dim3(1, 2), 256, n * 4, s>>>(x, y); }"
    launch = only_launch(text)
    assert launch.name == "add"
    assert text[launch.start :].startswith("ns::add")
    assert text[launch.configuration_start :].startswith("<<<")
    assert text[: launch.end].endswith("(x, y)")
    assert launch.template_arguments == ("float", "4")
    assert launch.arguments == ("x", "y")
    assert (launch.grid, launch.block) == ("dim3(1, 2)", "256")
    assert (launch.shared_bytes, launch.stream) == ("n * 4", "s")
    assert launch.callee == "ns::add<float, 4>"


@pytest.mark.parametrize(
    ("callee", "name"),
    [
        ("add", "add"),
        ("(add<int>)", "add"),
        ("kernels[i + 1]", "kernels"),
        ("(*pointer)", "pointer"),
        ("this->run", "run"),
        ("name##_kernel", "_kernel"),
    ],
)
def test_whatever_stands_in_the_kernels_place(callee: str, name: str) -> None:
    assert only_launch(f"void f() {{ {callee}<<<1, 2>>>(x); }}").name == name


def test_missing_parts_have_defaults() -> None:
    launch = only_launch("void f() { add<<<1, 2>>>(); }")
    assert (launch.shared_bytes, launch.stream, launch.arguments) == ("0", "0", ())
    assert only_launch("void f() { add<<<CONFIG>>>(x); }").block == ""


@pytest.mark.parametrize(
    "text",
    [
        "void f() { add<<<1, 2; }",
        "void f() { add<<<>>>(x); }",
        "void f() { 1 <<<1, 2>>>(x); }",
        "<<<1, 2>>>(x)",
        "// add<<<1, 2>>>(x)",
        'auto a = "add<<<1, 2>>>(x)";',
        "cudaLaunchKernel(kernel);",
        "hipLaunchKernelGGL(",
        "cudaLaunchKernelEx(, kernel)",
    ],
)
def test_what_is_no_launch(text: str) -> None:
    assert launches_of(text) == ()


def test_a_launch_within_a_macro_says_so() -> None:
    launches = launches_of("#define L add<<<1, 2>>>(x)\nvoid f() { sub<<<1, 2>>>(x); }")
    assert [(launch.name, launch.is_in_macro) for launch in launches] == [
        ("add", True),
        ("sub", False),
    ]


@pytest.mark.parametrize(
    ("call", "grid", "block", "shared_bytes", "stream", "arguments", "array"),
    [
        ("hipLaunchKernelGGL(k, g, b, 8, s, x, y)", "g", "b", "8", "s", ("x", "y"), ""),
        (
            "hipLaunchKernelGGL(HIP_KERNEL_NAME(k<int, 2>), g, b, 8, s, x)",
            "g",
            "b",
            "8",
            "s",
            ("x",),
            "",
        ),
        (
            "hipExtLaunchKernelGGL(k, g, b, 8, s, e, f, 0, x)",
            "g",
            "b",
            "8",
            "s",
            ("x",),
            "",
        ),
        (
            "cudaLaunchKernel((void*)k, g, b, args, 8, s)",
            "g",
            "b",
            "8",
            "s",
            (),
            "args",
        ),
        (
            "cudaLaunchCooperativeKernel((const void*)k, g, b, &args[0], 8, s)",
            "g",
            "b",
            "8",
            "s",
            (),
            "args",
        ),
        (
            "cuLaunchKernel(k, 1, 2, 3, 4, 5, 6, 8, s, args, 0)",
            "1, 2, 3",
            "4, 5, 6",
            "8",
            "s",
            (),
            "args",
        ),
        ("cudaLaunchKernel(k, g, b, args, 8)", "g", "b", "8", "0", (), "args"),
    ],
)
def test_launching_calls(
    call: str,
    grid: str,
    block: str,
    shared_bytes: str,
    stream: str,
    arguments: tuple[str, ...],
    array: str,
) -> None:
    launch = only_launch(f"void f() {{ {call}; }}")
    assert launch.name == "k"
    assert (launch.grid, launch.block) == (grid, block)
    assert (launch.shared_bytes, launch.stream) == (shared_bytes, stream)
    assert (launch.arguments, launch.argument_array) == (arguments, array)


def test_a_configuration_in_a_structure() -> None:
    launch = only_launch("void f() { cudaLaunchKernelEx(&config, k<int>, x, y); }")
    assert (launch.name, launch.config_variable) == ("k", "config")
    assert (launch.grid, launch.block) == ("config.gridDim", "config.blockDim")
    assert launch.arguments == ("x", "y")
    by_array = only_launch("void f() { cuLaunchKernelEx(&config, k, args, 0); }")
    assert (by_array.arguments, by_array.argument_array) == ((), "args")


def test_chevrons_come_before_calls() -> None:
    text = "void f() { hipLaunchKernelGGL(a, 1, 2, 0, 0, x); b<<<1, 2>>>(x); }"
    assert [launch.name for launch in launches_of(text)] == ["b", "a"]
