"""What is said of inline assembly that no assembler would take."""

from __future__ import annotations

import pytest

from crawler.model import Dialect, KernelUnit, Status, Verdict
from crawler.toolchains import discovery
from crawler.validate.build import build_unit
from tests.small_units import make_small_unit

NONSENSE = "this is no instruction"


def make_unit(assembly: str) -> KernelUnit:
    body = f'asm volatile("{assembly};"); *a = 1;'
    source = (
        f"#include <kernelset/cuda.cuh>\n__global__ void k(float *a) {{ {body} }}\n"
    )
    return make_small_unit(source, Dialect.CUDA)


def test_nonsense_in_inline_assembly_fails_with_an_assembler_and_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nonsense = make_unit(NONSENSE)
    failed = build_unit(nonsense, "sm_80").build
    assert (failed.pass_call.code, failed.form) == ("assembler-error", "")
    monkeypatch.setattr(discovery, "find_ptxas", lambda: None)
    unassembled = build_unit(nonsense, "sm_80").build.pass_call
    assert (unassembled.status, unassembled.code) == (Status.FAIL, "assembler-error")
    assert NONSENSE in unassembled.message
    # what is PTX by its syntax passes, and says that nobody made code of it
    passed = build_unit(make_unit("bar.sync 0"), "sm_80").build
    assert (passed.pass_call.status, passed.form) == (Status.PASS, "ptx")
    assert passed.pass_call.code == "ptx-only"


@pytest.mark.skipif(discovery.find_ptxas() is None, reason="no ptxas here")
def test_what_its_device_lacks_is_no_machine_code() -> None:
    newer = make_unit("cp.async.bulk.wait_group 0")
    refused = build_unit(newer, "sm_80").build
    assert refused.pass_call.status is Status.UNSUPPORTED
    assert refused.pass_call.code == "other-device"
    assert "requires .target sm_90" in refused.pass_call.message
    assert ", ptxas " in refused.toolchain.compiler
    assert build_unit(newer, "sm_90").build.pass_call == Verdict(status=Status.PASS)


@pytest.mark.skipif(discovery.find_ptxas() is None, reason="no ptxas here")
def test_what_its_device_no_longer_has_is_no_machine_code() -> None:
    older = make_unit("{ .reg .b32 t; shfl.idx.b32 t, 1, 0, 31; }")
    refused = build_unit(older, "sm_80").build.pass_call
    assert (refused.status, refused.code) == (Status.UNSUPPORTED, "other-device")
    assert "not supported on .target sm_70 and higher" in refused.message


@pytest.mark.skipif(discovery.find_ptxas() is None, reason="no ptxas here")
def test_a_fence_of_newer_devices_alone_is_no_machine_code_for_an_older_one() -> None:
    newer = make_unit("fence.proxy.tensormap::generic.release.gpu")
    refused = build_unit(newer, "sm_80").build.pass_call
    assert (refused.status, refused.code) == (Status.UNSUPPORTED, "other-device")
    assert "not supported on .target 'sm_80'" in refused.message
    assert build_unit(newer, "sm_90").build.pass_call == Verdict(status=Status.PASS)
