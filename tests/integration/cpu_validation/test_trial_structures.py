"""Structures that a kernel is passed: made by their constructors where these can be called,
else filled.
"""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest

from crawler.model import (
    Behaviour,
    Instantiation,
    Launch,
    TemplateParameter,
    TextReplacement,
)
from crawler.validate.cpu.result import CpuValidation
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.emulator.case_launch import build_case_launch
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from tests.plain import HERE, plain_kernel, plain_unit

pytestmark = pytest.mark.apt
HEAD = "#include <kernelset/cuda.cuh>\n#include <vector>\n"
STRUCTURE = """struct Base { virtual ~Base() {} };
struct Rows {
  int columns, padded, offsets[4];
  Rows(int columns_) : columns(columns_), padded((columns_ + 15) / 16 * 16) {
    for (int at = 0; at < 4; ++at) offsets[at] = at * padded;
  }
};
template <class T> struct Op {
  struct Argument : Base, Rows {
    const T* from;
    T* to;
    Argument(TAKEN) : Rows{columns_}, from(from_), to(to_) {}
  };
};
"""
TAKEN = "const T* from_, T* to_, int columns_"
KERNEL = """template <class O> __global__ void k(typename O::Argument of, float scale) {
  if (of.padded % 16 || of.padded < of.columns || of.offsets[3] != 3 * of.padded) __builtin_trap();
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < of.columns) {
    for (int row = 0; row < 4; ++row) of.to[of.offsets[row] + at] = of.from[of.offsets[row] + at] * scale;
  }
}
template __global__ decltype(k<Op<float>>) k<Op<float>>;
"""
INSTANTIATION = Instantiation(arguments=("Op<float>",), label="float")


def validate(source: str, *making: TextReplacement) -> CpuValidation:
    unit = plain_unit(source, INSTANTIATION, making=making)
    parameters = (("of", "typename O::Argument"), ("scale", "float"))
    kernel = plain_kernel(unit, parameters, source=KERNEL)
    return validate_on_cpu(
        replace(kernel, template_parameters=(TemplateParameter(name="O", kind="type"),))
    )


def test_a_structure_is_made_by_its_constructor_and_its_cases_run_without_it() -> None:
    source = HEAD + STRUCTURE.replace("TAKEN", TAKEN) + KERNEL
    done = validate(source)
    assert done.suite is not None
    assert done.run.cases >= 6
    assert done.run.pass_exe.message.endswith(
        "its structures are what their constructors make"
    )
    for case in done.suite.cases:
        structure, _scale = case.arguments
        _table, columns, padded, *offsets = struct.unpack(
            "<q6i16x", bytes.fromhex(structure.content)
        )
        assert (padded, offsets) == (
            -(-columns // 16) * 16,
            [0, padded, 2 * padded, 3 * padded],
        )
        assert [pointer.at for pointer in structure.pointers] == [32, 40]
    plain = build_cpu_program(plain_unit(source, INSTANTIATION), BuildOptions())
    (again,) = run_launches(plain, [build_case_launch(done.suite.cases[0], done.blobs)])
    assert again.find_finding("trap") is None


def test_bodies_that_a_unit_leaves_out_stand_beside_it() -> None:
    left_out = STRUCTURE.replace("TAKEN", TAKEN).replace(
        " : Rows{columns_}, from(from_), to(to_) {}", " ;"
    )
    whole = STRUCTURE.replace("TAKEN", TAKEN)
    source = HEAD + left_out + KERNEL
    start = len(HEAD)
    done = validate(
        source, TextReplacement(start=start, end=start + len(left_out), text=whole)
    )
    assert done.suite is not None
    assert "constructors make" in done.run.pass_exe.message
    assert done.run.unit == plain_unit(source, INSTANTIATION).digest


def test_what_no_constructor_can_make_is_filled() -> None:
    takes_vector = STRUCTURE.replace(
        "TAKEN", f"{TAKEN}, std::vector<int> given_ = {{}}"
    )
    calm = KERNEL.replace("__builtin_trap()", "return")
    done = validate(HEAD + takes_vector + calm)
    assert done.run.pass_exe.message.endswith(
        "filled member by member, with those of constructors: no-signature"
    )
    source = HEAD + STRUCTURE.replace("TAKEN", TAKEN) + calm
    done = validate(
        source,
        TextReplacement(start=len(HEAD), end=len(HEAD), text="std::nothing never;\n"),
    )
    assert done.run.pass_exe.message.endswith(
        "filled member by member, with those of constructors: host-compile-error"
    )


def test_an_axis_of_the_grid_that_the_kernel_does_not_ask_for_has_one_block() -> None:
    source = """#include <kernelset/cuda.cuh>
__global__ void k(const float* from, float* to, int count) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) to[at] += from[at];
}
"""
    launch = Launch(span=HERE, kernel_name="k", grid="dim3(gdx, gdy, gdz)", block="64")
    parameters = (("from", "const float *"), ("to", "float *"), ("count", "int"))
    instantiation = Instantiation(arguments=(), label="")
    done = validate_on_cpu(
        plain_kernel(
            plain_unit(source, instantiation),
            parameters,
            source=source,
            launches=(launch,),
        )
    )
    assert done.suite is not None
    assert done.run.behaviour is Behaviour.DETERMINISTIC
    assert done.suite.cases[0].grid[1:] == (1, 1)
