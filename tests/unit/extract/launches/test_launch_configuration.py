"""Grid, block and arguments of a launch are found in structures, calls and arrays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.cpp.files.source_text import SourceText
from crawler.extract.launches.launch_configuration import (
    resolve_launch_structures,
    substitute_call_arguments,
)
from crawler.extract.syntax.launch_syntax import LaunchText, find_launches

PLAIN = "void run() { kernel<<<grid, block, shared, stream>>>(x); }"


def read_launch(text: str) -> LaunchText:
    (launch,) = find_launches(SourceText("a.cu", text.encode()))
    return launch


def configuration_of(launch: LaunchText) -> tuple[str, str, str, str]:
    return launch.grid, launch.block, launch.shared_bytes, launch.stream


@pytest.mark.parametrize(
    "setup",
    [
        "cudaLaunchConfig_t c = {blocks, 256, 64};",
        "cudaLaunchConfig_t c{blocks, 256, 64};",
        "cudaLaunchConfig_t c = {.gridDim = blocks, .blockDim = 256, .dynamicSmemBytes = 64};",
        "cudaLaunchConfig_t c; c.gridDim = blocks; c.blockDim = 256; c.dynamicSmemBytes = 64;",
        "p->gridDim = 1; c->gridDim = blocks; c->blockDim = 256; c->dynamicSmemBytes = 64;",
    ],
)
def test_a_configuration_structure_holds_grid_and_block(setup: str) -> None:
    launch = replace(read_launch(PLAIN), config_variable="c", stream="")
    resolved = resolve_launch_structures(launch, setup)
    assert configuration_of(resolved) == ("blocks", "256", "64", "0")


def test_the_last_value_of_a_member_counts() -> None:
    launch = replace(read_launch(PLAIN), config_variable="c")
    setup = "cudaLaunchConfig_t c = {1, 2}; c.gridDim = blocks;"
    assert resolve_launch_structures(launch, setup).grid == "blocks"


def test_a_structure_that_is_made_elsewhere_changes_nothing() -> None:
    launch = replace(read_launch(PLAIN), config_variable="c")
    resolved = resolve_launch_structures(launch, "auto c = make_config();")
    assert configuration_of(resolved) == configuration_of(launch)


@pytest.mark.parametrize(
    ("array", "arguments"),
    [
        ("void *args[] = {&x, (void *)&n};", ("x", "n")),
        ("void *args[] { &pairs[f(1, 2)], &n };", ("pairs[f(1, 2)]", "n")),
        ("void *args[] = {static_cast<void *>(&n), (void *)(&x)};", ("n", "x")),
        ("void *args[] = {reinterpret_cast<void *>(const_cast<T **>(&p))};", ("p",)),
        ("void *args[] = {&(shape.n), &(*p), &(a)[1]};", ("shape.n", "*p", "(a)[1]")),
        ("void *args[] = {(void *)&v<int>::n, std::addressof(m)};", ("v<int>::n", "m")),
        ("void *args[] = {(&n, 0), static_cast<void *>(};", ("(&n, 0)", "(")),
        ("fill(args);", ()),
    ],
)
def test_an_array_of_addresses_holds_the_arguments(
    array: str, arguments: tuple[str, ...]
) -> None:
    launch = replace(read_launch(PLAIN), argument_array="args")
    assert resolve_launch_structures(launch, array).arguments == arguments


def test_a_call_gives_the_configuration() -> None:
    launch = read_launch("void run() { kernel<<<(n + t - 1) / t, t, 0, s>>>(x); }")
    bindings = (("n", "size * 2"), ("t", "256"), ("s", "stream"))
    resolved = substitute_call_arguments(launch, bindings, "")
    assert configuration_of(resolved) == (
        "((size * 2) + 256 - 1) / 256",
        "256",
        "0",
        "stream",
    )


def test_members_and_calls_of_the_same_name_are_no_parameters() -> None:
    launch = read_launch("void run() { kernel<<<shape.n, lib::n, n(1)>>>(x); }")
    resolved = substitute_call_arguments(launch, (("n", "4"),), "")
    assert configuration_of(resolved)[:3] == ("shape.n", "lib::n", "n(1)")


def test_an_argument_that_is_too_long_is_not_written_out() -> None:
    launch = read_launch("void run() { kernel<<<n, 32>>>(x); }")
    resolved = substitute_call_arguments(launch, (("n", "x" * 201),), "")
    assert resolved.grid == "n"


@pytest.mark.parametrize(
    "setup",
    ["Shape made(blocks, 256, 64);", "Shape made = Shape(blocks, 256, 64);"],
)
def test_members_of_one_value_are_what_it_was_made_of(setup: str) -> None:
    launch = read_launch("void run() { kernel<<<s.grid, s.block, s.bytes, q>>>(x); }")
    resolved = substitute_call_arguments(launch, (("s", "made"),), setup)
    assert configuration_of(resolved) == ("blocks", "256", "64", "q")


def test_members_of_a_temporary_are_what_it_is_made_of() -> None:
    launch = read_launch("void run() { kernel<<<s.grid, s.block>>>(x); }")
    resolved = substitute_call_arguments(launch, (("s", "Shape{f(1, 2), 64}"),), "")
    assert (resolved.grid, resolved.block) == ("f(1, 2)", "64")


def test_plain_values_are_not_taken_for_members_of_what_was_made_before() -> None:
    launch = read_launch(PLAIN)
    bindings = (("shared", "64"),)
    resolved = substitute_call_arguments(launch, bindings, "prepare(8, 16, 32);")
    assert configuration_of(resolved) == ("grid", "block", "64", "stream")


def test_members_of_two_values_stay_as_they_are() -> None:
    launch = read_launch("void run() { kernel<<<a.grid, b.block>>>(x); }")
    setup = "Shape a(1, 2); Shape b(3, 4);"
    resolved = substitute_call_arguments(launch, (), setup)
    assert (resolved.grid, resolved.block) == ("a.grid", "b.block")


def test_a_value_made_of_one_part_holds_no_configuration() -> None:
    launch = read_launch("void run() { kernel<<<s.grid, s.block>>>(x); }")
    resolved = substitute_call_arguments(launch, (), "Shape s(other);")
    assert (resolved.grid, resolved.block) == ("s.grid", "s.block")
