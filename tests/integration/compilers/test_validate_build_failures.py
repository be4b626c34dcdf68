"""Compiling units for real: how each kind of failure is told apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crawler import sandbox
from crawler.model import Dialect, Status
from crawler.port.port import port_unit
from crawler.process_limits import Limits
from crawler.toolchains import discovery
from crawler.validate import build as building
from crawler.validate.build import build_unit
from crawler.validate.compilers import nvcc
from crawler.validate.toolchains import sandboxed_compiler
from tests.integration.hip_units import FLOAT_AND_DOUBLE, SCALE, kernel, unit

pytestmark = pytest.mark.apt


def test_an_error_is_told_with_its_place() -> None:
    made = build_unit(kernel("a[0] = nobody_knows(a);"), "gfx90a")
    assert (made.build.pass_call.status, made.build.pass_call.code) == (
        Status.FAIL,
        "compile-error",
    )
    assert "nobody_knows" in made.build.pass_call.message
    assert (made.build.diagnostics[0].path, made.build.diagnostics[0].line) == (
        "unit.hip",
        3,
    )
    assert made.object == b""
    assert made.build.object_digest == ""


def test_a_header_that_the_project_lacks_is_the_reason_where_a_name_is_unknown() -> (
    None
):
    missing = ("boost/array.hpp", "absent.h")
    made = build_unit(
        replace(
            kernel("boost::array<float, 3> v; a[0] = v[0];"), missing_headers=missing
        ),
        "gfx90a",
    )
    assert (made.build.pass_call.status, made.build.pass_call.code) == (
        Status.FAIL,
        "missing-header",
    )
    assert (
        "'boost'; boost/array.hpp is Boost's: let `debian_headers` take Debian's libboost-dev"
        in made.build.pass_call.message
    )
    wrong = build_unit(
        replace(kernel("a[0] = 1 +;"), missing_headers=missing), "gfx90a"
    )
    assert wrong.build.pass_call.code == "compile-error"


@pytest.mark.parametrize("launched", ["again", "another", "another<float, 4> "])
def test_a_launch_in_device_code_is_nothing_that_clang_compiles(launched: str) -> None:
    body = f"if (n) {launched}<<<1, 1>>>(n - 1);"
    source = (
        f"#include <kernelset/cuda.cuh>\n__global__ void again(int n) {{ {body} }}\n"
    )
    made = build_unit(unit(source, "again", dialect=Dialect.CUDA), "sm_80")
    assert (made.build.pass_call.status, made.build.pass_call.code) == (
        Status.UNSUPPORTED,
        "dynamic-parallelism",
    )
    assert "nvcc -rdc=true" in made.build.pass_call.message


def test_a_function_without_a_body_is_a_link_error() -> None:
    made = build_unit(
        kernel("a[0] = somewhere(a);", "__device__ float somewhere(float*);"), "gfx90a"
    )
    assert (made.build.pass_call.status, made.build.pass_call.code) == (
        Status.FAIL,
        "link-error",
    )
    assert "somewhere" in made.build.pass_call.message


@pytest.mark.parametrize(
    ("source", "absent"),
    [
        (
            SCALE.replace(
                "template __global__ decltype(scale<double>) scale<double>;\n", ""
            ),
            "double",
        ),
        ("#include <kernelset/hip.h>\n__global__ void other() {}\n", "scale"),
    ],
)
def test_a_kernel_that_is_not_in_the_object_is_a_failure(
    source: str, absent: str
) -> None:
    made = build_unit(unit(source, "scale", *FLOAT_AND_DOUBLE), "gfx90a")
    assert (made.build.pass_call.status, made.build.pass_call.code) == (
        Status.FAIL,
        "entry-missing",
    )
    assert absent in made.build.pass_call.message
    assert made.object == b""


@pytest.mark.parametrize(
    "limits", [Limits(seconds=0.5), Limits(seconds=60, cpu_seconds=1)]
)
@pytest.mark.parametrize("target", ["gfx90a", "sm_80"])
def test_a_compiler_that_takes_too_long_is_stopped(
    limits: Limits, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandboxed_compiler, "compile_limits", lambda _: limits)
    bomb = (
        "template <int N> struct S { static constexpr long v = S<N - 1>::v + S<N - 2>::v; };\n"
        "template <int N, int M> struct T { static constexpr long v = T<N - 1, 2 * M>::v + T<N - 1, 2 * M + 1>::v; };\n"
        "template <int M> struct T<0, M> { static constexpr long v = M; };\n"
    )
    bombed = kernel("a[0] = T<22, 0>::v;", bomb)
    if target == "sm_80":
        source = bombed.source.replace("hip.h", "cuda.cuh")
        bombed = replace(bombed, source=source, dialect=Dialect.CUDA)

    made = build_unit(bombed, target)
    assert (made.build.pass_call.status, made.build.pass_call.code) == (
        Status.FAIL,
        "compile-timeout",
    )


@pytest.mark.skipif(
    not sandbox.run_self_test().works,
    reason="without the sandbox a compiler sees what we see",
)
def test_a_unit_cannot_read_this_machine(tmp_path: Path) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text("#error the secret is out\n")
    made = build_unit(kernel("", f'#include "{secret}"'), "gfx90a")
    assert made.build.pass_call.code == "compile-error"
    assert not [
        diagnostic
        for diagnostic in made.build.diagnostics
        if "the secret is out" in diagnostic.message
    ]


def test_what_blocks_a_port_is_said_instead_of_what_the_compiler_makes_of_it() -> None:
    source = '#include <kernelset/cuda.cuh>\n__global__ void k(int* a) { asm("bar.sync %0, 64;" :: "r"(a[0])); }\n'
    made = build_unit(port_unit(unit(source, "k", dialect=Dialect.CUDA)), "gfx90a")
    assert (made.build.pass_call.status, made.build.pass_call.code) == (
        Status.UNSUPPORTED,
        "port-ptx",
    )


def test_a_blocker_in_dead_code_blocks_nothing() -> None:
    source = "#include <kernelset/cuda.cuh>\n#if __CUDA_ARCH__ >= 900\nasm(1);\n#endif\n__global__ void k() {}\n"
    made = build_unit(port_unit(unit(source, "k", dialect=Dialect.CUDA)), "gfx90a")
    assert made.build.pass_call.status is Status.PASS


def test_a_unit_of_the_other_dialect_is_not_built() -> None:
    cuda = replace(unit(SCALE, "scale"), dialect=Dialect.CUDA)
    assert build_unit(cuda, "gfx90a").build.pass_call.code == "wrong-dialect"
    assert (
        build_unit(unit(SCALE, "scale"), "sm_80").build.pass_call.status
        is Status.UNSUPPORTED
    )


def test_without_a_compiler_a_build_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "find_clang", lambda: None)
    monkeypatch.setattr(nvcc, "find_toolkit", lambda: None)
    assert building.available_targets(Dialect.CUDA) == ()
    made = build_unit(replace(unit(SCALE, "scale"), dialect=Dialect.CUDA), "sm_80")
    assert (made.build.pass_call.status, made.build.pass_call.code) == (
        Status.SKIPPED,
        "no-compiler",
    )
    assert made.build.pass_call.message.endswith("run `kernelset doctor`")


def test_a_device_without_image_instructions_is_named() -> None:
    source = "#include <kernelset/hip.h>\n__global__ void k(hipSurfaceObject_t s) { surf1Dwrite(1.0f, s, threadIdx.x); }\n"
    verdicts = {
        target: build_unit(unit(source, "k"), target).build.pass_call
        for target in ("gfx942", "gfx1100")
    }
    assert verdicts["gfx1100"].status is Status.PASS
    assert (verdicts["gfx942"].status, verdicts["gfx942"].code) == (
        Status.UNSUPPORTED,
        "no-images",
    )
