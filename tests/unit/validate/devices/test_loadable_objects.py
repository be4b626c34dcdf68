"""Objects that a driver can load, by the compilers that are here, and where these disagree."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import (
    Build,
    Dialect,
    Instantiation,
    KernelUnit,
    Status,
    Toolchain,
    Verdict,
)
from crawler.toolchains import discovery
from crawler.validate.build import available_targets
from crawler.validate.devices import loadable_objects
from crawler.validate.devices.health_kernel import HEALTH_SYMBOL, compile_health_kernel
from crawler.validate.devices.loadable_objects import (
    choose_target,
    compile_loadable,
    find_disagreement,
    list_missing_libdevice,
)
from crawler.validate.toolchains.object_symbols import list_kernel_symbols
from tests.plain import plain_unit

EXPONENTIAL = """#include <kernelset/cuda.cuh>
__global__ void k(float* out) { out[threadIdx.x] = expf(out[threadIdx.x]); }
"""
PLAIN = EXPONENTIAL.replace("expf", "")


def build_cuda_unit(source: str) -> KernelUnit:
    unit = plain_unit(source, Instantiation(arguments=(), label="", symbol="_Z1kPf"))
    return replace(unit, dialect=Dialect.CUDA)


@pytest.mark.parametrize(
    ("arch", "oldest_allowed"), [("sm_90", "sm_50"), ("sm_999", "sm_50")]
)
def test_a_newer_device_takes_an_older_targets_ptx(
    arch: str, oldest_allowed: str
) -> None:
    targets = available_targets(Dialect.CUDA)
    target = choose_target(Dialect.CUDA, arch)
    assert target in targets
    numbers = [int(name.strip("sm_a")) for name in (oldest_allowed, target, arch)]
    assert numbers == sorted(numbers)


def test_a_device_older_than_every_target_has_none() -> None:
    assert choose_target(Dialect.CUDA, "sm_1") == ""
    assert choose_target(Dialect.CUDA, "") == ""


def test_amds_objects_are_for_one_arch_alone() -> None:
    assert choose_target(Dialect.HIP, "gfx90a") in ("gfx90a", "")
    assert choose_target(Dialect.HIP, "gfx9999") == ""


def test_ptx_that_calls_nothing_is_loaded_as_it_is() -> None:
    target = choose_target(Dialect.CUDA, "sm_80")
    (built,) = compile_loadable(build_cuda_unit(PLAIN), target)
    assert built.build.pass_call.status is Status.PASS
    assert built.build.form == "ptx"
    assert list_kernel_symbols(built.object) == ("_Z1kPf",)


def test_functions_of_libdevice_are_linked_or_said_to_be_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unit = build_cuda_unit(EXPONENTIAL)
    target = choose_target(Dialect.CUDA, "sm_80")
    monkeypatch.setattr(discovery, "find_libdevice", lambda: None)
    (built,) = loadable_objects.compile_loadable(unit, target)
    verdict = built.build.pass_call
    if verdict.status is Status.PASS:
        assert not list_missing_libdevice(built.object)
        return

    assert (verdict.status, verdict.code) == (Status.SKIPPED, "no-libdevice")
    assert "__nv_expf" in verdict.message
    assert (built.build.form, built.build.object_digest, built.object) == ("", "", b"")


@pytest.mark.parametrize(
    ("dialect", "target"), [(Dialect.CUDA, "sm_80"), (Dialect.HIP, "gfx90a")]
)
def test_the_health_kernel_compiles_under_its_symbol(
    dialect: Dialect, target: str
) -> None:
    if target not in available_targets(dialect):
        pytest.skip(f"no compiler for {target} here")
    content = compile_health_kernel(dialect, target)
    assert content
    assert list_kernel_symbols(content) == (HEALTH_SYMBOL,)


def test_a_target_of_no_compiler_has_no_health_kernel() -> None:
    assert not compile_health_kernel(Dialect.HIP, "gfx9999")


def test_functions_of_libdevice_that_ptx_lacks_are_named() -> None:
    ptx = b".extern .func  (.param .b32 r) __nv_expf\n(\n.param .b32 p\n)\n;\n.extern .func vprintf\n();\n"
    assert list_missing_libdevice(ptx) == ("__nv_expf",)
    assert list_missing_libdevice(ptx.replace(b".extern .func", b".func")) == ()


def test_one_compiler_that_takes_what_another_does_not_is_a_disagreement() -> None:
    def build_with_status(status: Status) -> Build:
        return Build(
            unit="u",
            target="gfx90a",
            toolchain=Toolchain(compiler="c"),
            pass_call=Verdict(status=status),
        )

    assert (
        find_disagreement(
            [build_with_status(Status.PASS), build_with_status(Status.FAIL)]
        )
        == "compilers-disagree"
    )
    assert (
        find_disagreement(
            [build_with_status(Status.PASS), build_with_status(Status.PASS)]
        )
        == ""
    )
    assert (
        find_disagreement(
            [build_with_status(Status.PASS), build_with_status(Status.SKIPPED)]
        )
        == ""
    )
