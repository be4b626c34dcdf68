"""What a prompt tells of a kernel's parameters, launches and types, and where it has it from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from crawler.dataset.prompts.describe_task import describe_task
from crawler.dataset.prompts.kernel_task import (
    Direction,
    KernelTask,
    TaskLaunch,
)
from crawler.dataset.prompts.solution import SplitUnit
from crawler.model import (
    CompanionKind,
    HostCompanion,
    Instantiation,
    KernelRecord,
    Launch,
    Operator,
    Parameter,
)
from tests.plain import HERE, plain_kernel, plain_unit
from tests.run_records import make_run_records

RAN = make_run_records()[0]
PARTS = SplitUnit(
    context="#define SHOWN 4\n",
    signature="__global__ void k(float *p, int n)",
    solution="{}",
    declarations=("float *p", "int n"),
    has_body=True,
)
POINTER = Parameter(name="p", type="float *", qualifiers=("pointer",))
SOURCE = Parameter(name="s", type="const float *", qualifiers=("pointer", "const"))
NUMBER = Parameter(name="n", type="int")


def describe(parts: SplitUnit = PARTS, **facts: Any) -> KernelTask:
    """Return what prompts tell of a kernel that was never run."""
    unit = plain_unit("__global__ void k(float *p, int n) {}")
    facts = {"parameters": (POINTER, NUMBER), **facts}
    kernel = replace(plain_kernel(unit), **facts)
    record = replace(RAN, kernel=kernel, runs=(), suites=(), ports=(), builds=())
    return describe_task(record, unit, parts)


def launch(grid: str = "g", block: str = "b", **facts: Any) -> Launch:
    return Launch(span=HERE, kernel_name="k", grid=grid, block=block, **facts)


def companion(name: str, source: str, kind: CompanionKind) -> HostCompanion:
    return HostCompanion(name=name, source=source, kind=kind, span=HERE)


def list_definitions(task: KernelTask) -> tuple[str, ...]:
    (only,) = task.launches
    return only.definitions


def test_without_a_run_a_direction_is_read_off_the_type() -> None:
    task = describe(parameters=(POINTER, SOURCE, NUMBER))
    assert [
        (parameter.name, parameter.direction, parameter.is_traced)
        for parameter in task.parameters
    ] == [
        ("p", Direction.UNKNOWN, False),
        ("s", Direction.IN, False),
        ("n", Direction.VALUE, False),
    ]
    assert task.example == ""


def test_a_run_shows_directions_and_an_example() -> None:
    unit = RAN.kernel.unit
    assert unit is not None
    task = describe_task(RAN, unit, replace(PARTS, declarations=()))
    assert any(parameter.is_traced for parameter in task.parameters)
    assert "grid (" in task.example
    assert "bytes of dynamic shared memory" in task.example


@pytest.mark.parametrize(
    ("declarations", "declaration"),
    [(("float *p", "int n"), "float *p"), (("only one",), "float * p")],
)
def test_declarations_are_those_of_the_signature_where_it_has_all(
    declarations: tuple[str, ...], declaration: str
) -> None:
    task = describe(replace(PARTS, declarations=declarations))
    assert task.parameters[0].declaration == declaration


def test_an_argument_is_told_where_it_is_called_otherwise() -> None:
    site = launch(argument_map=(("p", "out.data_ptr<float>()"), ("n", "n")))
    task = describe(launches=(site, launch(argument_map=(("n", "other"),))))
    assert [parameter.launched_as for parameter in task.parameters] == [
        "out.data_ptr<float>()",
        "",
    ]


def test_equal_configurations_are_told_once_and_few_in_all() -> None:
    sites = [launch(grid=f"g{number // 2}", enclosing="run") for number in range(12)]
    task = describe(launches=tuple(sites))
    assert [launch.grid for launch in task.launches] == ["g0", "g1", "g2", "g3"]
    assert task.launches[0] == TaskLaunch(
        launcher="run",
        kernel="",
        conditions=(),
        grid="g0",
        block="b",
        shared_bytes="0",
        variables=(),
        statements=(),
        definitions=(),
    )


def test_a_launch_has_its_template_arguments_and_conditions() -> None:
    conditions = ("n > 0", "DISPATCH(type, …)", "n <= 8", "x" * 300)
    site = launch(callee="k<T,\n 8>", conditions=conditions)
    (task_launch,) = describe(launches=(site,)).launches
    assert (task_launch.kernel, task_launch.conditions) == (
        "k<T, 8>",
        ("n > 0", "n <= 8"),
    )

    # what is not so at each place of one configuration is not told
    other = launch(callee="k<T, 4>", conditions=("n > 0", "!(n <= 8)"))
    (task_launch,) = describe(launches=(site, other)).launches
    assert (task_launch.kernel, task_launch.conditions) == ("", ("n > 0",))


def test_a_configuration_over_lines_becomes_one() -> None:
    site = launch(grid="dim3(\n  a,\n     b\n)", block="x \\\n + y")
    (task_launch,) = describe(launches=(site,)).launches
    assert (task_launch.grid, task_launch.block) == ("dim3(a, b)", "x + y")


def test_local_variables_of_a_launch_have_what_gives_them_their_values() -> None:
    needed = ("int n = x.numel()", "int rows = n / 4", "dim3 threads = {64, 2, 1}")
    grid = "(rows + threads.x - 1) / threads.x"
    others = f"int wide = f({'a' * 200});\nbool other = true;\nint64_t count, spare;"
    setup = ";\n".join([*needed, f"dim3 grid({grid})", others, "int p = count * rows;"])
    conditions = ("rows > wide", "count > 0")
    site = launch(setup=setup, grid="grid", block="threads", conditions=conditions)
    (task_launch,) = describe(launches=(site,)).launches
    assert (task_launch.grid, task_launch.block) == (f"dim3({grid})", "dim3(64, 2, 1)")
    assert task_launch.variables == needed


def test_of_variables_that_are_called_alike_the_one_that_is_meant_is_told() -> None:
    outer, grid, inner = "const int n = 4;", "dim3 grid(rows / n);", "const int n = 8;"
    site = launch(grid="grid", block="n", setup=f"{outer}\n{inner}")
    assert describe(launches=(site,)).launches[0].variables == ("const int n = 8",)

    site = launch(grid="grid", block="1", setup=f"{outer}\n{grid}\n{inner}")
    (told,) = describe(launches=(site,)).launches
    assert (told.grid, told.variables) == ("dim3(rows / n)", ("const int n = 4",))


def test_names_of_a_configuration_are_defined_with_what_those_name() -> None:
    companions = (
        companion("ns::BLOCKS", "#define BLOCKS (N / T)", CompanionKind.MACRO),
        companion("T", "constexpr int T = 256;", CompanionKind.CONSTANT),
        companion("unused", "int unused = 1;", CompanionKind.CONSTANT),
        companion("Row", "struct Row { int T; };", CompanionKind.CLASS),
        companion("SHOWN", "#define SHOWN 4", CompanionKind.MACRO),
        companion("LONG", "#define LONG " + "x" * 300, CompanionKind.MACRO),
    )
    site = launch(grid="BLOCKS", block="SHOWN + sizeof(Row) + LONG")
    task = describe(launches=(site,), companions=companions)
    assert list_definitions(task) == (
        "#define BLOCKS (N / T)",
        "constexpr int T = 256;",
    )


def test_a_name_that_only_the_launch_leads_to_is_defined_by_its_code() -> None:
    definitions = (
        "#define T 256\nnamespace a {\ninline int BLOCKS(int n) {\n"
        "  return n / T;\n}\n}\nint unused();"
    )
    site = launch(
        grid="blocks", setup="int blocks = BLOCKS(n);", definitions=definitions
    )
    assert list_definitions(describe(launches=(site,))) == (
        "inline int BLOCKS(int n) { return n / T; }",
        "#define T 256",
    )


def test_what_two_launches_name_is_defined_once() -> None:
    sites = (launch(grid="T"), launch(grid="T * 2", block="S"))
    companions = (
        companion("T", "#define T 2", CompanionKind.MACRO),
        companion("S", "#define S T", CompanionKind.MACRO),
    )
    task = describe(launches=sites, companions=companions)
    assert [told.definitions for told in task.launches] == [
        ("#define T 2",),
        ("#define S T",),
    ]


def test_launches_of_one_local_name_that_have_other_values_are_two() -> None:
    sites = tuple(
        launch(grid="grid", setup=f"dim3 grid({size});") for size in ("rows", "columns")
    )
    task = describe(launches=(*sites, sites[0]))
    assert [launch.grid for launch in task.launches] == ["dim3(rows)", "dim3(columns)"]


@pytest.mark.parametrize(
    ("setup", "statements"),
    [
        ("int g = n / 2;\nauto out = at::empty(n);", ("int g = n / 2;",)),
        ("if (n) {\n  g = 1;\n\n}", ("if (n) {", "  g = 1;", "}")),
        # no whole statements
        ("g = (n;", ()),
        (") g = 1;", ()),
        ("g = n", ()),
        ("auto out = at::empty(n);", ()),
    ],
)
def test_statements_that_compute_a_configuration_are_told_whole(
    setup: str, statements: tuple[str, ...]
) -> None:
    (task_launch,) = describe(launches=(launch(setup=setup),)).launches
    assert task_launch.statements == statements


def test_statements_that_compute_what_is_passed_are_told_once() -> None:
    setup = "auto out = at::empty(n);\nfloat *p = out.data();\nint g = n / 2;"
    sites = [
        launch(grid=grid, setup=setup, argument_map=(("p", "p"),))
        for grid in ("g", "g + 1")
    ]
    first, second = describe(launches=tuple(sites)).launches
    assert first.statements == tuple(setup.splitlines())
    assert second.statements == ()


def test_of_a_long_setup_only_what_grid_and_block_need_is_told() -> None:
    tensors = "\n".join(f"auto t{number} = make();" for number in range(80))
    passed = tuple((f"p{number}", f"t{number}") for number in range(80))
    site = launch(setup=f"{tensors}\nint g = 1;", argument_map=passed)
    (task_launch,) = describe(launches=(site,)).launches
    assert task_launch.statements == ("int g = 1;",)


def test_operators_are_named_once() -> None:
    operators = tuple(Operator(name=name, parts=()) for name in ("add", "mul", "add"))
    assert describe(operators=operators).operators == ("add", "mul")


def test_instantiations_are_told_by_their_arguments() -> None:
    unit = plain_unit(
        "",
        Instantiation(arguments=("float", "3"), label="float_3"),
        Instantiation(arguments=(), label=""),
    )
    record = KernelRecord(provenance=RAN.provenance, kernel=plain_kernel(unit))
    task = describe_task(record, unit, PARTS)
    assert [group.expand() for group in task.instantiations] == [[("float", "3")]]
    assert (task.language, task.entry_point, task.wave) == ("CUDA", "k", "")


@pytest.mark.parametrize(
    ("name", "computation"), [("gemm_kernel", "matrix-product"), ("k", "")]
)
def test_a_class_is_told_where_something_speaks_for_one(
    name: str, computation: str
) -> None:
    source = "__global__ void k() { while (f()) { s += a * b; __syncthreads(); } }"
    task = describe(name=name, source=source)
    assert task.computation == computation
    assert bool(task.evidence) is bool(computation)
