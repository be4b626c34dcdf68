"""Kernels held against what their launchers allocate, write and pass."""

from __future__ import annotations

import pytest

from crawler.model import Extents, HostCode, Launch, OperatorRole, Span
from crawler.validate.cpu.result import CpuValidation
from crawler.validate.cpu.validation import validate_on_cpu
from tests.plain import plain_kernel, plain_unit

pytestmark = pytest.mark.apt
KERNEL = """__global__ void k(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) to[i] = from[i + 1] * 2.0f;
}
"""
PARAMETERS = (("from", "const float *"), ("to", "float *"), ("n", "int"))


def validate(
    statements: str,
    *pointers: str,
    kernel: str = KERNEL,
    grid: str = "(n + 63) / 64",
    conditions: tuple[str, ...] = (),
    further: tuple[str, str] | None = None,
) -> CpuValidation:
    """Return what comes of a kernel whose launcher has these statements, and passes these.

    `further` is another parameter of both, by its name and its type.
    """
    further_parameters = (further,) if further else ()
    further_text = "".join(f", {kind} {name}" for name, kind in further_parameters)
    text = f"void run(int n{further_text}) {{ {statements} k<<<{grid}, 64>>>(); }}"
    begin = text.index("k<<<")
    host_span = Span(path="a.cu", line=1, end_line=1, offset=0, end_offset=len(text))
    launch_span = Span(
        path="a.cu", line=1, end_line=1, offset=begin, end_offset=len(text) - 2
    )
    launch = Launch(
        span=launch_span,
        kernel_name="k",
        grid=grid,
        block="64",
        enclosing="run",
        conditions=conditions,
        argument_map=(
            *(("from", pointers[0]), ("to", pointers[1]), ("n", "n")),
            *((name, name) for name, _ in further_parameters),
        ),
    )
    host = HostCode(role=OperatorRole.LAUNCHER, name="run", span=host_span, source=text)
    unit = plain_unit(f"#include <kernelset/cuda.cuh>\n{kernel}")
    return validate_on_cpu(
        plain_kernel(
            unit,
            (*PARAMETERS, *further_parameters),
            source=kernel,
            launches=(launch,),
            host=(host,),
        )
    )


def allocate(name: str, count: str) -> str:
    return f"cudaMalloc(&{name}, {count} * sizeof(float)); cudaMemcpy({name}, x, 4);"


@pytest.mark.parametrize(
    ("count", "code"), [("n", "self-consistent"), ("(n - 1)", "out-of-bounds")]
)
def test_a_kernel_must_stay_within_what_its_launcher_allocates(
    count: str, code: str
) -> None:
    statements = allocate("d_x", count) + allocate("d_y", "n")
    verdict = validate(statements, "d_x", "d_y").run.pass_exe
    assert verdict.code == code
    if code == "out-of-bounds":
        assert "from has 1196 bytes, as its launcher allocates it" in verdict.message


@pytest.mark.parametrize(
    ("statements", "extents"),
    [
        (allocate("d_x", "n") + allocate("d_y", "n"), Extents.LAUNCHER),
        (allocate("d_x", "n"), Extents.INFERRED),
        ("", Extents.UNPROVEN),
    ],
)
def test_a_run_says_for_how_many_buffers_its_launcher_tells_the_size(
    statements: str, extents: Extents
) -> None:
    run = validate(statements, "d_x", "d_y").run
    assert (run.pass_exe.code, run.extents) == ("self-consistent", extents)


def test_what_leaves_memory_of_a_known_size_says_where_that_came_from() -> None:
    run = validate(allocate("d_x", "(n - 1)"), "d_x", "d_y").run
    assert (run.pass_exe.code, run.extents) == ("out-of-bounds", Extents.INFERRED)


def test_nothing_is_proven_where_the_grid_is_not_known() -> None:
    statements = allocate("d_x", "n") + allocate("d_y", "n")
    run = validate(statements, "d_x", "d_y", grid="[] { return 4; }()").run
    assert run.extents is Extents.UNPROVEN


def test_a_pointer_that_is_passed_twice_is_one_buffer() -> None:
    statements = allocate("d_x", "n") + allocate("d_y", "n")
    assert validate(statements, "d_x", "d_x").run.pass_exe.code == "race"


def test_what_the_launcher_never_wrote_must_not_be_read() -> None:
    statements = "cudaMalloc(&d_x, n * sizeof(float));" + allocate("d_y", "n")
    assert validate(statements, "d_x", "d_y").run.pass_exe.code == "uninitialised-read"


def test_local_variables_must_be_written_before_they_are_read() -> None:
    kernel = KERNEL.replace("if (i", "float sum; if (i").replace(
        "to[i] =", "to[i] = sum +="
    )
    verdict = validate("", "d_x", "d_y", kernel=kernel).run.pass_exe
    assert verdict.code == "uninitialised-read"
    assert "local variables" in verdict.message


def test_indices_in_order_do_not_hide_that_sums_meet() -> None:
    # three places for a whole block: no index can stand there once
    kernel = """__global__ void k(const int *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && from[i] >= 0 && from[i] < 3) to[from[i]] += i;
}
"""
    statements = (
        "cudaMalloc(&d_y, 3 * sizeof(float)); cudaMemset(d_y, 0, 3 * sizeof(float));"
    )
    verdict = validate(statements, "d_x", "d_y", kernel=kernel).run.pass_exe
    assert (verdict.status, verdict.code) == ("fail", "race")


@pytest.mark.parametrize(
    ("value", "code"), [(" = {}", "self-consistent"), ("", "uninitialised-read")]
)
def test_arrays_must_be_written_where_each_element_begins_with_the_same(
    value: str, code: str
) -> None:
    kernel = KERNEL.replace(
        "if (i < n - 1) to[i] = from[i + 1] * 2.0f;",
        f"""if (i >= n) return;
  int counts[4]{value};
  for (int j = 0; j < 9; ++j) ++counts[int(from[(i + j) % n] * 64) & 3];
  int best = 0;
  for (int j = 1; j < 4; ++j) best = counts[j] > counts[best] ? j : best;
  to[i] = best;""",
    )
    assert kernel != KERNEL
    assert validate("", "d_x", "d_y", kernel=kernel).run.pass_exe.code == code


def test_a_kernel_that_needs_unique_indices_is_conditional() -> None:
    kernel = KERNEL.replace("const float *from", "const int *from").replace(
        "to[i] = from[i + 1] * 2.0f", "to[from[i]] += i"
    )
    verdict = validate("", "d_x", "d_y", kernel=kernel).run.pass_exe
    assert (verdict.status, verdict.code) == ("conditional", "needs-unique-indices")
    assert verdict.message.endswith(": from")


@pytest.mark.parametrize(
    ("fill", "conditions", "status", "code"),
    [
        ("cudaMemset(d_y, 0, n * sizeof(float));", (), "fail", "race"),
        # what it adds to may be of use to who allocates it
        ("", (), "conditional", "needs-unique-indices"),
        # each term may come from a launch of its own
        (
            "cudaMemset(d_y, 0, n * sizeof(float));",
            ("for (int k = 0; k < 9; ++k)",),
            "conditional",
            "needs-unique-indices",
        ),
    ],
)
def test_sums_that_begin_with_zero_are_sums_of_several(
    fill: str, conditions: tuple[str, ...], status: str, code: str
) -> None:
    kernel = KERNEL.replace("const float *from", "const int *from").replace(
        "to[i] = from[i + 1] * 2.0f", "to[from[i]] += i"
    )
    statements = f"cudaMalloc(&d_y, n * sizeof(float)); {fill}" if fill else ""
    validation = validate(
        statements, "d_x", "d_y", kernel=kernel, conditions=conditions
    )
    verdict = validation.run.pass_exe

    assert (verdict.status, verdict.code) == (status, code)


DIVIDING = """{structure}
__global__ void k(const float *from, float *to, int n, {kind} {name}) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int row = i / ({number} - 1);
  if (i < n) to[i] = from[i] + row;
}}
"""


@pytest.mark.parametrize(
    ("structure", "kind", "number", "code"),
    [
        ("", "int", "columns", "divide-by-zero"),
        ("struct Shape { int columns; };", "Shape", "shape.columns", "self-consistent"),
    ],
)
def test_numbers_of_a_structure_are_not_held_to_be_what_no_launch_shows(
    structure: str, kind: str, number: str, code: str
) -> None:
    name = number.partition(".")[0]
    kernel = DIVIDING.format(structure=structure, kind=kind, name=name, number=number)
    run = validate("", "d_x", "d_y", kernel=kernel, further=(name, kind)).run

    assert run.pass_exe.code == code


TILES = """__global__ void k(const float *from, float *to, int n, int tile) {
  int i = tile * 64 + threadIdx.x;
  if (i < n) to[i] = from[i] * 2.0f;
}
"""


@pytest.mark.parametrize(
    ("loop", "code"),
    [
        ("for (int tile = 0; tile < n / 64; ++tile)", "self-consistent"),
        ("for (int tile = 0; tile <= n / 64; ++tile)", "out-of-bounds"),
    ],
)
def test_a_number_that_is_counted_is_that_of_a_turn(loop: str, code: str) -> None:
    kernel = TILES.replace("if (i < n) ", "")
    statements = allocate("d_x", "n") + allocate("d_y", "n") + loop

    run = validate(
        statements,
        "d_x",
        "d_y",
        kernel=kernel,
        grid="1",
        conditions=(loop,),
        further=("tile", "int"),
    ).run

    assert run.pass_exe.code == code


CHAIN = """__global__ void k(const float *from, float *to, int n, const int *parents) {
  int start = blockIdx.x * blockDim.x + threadIdx.x;
  if (start >= n) return;
  int at = start;
  for (int step = 2; step >= 0 && at >= 0; --step) {
    to[step * n + start] = from[step * n + at];
    at = parents[step * n + at];
  }
}
"""


@pytest.mark.parametrize(
    ("count", "code"), [("3 * n", "self-consistent"), ("2 * n", "out-of-bounds")]
)
def test_links_of_our_making_do_not_lead_out_of_memory(count: str, code: str) -> None:
    allocations = [allocate("d_x", count), allocate("d_y", "3 * n")]
    statements = "".join([*allocations, allocate("parents", "3 * n")])
    parents = ("parents", "const int *")

    run = validate(statements, "d_x", "d_y", kernel=CHAIN, further=parents).run

    assert run.pass_exe.code == code
