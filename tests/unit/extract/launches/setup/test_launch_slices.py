"""What computes a launch, as a user reads it: whole statements, definitions, conditions, inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.extraction.launch_setups import compile_setup
from crawler.extract.unit.syntax_fallback import extract_facts_from_syntax
from crawler.model import Kernel, Launch
from tests.unit.extract.launches.setup.launching_sources import CUDA, HEADER


@pytest.fixture(scope="module")
def launches(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> dict[str, Launch]:
    """Return the launches of `scale` by their second template argument."""
    kernels = index_kernels(project({"blocks.h": HEADER, "launch.cu": CUDA}).kernels())
    return {
        launch.callee.rpartition(",")[2].strip(" >"): launch
        for launch in kernels["scale"].launches
    }


@pytest.fixture(scope="module")
def nested_launch(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> Launch:
    kernels = index_kernels(project({"blocks.h": HEADER, "launch.cu": CUDA}).kernels())
    (nested_launch_site,) = {
        launch for launch in kernels["scale"].launches if launch.enclosing == "nested"
    }
    return nested_launch_site


def test_an_expression_of_many_terms_is_bounded(project: Callable[..., Any]) -> None:
    terms = " + 1" * 600
    text = f"""__global__ void fill(int* x) {{}}
void run(int* x) {{
  int blocks = 4;
  int sum = [&] {{ fill<<<blocks, 1>>>(x); return 1; }}(){terms};
}}
"""
    (kernel,) = project({"sum.cu": text}).kernels()
    (launch,) = kernel.launches
    assert launch.grid == "blocks"


def test_statements_are_whole_and_in_order(launches: dict[str, Launch]) -> None:
    assert launches["64"].setup.splitlines() == [
        "const int num_kernels = rows * channels;",
        "int threads = THREADS_PER_BLOCK,",
        "    spare = 0;",
        "if (channels > 1024) {",
        "  // narrow rows",
        "  threads = round_up(rows);",
        "} else",
        "  {}",
    ]


def test_other_launches_and_sibling_scopes_are_left_out(
    launches: dict[str, Launch],
) -> None:
    for launch in launches.values():
        assert "<<<" not in launch.setup
        assert launch.setup.count("num_kernels = ") <= 1
        assert "unrelated" not in launch.setup


def test_what_names_stand_for_comes_along_transitively(
    launches: dict[str, Launch],
) -> None:
    definitions = launches["64"].definitions
    assert definitions.index("#define THREADS_PER_BLOCK") < definitions.index(
        "inline int GET_BLOCKS"
    )
    assert "#define LOG_THREADS 9" in definitions
    assert "constexpr int kWarp = 32;" in definitions
    assert "UNRELATED" not in definitions
    assert "__global__" not in definitions


def test_conditions_say_when_a_launch_is_reached(launches: dict[str, Launch]) -> None:
    outer = "!(rows == 0)"
    assert launches["64"].conditions == (outer, "channels == 64")
    assert launches["16"].conditions == (
        outer,
        "!(channels == 64)",
        "channels == 8 || channels == 16",
    )
    assert launches["0"].conditions == (
        outer,
        "!(channels == 64)",
        "!(channels == 8 || channels == 16)",
    )
    assert launches["0"].setup.splitlines()[-1] == "int shared = 4;"
    assert launches["3"].conditions == ("for (int step = 0; step < n; ++step)",)


def test_only_the_last_value_of_a_variable_counts(launches: dict[str, Launch]) -> None:
    assert launches["1"].setup.splitlines() == ["dim3 grid;", "grid = dim3(1);"]
    assert launches["2"].setup.splitlines() == [
        "dim3 grid;",
        "grid = dim3(n);",
        "grid.y = 2;",
    ]


def test_what_is_changed_through_a_call_or_in_a_loop_is_kept(
    launches: dict[str, Launch],
) -> None:
    assert launches["3"].setup.splitlines() == [
        "int blocks = 0;",
        "int size = 0;",
        "cudaDeviceGetAttribute(&size, cudaDevAttrMaxThreadsPerBlock, 0);",
        "for (int i = 0; i < n; ++i) {",
        "  blocks += i;",
        "}",
    ]
    assert [variable.name for variable in launches["3"].inputs] == ["step", "x", "n"]


def test_what_the_next_turn_of_a_loop_reads_is_kept(
    launches: dict[str, Launch],
) -> None:
    assert launches["9"].setup.splitlines() == [
        "int blocks = 0;",
        "int width = n;",
        "for (int i = 0, sum = 0; i < n; ++i) {",
        "  int part = i / 2;",
        "  blocks = sum;",
        "  sum += part;",
        "}",
        "while (width > 1) {",
        "  blocks++;",
        "  width /= 2;",
        "}",
    ]


def test_a_dispatch_macro_is_a_condition_and_its_type_an_input(
    launches: dict[str, Launch],
) -> None:
    launch = launches["4"]
    assert launch.conditions == (
        'AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "dispatched", …)',
    )
    assert launch.setup.splitlines() == [
        "auto stream = at::cuda::getCurrentCUDAStream();",
        "scalar_t* data = out.data_ptr<scalar_t>();",
    ]
    types = {variable.name: variable for variable in launch.inputs}
    assert types["scalar_t"].type == "typename"
    assert types["scalar_t"].canonical_type == "double"
    assert types["out"].type == "at::Tensor"


def test_members_are_inputs_and_constants_of_a_class_statements(
    launches: dict[str, Launch],
) -> None:
    launch = launches["5"]
    assert launch.setup == "static constexpr int kBlock = 96;"
    assert {variable.name for variable in launch.inputs} == {"buffer", "length"}


def test_what_the_preprocessor_leaves_out_is_left_out(
    launches: dict[str, Launch],
) -> None:
    assert launches["6"].setup.split() == [
        "int",
        "blocks",
        "=",
        "1;",
        "if",
        "(n",
        ">",
        "3)",
        "blocks",
        "=",
        "32;",
    ]


def test_dispatch_macros_within_others_are_seen_through(
    nested_launch: Launch,
) -> None:
    assert nested_launch.setup.splitlines() == [
        "constexpr int threads = kEven ? 64 : 32;",
        "dim3 grid(n / threads);",
    ]
    assert nested_launch.conditions == (
        "SWITCH_BOOL(n % 2 == 0, kEven, …)",
        "SWITCH_BOOL(n > 9, kLarge, …)",
    )
    assert [variable.name for variable in nested_launch.inputs] == ["kEven", "x", "n"]
    assert compile_setup(nested_launch) == ""


@pytest.mark.parametrize("number", ["64", "16", "0", "1", "2", "3", "4", "5", "6"])
def test_it_compiles_on_its_own(launches: dict[str, Launch], number: str) -> None:
    assert compile_setup(launches[number]) == ""


def test_the_syntax_tree_alone_slices_too(project: Callable[..., Any]) -> None:
    planted = project({"blocks.h": HEADER, "launch.cu": CUDA})
    facts = extract_facts_from_syntax(
        planted.root, planted.commands[0], "parse-crashed"
    )
    launches = {
        sighting.launch.callee.rpartition(",")[2].strip(" >"): sighting.launch
        for sighting in facts.launches
    }
    assert launches["16"].conditions == (
        "!(rows == 0)",
        "!(channels == 64)",
        "channels == 8 || channels == 16",
    )
    assert launches["2"].setup.splitlines() == [
        "dim3 grid;",
        "grid = dim3(n);",
        "grid.y = 2;",
    ]
    assert launches["4"].conditions == (
        'AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "dispatched", …)',
    )
    assert [(name.name, name.type) for name in launches["2"].inputs] == [
        ("x", "float *"),
        ("n", "int"),
    ]
