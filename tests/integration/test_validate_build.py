"""Compiling units for real: what passes, and how each kind of failure is told apart."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from crawler import cache, codec, sandbox
from crawler.model import Build, Dialect, Instantiation, KernelUnit, Status
from crawler.port.port import port_unit
from crawler.process_limits import Limits
from crawler.toolchains import discovery
from crawler.validate import build as building
from crawler.validate.build import available_targets, build_unit
from crawler.validate.compilers import clang, nvcc
from crawler.validate.toolchains import sandboxed_compiler

UNITS = Path(__file__).resolve().parents[1] / "fixtures" / "units"
SCALE = """#include <kernelset/hip.h>
template <typename T>
__global__ void scale(T* a, T by, int n) {
  __shared__ T tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { tile[threadIdx.x] = a[i] * by; a[i] = tile[threadIdx.x]; }
}
template __global__ decltype(scale<float>) scale<float>;
template __global__ decltype(scale<double>) scale<double>;
"""
FLOAT_AND_DOUBLE = (
    Instantiation(arguments=("float",), label="float", symbol="_Z5scaleIfEvPT_S0_i"),
    Instantiation(arguments=("double",), label="double", symbol="_Z5scaleIdEvPT_S0_i"),
)

pytestmark = pytest.mark.apt


def unit(
    source: str,
    name: str,
    *instantiations: Instantiation,
    dialect: Dialect = Dialect.HIP,
) -> KernelUnit:
    return KernelUnit(
        source=source,
        dialect=dialect,
        kernel_name=name,
        instantiations=instantiations,
        prelude="",
        digest=hashlib.sha256(source.encode()).hexdigest(),
        token_digest="",
    )


def kernel(body: str, before: str = "") -> KernelUnit:
    return unit(
        f"#include <kernelset/hip.h>\n{before}\n__global__ void k(float* a) {{ {body} }}\n",
        "k",
    )


def test_every_instantiation_lands_in_one_code_object() -> None:
    made = build_unit(unit(SCALE, "scale", *FLOAT_AND_DOUBLE), "gfx90a")
    assert made.build.pass_call.status is Status.PASS
    assert made.build.form == "code"
    assert made.build.loaded is None
    assert made.object.startswith(b"\x7fELF")
    assert made.build.object_digest == hashlib.sha256(made.object).hexdigest()
    assert set(made.build.symbols) == {
        instantiation.symbol for instantiation in FLOAT_AND_DOUBLE
    }
    used = {resources.symbol: resources for resources in made.build.resources}
    assert used["_Z5scaleIfEvPT_S0_i"].shared_bytes == 1024
    assert used["_Z5scaleIdEvPT_S0_i"].shared_bytes == 2048
    assert made.build.toolchain.compiler.startswith("clang ")
    assert made.build.toolchain.digest == discovery.toolchain_digest()
    assert codec.decode(codec.encode(made.build), Build) == made.build


def test_a_precompiled_prelude_changes_nothing_but_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_it = build_unit(unit(SCALE, "scale", *FLOAT_AND_DOUBLE), "gfx90a")
    monkeypatch.setattr(clang, "precompile_prelude", lambda *_: None)
    without = build_unit(unit(SCALE, "scale", *FLOAT_AND_DOUBLE), "gfx90a")
    assert without.object == with_it.object
    assert without.object


def test_a_stale_precompiled_prelude_is_not_the_units_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = cache.ensure_cache_folder() / "broken.pch"
    broken.write_bytes(b"CPCH not really")
    monkeypatch.setattr(clang, "precompile_prelude", lambda *_: broken)
    try:
        assert (
            build_unit(kernel("a[0] = 1;"), "gfx90a").build.pass_call.status
            is Status.PASS
        )
    finally:
        broken.unlink()


def test_libraries_and_the_warp_family_port_and_compile() -> None:
    source = (UNITS / "libraries.cu").read_text()
    ported = port_unit(unit(source, "k", dialect=Dialect.CUDA))
    assert ported.port_report is not None
    assert ported.port_report.blockers == ()
    made = build_unit(ported, "gfx90a")
    assert made.build.diagnostics == ()
    assert made.build.symbols == ("_Z1kIdLi64EEvPT_iPj", "_Z1kIfLi128EEvPT_iPj")


def test_what_another_process_drops_from_the_cache_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_shared_folder", lambda: tmp_path / "ours")
    for _ in range(2):
        made = build_unit(kernel("a[0] = 1;"), "gfx1201")
        assert made.build.pass_call.status is Status.PASS, made.build.pass_call
        assert {path.name[:4] for path in (tmp_path / "ours").iterdir()} >= {"pch-"}
        (tmp_path / "ours").rename(tmp_path / "gone")
        shutil.rmtree(tmp_path / "gone")


@pytest.mark.parametrize("target", ["gfx942", "gfx1100", "gfx1201"])
def test_archs_that_the_installed_device_library_may_lack(target: str) -> None:
    assert target in available_targets(Dialect.HIP)
    made = build_unit(
        kernel(
            "a[threadIdx.x] = expf(a[threadIdx.x]) + __shfl_down_sync(~0u, a[0], 1);"
        ),
        target,
    )
    assert made.build.pass_call.status is Status.PASS, made.build.diagnostics


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
    missing = ("glm/glm.hpp", "absent.h")
    made = build_unit(
        replace(kernel("glm::vec3 v; a[0] = v.x;"), missing_headers=missing), "gfx90a"
    )
    assert (made.build.pass_call.status, made.build.pass_call.code) == (
        Status.FAIL,
        "missing-header",
    )
    assert (
        "'glm'; glm/glm.hpp, absent.h not among the sources: crawl"
        in made.build.pass_call.message
    )
    wrong = build_unit(
        replace(kernel("a[0] = 1 +;"), missing_headers=missing), "gfx90a"
    )
    assert wrong.build.pass_call.code == "compile-error"


def test_a_launch_in_device_code_is_nothing_that_clang_compiles() -> None:
    source = "#include <kernelset/cuda.cuh>\n__global__ void again(int n) { if (n) again<<<1, 1>>>(n - 1); }\n"
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


def test_a_compiler_that_takes_too_long_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sandboxed_compiler, "COMPILE_LIMITS", Limits(seconds=0.5))
    bomb = (
        "template <int N> struct S { static constexpr long v = S<N - 1>::v + S<N - 2>::v; };\n"
        "template <int N, int M> struct T { static constexpr long v = T<N - 1, 2 * M>::v + T<N - 1, 2 * M + 1>::v; };\n"
        "template <int M> struct T<0, M> { static constexpr long v = M; };\n"
    )
    made = build_unit(kernel("a[0] = T<22, 0>::v;", bomb), "gfx90a")
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


def test_the_same_unit_gives_the_same_bytes() -> None:
    assert (
        build_unit(kernel("a[0] = 2;"), "gfx90a").object
        == build_unit(kernel("a[0] = 2;"), "gfx90a").object
    )


def test_a_unit_of_very_many_instantiations_is_optimised_less_and_says_so() -> None:
    few, many = (_spread(count) for count in (2, 129))
    assert "-O" not in build_unit(few, "sm_80").build.toolchain.compiler
    built = build_unit(many, "sm_80").build
    assert built.pass_call.status is Status.PASS
    assert len(built.symbols) == 129
    assert built.toolchain.compiler.endswith(" -O0")


def _spread(count: int) -> KernelUnit:
    lines = "".join(
        f"template __global__ decltype(k<{index}>) k<{index}>;\n"
        for index in range(count)
    )
    source = f"#include <kernelset/cuda.cuh>\ntemplate <int N> __global__ void k(int* out) {{ out[0] = N; }}\n{lines}"
    made = tuple(
        Instantiation(arguments=(str(index),), label=str(index), symbol="")
        for index in range(count)
    )
    return unit(source, "k", *made, dialect=Dialect.CUDA)


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
