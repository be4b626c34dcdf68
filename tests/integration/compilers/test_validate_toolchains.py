"""Compilers that are used where they are installed: NVIDIA's assembler, and a ROCm of AMD's own."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.model import (
    Behaviour,
    Dialect,
    Instantiation,
    KernelUnit,
    Run,
    Status,
    Suite,
    Toolchain,
    Verdict,
)
from crawler.toolchains import discovery
from crawler.validate import build as building
from crawler.validate.build import build_unit
from crawler.validate.compilers import nvcc, ptxas
from crawler.validate.devices.device_validation import run_on_gpu
from crawler.validate.devices.gpu_detection import Gpu
from crawler.validate.devices.loadable_objects import (
    compile_loadable,
    find_disagreement,
)
from crawler.validate.toolchains import clang_compiler, ptxas_messages
from crawler.validate.values.blobs import Blobs

KERNEL = "__global__ void k(float* a) { __shared__ float s[32]; s[threadIdx.x] = sinf(a[0]); a[1] = s[threadIdx.x ^ 1]; }\n"
LOG = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1jPf' for 'sm_80'
ptxas info    : Function properties for _Z1jPf
    48 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 4096 bytes smem, 360 bytes cmem[0]
ptxas info    : Compiling entry function '_Z1kPf' for 'sm_80'
ptxas info    : Function properties for _Z1kPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, 360 bytes cmem[0]
"""
SCRIPT = """#!/bin/sh
exec {clang} --rocm-device-lib-path={bitcode} "$@"
"""


def unit(dialect: Dialect) -> KernelUnit:
    prelude = "kernelset/cuda.cuh" if dialect is Dialect.CUDA else "kernelset/hip.h"
    source = f"#include <{prelude}>\n{KERNEL}"
    return KernelUnit(
        source=source,
        dialect=dialect,
        kernel_name="k",
        instantiations=(),
        prelude="",
        digest=hashlib.sha256(source.encode()).hexdigest(),
        token_digest="",
    )


def test_what_the_assembler_says_of_each_kernel() -> None:
    spilling, plain = ptxas_messages.parse_ptxas_resources(LOG)
    assert (spilling.symbol, spilling.registers, spilling.shared_bytes) == (
        "_Z1jPf",
        255,
        4096,
    )
    assert (spilling.spills, spilling.scratch_bytes, spilling.occupancy) == (16, 48, 8)
    assert (plain.symbol, plain.registers, plain.shared_bytes, plain.spills) == (
        "_Z1kPf",
        8,
        0,
        0,
    )


@pytest.mark.parametrize(
    ("registers", "warps"),
    [(1, 64), (32, 64), (33, 48), (40, 48), (64, 32), (128, 16), (255, 8)],
)
def test_registers_bound_the_warps_of_a_multiprocessor(
    registers: int, warps: int
) -> None:
    assert ptxas_messages.warps_per_multiprocessor(registers) == warps


@pytest.mark.skipif(
    not ptxas.PLUGIN.targets(Dialect.CUDA), reason="no ptxas with libdevice here"
)
def test_the_assembler_makes_machine_code_with_its_resource_use() -> None:
    made = build_unit(unit(Dialect.CUDA), "sm_80", "ptxas")
    assert made.build.pass_call.status is Status.PASS, made.build.pass_call
    assert (made.build.form, made.object[:4]) == ("code", b"\x7fELF")
    assert ", ptxas " in made.build.toolchain.compiler
    (used,) = made.build.resources
    assert (used.symbol, used.shared_bytes, used.spills) == ("_Z1kPf", 128, 0)
    assert 0 < used.registers < 64
    plain = build_unit(unit(Dialect.CUDA), "sm_80")
    assert (
        plain.build.form,
        plain.build.toolchain.digest != made.build.toolchain.digest,
    ) == ("ptx", True)


OF_TORCH = """#include <kernelset/torch.cuh>
#include <cooperative_groups.h>
template <typename T> __global__ void k(T *a, at::PackedTensorAccessor32<T, 1, at::RestrictPtrTraits> b) {
  __shared__ float kept[64];
  kept[threadIdx.x] = static_cast<float>(b[threadIdx.x]);
  cooperative_groups::this_thread_block().sync();
  a[threadIdx.x] = static_cast<T>(kept[63 - threadIdx.x]);
}
template __global__ decltype(k<float>) k<float>;
template __global__ decltype(k<at::Half>) k<at::Half>;
"""


@pytest.mark.skipif(
    not nvcc.PLUGIN.targets(Dialect.CUDA), reason="no nvcc with its headers here"
)
def test_nvcc_makes_machine_code_against_its_own_headers() -> None:
    types = tuple(
        Instantiation(arguments=(name,), label=name) for name in ("float", "at::Half")
    )
    torch_unit = replace(unit(Dialect.CUDA), source=OF_TORCH, instantiations=types)
    made = build_unit(torch_unit, "sm_90", "nvcc")
    assert made.build.pass_call.status is Status.PASS, made.build.diagnostics
    assert (made.build.form, made.object[:4]) == ("code", b"\x7fELF")
    assert made.build.toolchain.compiler.startswith("nvcc ")
    assert len(made.build.symbols) == len(made.build.resources) == 2
    assert all(used.shared_bytes > 0 for used in made.build.resources)


@pytest.mark.skipif(
    not nvcc.PLUGIN.targets(Dialect.CUDA), reason="no nvcc with its headers here"
)
def test_what_nvcc_refuses_has_its_code() -> None:
    bodies = {
        "if (a[0] > 0) k<<<1, 1>>>(a);": (Status.UNSUPPORTED, "dynamic-parallelism"),
        "__shared__ float s[99999]; s[threadIdx.x] = a[0]; a[1] = s[0];": (
            Status.FAIL,
            "compile-error",
        ),
    }
    for body, expected in bodies.items():
        source = (
            f"#include <kernelset/cuda.cuh>\n__global__ void k(float *a) {{ {body} }}\n"
        )
        verdict = build_unit(
            replace(unit(Dialect.CUDA), source=source), "sm_80", "nvcc"
        ).build.pass_call
        assert (verdict.status, verdict.code) == expected
        assert verdict.message


def test_a_toolkit_without_its_headers_serves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "nvcc"
    script.write_text(
        "#!/bin/sh\necho '#$ INCLUDES=\"-I/nowhere/include\"  V12.1.105'\necho sm_80\n"
    )
    script.chmod(0o755)
    monkeypatch.setattr(discovery, "find_nvcc", lambda: script)
    nvcc.find_toolkit.cache_clear()
    try:
        assert nvcc.PLUGIN.targets(Dialect.CUDA) == ()
        (tmp_path / "include").mkdir()
        (tmp_path / "include/cuda_runtime.h").touch()
        script.write_text(script.read_text().replace("/nowhere", str(tmp_path)))
        nvcc.find_toolkit.cache_clear()
        assert nvcc.PLUGIN.targets(Dialect.CUDA) == ("sm_80",)
        assert nvcc.PLUGIN.targets(Dialect.HIP) == ()
    finally:
        nvcc.find_toolkit.cache_clear()


@pytest.fixture
def rocm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A stand-in for a ROCm: its compiler is this machine's, its library has one arch."""
    compiler, installed = discovery.find_clang(), discovery.find_rocm()
    assert compiler is not None
    assert installed is not None
    bitcode = tmp_path / "amdgcn/bitcode"
    bitcode.mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    for name in ("ocml.bc", "oclc_isa_version_90a.bc"):
        (bitcode / name).symlink_to(installed.bitcode / name)
    scripts = {
        "hipcc": SCRIPT.format(clang=compiler.path, bitcode=installed.bitcode),
        "hipconfig": "#!/bin/sh\necho 6.2.41133-0\n",
    }
    for name, text in scripts.items():
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755 | stat.S_IXUSR)
    tmp_path.chmod(0o755)
    monkeypatch.setattr(discovery, "_ROCM_ROOTS", (str(tmp_path),))
    _forget()
    yield tmp_path
    _forget()


def _forget() -> None:
    for remembered in (
        discovery.find_hipcc,
        discovery.toolchain_digest,
        clang_compiler._describe_toolchain,
    ):
        remembered.cache_clear()


@pytest.mark.apt
def test_an_installed_rocm_is_used_and_recorded(rocm: Path) -> None:
    assert building.available_targets(Dialect.HIP)[0] == "gfx90a"
    made = build_unit(unit(Dialect.HIP), "gfx90a")
    assert made.build.pass_call.status is Status.PASS, made.build.pass_call
    assert made.build.toolchain.compiler == "hipcc 6.2.41133"
    assert made.build.toolchain.headers.startswith("HIP 6.2.41133, ")
    (used,) = made.build.resources
    assert used.shared_bytes == 128
    assert used.registers > 0
    other = build_unit(unit(Dialect.HIP), "gfx1100")
    assert other.build.toolchain.compiler.startswith("clang ")
    assert other.build.pass_call.status is Status.PASS


@pytest.mark.apt
def test_what_the_nodes_compiler_refuses_and_clang_takes_is_a_disagreement(
    rocm: Path,
) -> None:
    both = [
        compiled.build for compiled in compile_loadable(unit(Dialect.HIP), "gfx90a")
    ]
    assert [build.toolchain.compiler.split()[0] for build in both] == ["hipcc", "clang"]
    assert {build.pass_call.status for build in both} == {Status.PASS}
    assert find_disagreement(both) == ""
    (rocm / "bin/hipcc").write_text(
        "#!/bin/sh\necho 'unit.hip:1:1: error: not here' >&2\nexit 1\n"
    )
    hip_unit = unit(Dialect.HIP)
    other = replace(hip_unit, source=hip_unit.source + "// another\n", digest="another")
    apart = [compiled.build for compiled in compile_loadable(other, "gfx90a")]
    assert [build.pass_call.status for build in apart] == [Status.FAIL, Status.PASS]
    assert find_disagreement(apart) == "compilers-disagree"
    gpu = Gpu(
        runtime="rocm",
        index=0,
        name="AMD Instinct MI210",
        arch="gfx90a",
        library=Path("/lib/none.so"),
    )
    cpu = Run(
        unit=hip_unit.digest,
        device="cpu",
        toolchain=Toolchain(compiler="clang"),
        pass_exe=Verdict(status=Status.CONSISTENT),
        behaviour=Behaviour.DETERMINISTIC,
    )
    run = run_on_gpu(
        gpu, other, Suite(unit=hip_unit.digest, seed=0, cases=()), Blobs(), cpu
    ).run
    assert (run.pass_exe.status, run.pass_exe.code) == (
        Status.SKIPPED,
        "compilers-disagree",
    )
    assert run.disagreement == "compilers-disagree"
    assert "hipcc 6.2.41133: fail compile-error" in run.pass_exe.message
    assert "pass" in run.pass_exe.message


@pytest.mark.apt
def test_without_one_clang_is_used() -> None:
    assert build_unit(unit(Dialect.HIP), "gfx90a").build.toolchain.compiler.startswith(
        "clang "
    )
