"""Fetches of textures and accesses of surfaces become the instructions that PTX has for them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from crawler.model import Dialect
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_compile_flags

pytestmark = pytest.mark.apt

PRELUDE = """
#include <kernelset/cuda.cuh>
texture<float, cudaTextureType2D> image;
texture<uchar4, 1, cudaReadModeNormalizedFloat> colours;
static texture<int4> table;
surface<void, cudaSurfaceType2D> canvas;
"""
HEAD = (
    "__global__ void k(void *out, cudaTextureObject_t t, cudaSurfaceObject_t s, int i)"
)
FETCHES = {
    "tex1Dfetch<int4>(t, i)": "tex.1d.v4.s32.s32",
    "tex1D<uint2>(t, 1.f)": "tex.1d.v4.u32.f32",
    "tex1DLod<float>(t, 1.f, 2.f)": "tex.level.1d.v4.f32.f32",
    "tex1DGrad<float>(t, 1.f, 2.f, 3.f)": "tex.grad.1d.v4.f32.f32",
    "tex1DLayered<float>(t, 1.f, i)": "tex.a1d.v4.f32.f32",
    "tex2D<short2>(t, 1.f, 2.f)": "tex.2d.v4.s32.f32",
    "tex2DLod<float>(t, 1.f, 2.f, 3.f)": "tex.level.2d.v4.f32.f32",
    "tex2DGrad<float4>(t, 1.f, 2.f, float2(), float2())": "tex.grad.2d.v4.f32.f32",
    "tex2Dgather<float4>(t, 1.f, 2.f, 2)": "tld4.b.2d.v4.f32.f32",
    "tex2DLayered<float>(t, 1.f, 2.f, i)": "tex.a2d.v4.f32.f32",
    "tex2DLayeredLod<float>(t, 1.f, 2.f, i, 3.f)": "tex.level.a2d.v4.f32.f32",
    "tex3D<uchar4>(t, 1.f, 2.f, 3.f)": "tex.3d.v4.u32.f32",
    "tex3DGrad<float>(t, 1.f, 2.f, 3.f, float4(), float4())": "tex.grad.3d.v4.f32.f32",
    "texCubemap<float>(t, 1.f, 2.f, 3.f)": "tex.cube.v4.f32.f32",
    "texCubemapLayered<float>(t, 1.f, 2.f, 3.f, i)": "tex.acube.v4.f32.f32",
    "tex2D(image, 1.f, 2.f)": "tex.2d.v4.f32.f32",
    "tex1D(colours, 1.f)": "tex.1d.v4.f32.f32",
    "tex1Dfetch(table, i)": "tex.1d.v4.s32.s32",
    "surf1Dread<float>(s, i)": "suld.b.1d.b32.trap",
    "surf2Dread<uchar1>(s, i, i, cudaBoundaryModeClamp)": "suld.b.2d.b8.clamp",
    "surf2DLayeredread<float2>(s, i, i, i)": "suld.b.a2d.v2.b32.trap",
    "surf3Dread<int4>(s, i, i, i, cudaBoundaryModeZero)": "suld.b.3d.v4.b32.zero",
    "surfCubemapread<short>(s, i, i, i)": "suld.b.a2d.b16.trap",
    "surf2Dread<float>(canvas, i, i)": "suld.b.2d.b32.trap",
}
WRITES = {
    "surf1Dwrite(1.f, s, i)": "sust.b.1d.b32.trap",
    "surf2Dwrite(make_float4(1, 2, 3, 4), s, i, i)": "sust.b.2d.v4.b32.trap",
    "surf3Dwrite(1.0, s, i, i, i)": "sust.b.3d.v2.b32.trap",
    "surf2DLayeredwrite((char)i, s, i, i, i)": "sust.b.a2d.b8.trap",
    "surf2Dwrite((short)i, canvas, i, i, cudaBoundaryModeZero)": "sust.b.2d.b16.zero",
}


def compile_statement(statement: str, folder: Path) -> Path:
    """Compile a kernel of one statement to PTX for sm_80."""
    clang = discovery.find_clang()
    assert clang is not None
    source, output = folder / "unit", folder / "unit.ptx"
    source.write_text(f"{PRELUDE}{HEAD} {{ {statement} }}\n")
    flags = get_compile_flags(Dialect.CUDA, "sm_80")
    words = [str(clang.path), *flags, str(source), "-o", str(output)]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return output


def list_instructions(ptx: Path) -> list[str]:
    return re.findall(
        r"^\s*((?:tex|tld4|suld|sust)\.\S+)", ptx.read_text(), re.MULTILINE
    )


@pytest.mark.parametrize("fetch", FETCHES)
def test_a_fetch_is_one_instruction(fetch: str, tmp_path: Path) -> None:
    statement = f"auto value = {fetch}; *(decltype(value) *)out = value;"
    ptx = compile_statement(statement, tmp_path)
    assert list_instructions(ptx) == [FETCHES[fetch]]


def test_a_fetch_through_a_pointer_is_the_same_instruction(tmp_path: Path) -> None:
    ptx = compile_statement("tex2D((float4 *)out, t, 1.f, 2.f);", tmp_path)
    assert list_instructions(ptx) == ["tex.2d.v4.f32.f32"]


@pytest.mark.parametrize("write", WRITES)
def test_a_write_to_a_surface_is_one_instruction(write: str, tmp_path: Path) -> None:
    assert list_instructions(compile_statement(f"{write};", tmp_path)) == [
        WRITES[write]
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "*(float *)out = tex2D(image, 1.f, 2.f);",
        "*(float4 *)out = tex1D(colours, 1.f);",
        "surf2Dwrite(1.f, canvas, i, i, (cudaBoundaryModeClamp));",
        "surf3Dread((float4 *)out, s, i, i, i);",
        "tex2DLayeredGrad((float *)out, t, 1.f, 2.f, i, float2(), float2());",
    ],
)
def test_what_becomes_of_them_is_assembled(statement: str, tmp_path: Path) -> None:
    ptxas = discovery.find_ptxas()
    if ptxas is None:
        pytest.skip("ptxas is not installed")
    ptx = compile_statement(statement, tmp_path)
    words = [str(ptxas), "-arch=sm_80", str(ptx), "-o", str(tmp_path / "unit.cubin")]
    assembled = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert assembled.returncode == 0, assembled.stderr
