"""Compiling units for real: what passes, and into what."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from crawler import cache, codec
from crawler.model import Build, Dialect, Instantiation, KernelUnit, Status
from crawler.port.port import port_unit
from crawler.toolchains import discovery
from crawler.validate.build import available_targets, build_unit
from crawler.validate.toolchains import clang_compiler
from tests.integration.hip_units import FLOAT_AND_DOUBLE, SCALE, UNITS, kernel, unit

pytestmark = pytest.mark.apt


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
    monkeypatch.setattr(clang_compiler, "precompile_prelude", lambda *_: None)
    without = build_unit(unit(SCALE, "scale", *FLOAT_AND_DOUBLE), "gfx90a")
    assert without.object == with_it.object
    assert without.object


def test_a_stale_precompiled_prelude_is_not_the_units_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = cache.ensure_cache_folder() / "broken.pch"
    broken.write_bytes(b"CPCH not really")
    monkeypatch.setattr(clang_compiler, "precompile_prelude", lambda *_: broken)
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


def test_members_of_a_pair_of_halves_are_numbers_on_amd() -> None:
    pair = "__half2 *p = (__half2 *)a; "
    low, number, bits = (
        build_unit(kernel(f"{pair}a[1] = {value};"), "gfx90a")
        for value in ("p->x", "*(__half *)p", "*(unsigned short *)p")
    )
    assert low.build.pass_call.status is Status.PASS, low.build.diagnostics
    assert low.object == number.object != bits.object

    scaled = kernel(f"{pair}__half h = p->y; p->x += h * p->x; a[1] = h;")
    assert build_unit(scaled, "gfx90a").build.pass_call.status is Status.PASS


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
    assert " -O0" in built.toolchain.compiler


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
