"""How much a unit is optimised, and what a toolchain is recorded as."""

from __future__ import annotations

import pytest

from crawler.model import Dialect, Instantiation, KernelUnit
from crawler.validate.toolchains.clang_compiler import ClangCompiler
from tests.plain import plain_unit

COMPILER = ClangCompiler()


def make_unit(dialect: Dialect, count: int) -> KernelUnit:
    instantiations = [
        Instantiation(arguments=(str(number),), label=str(number))
        for number in range(count)
    ]
    return plain_unit("", *instantiations, dialect=dialect)


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("count", [0, 1, 128])
def test_a_unit_of_usual_size_is_optimised_in_full(
    dialect: Dialect, count: int
) -> None:
    assert COMPILER.optimisation_levels(make_unit(dialect, count)) == ((),)


def test_code_for_amd_with_many_instantiations_is_optimised_a_little() -> None:
    levels = COMPILER.optimisation_levels(make_unit(Dialect.HIP, 129))
    assert levels == (("-O1",),)


def test_ptx_with_many_instantiations_is_optimised_only_if_it_must_be() -> None:
    levels = COMPILER.optimisation_levels(make_unit(Dialect.CUDA, 129))
    assert levels == (("-O0",), ("-O1",))


@pytest.mark.apt
@pytest.mark.parametrize("dialect", list(Dialect))
def test_flags_are_part_of_the_compiler_that_is_recorded(dialect: Dialect) -> None:
    plain = COMPILER.describe_toolchain(dialect)
    less_optimised = COMPILER.describe_toolchain(dialect, "-O1")
    assert plain.compiler.startswith("clang ")
    # of CUDA the assembler follows, where there is one
    clang, comma, assembler = plain.compiler.partition(",")
    assert less_optimised.compiler == f"{clang} -O1{comma}{assembler}"
    assert less_optimised.headers == plain.headers


@pytest.mark.apt
def test_headers_of_hip_are_recorded_for_hip_alone() -> None:
    cuda = COMPILER.describe_toolchain(Dialect.CUDA)
    assert cuda.headers.startswith("kernelset ")
    assert not cuda.device_library
    hip = COMPILER.describe_toolchain(Dialect.HIP)
    assert hip.headers.startswith("HIP ")
    assert cuda.headers in hip.headers
    assert hip.device_library.startswith("ocml ")


@pytest.mark.apt
def test_cuda_is_compiled_for_nvidia_and_hip_for_amd() -> None:
    cuda_targets = COMPILER.targets(Dialect.CUDA)
    hip_targets = COMPILER.targets(Dialect.HIP)
    assert cuda_targets
    assert all(target.startswith("sm_") for target in cuda_targets)
    assert hip_targets
    assert all(target.startswith("gfx") for target in hip_targets)
