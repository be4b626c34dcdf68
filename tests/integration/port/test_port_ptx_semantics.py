"""What inline assembly becomes computes what PTX says: AMD's compiler folds each block to the
constant it stores.
"""

from __future__ import annotations

import re
import struct
import subprocess

import pytest

from crawler.model import Dialect
from crawler.port.port import port_text
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_compile_flags


def bits(value: float) -> int:
    return int.from_bytes(struct.pack("<f", value), "little")


CASES = [
    ('asm("add.u32 %0, %1, %2;" : "=r"(r) : "r"(7), "r"(-9));', 0xFFFFFFFE),
    ('asm("{.reg .u32 t; mul.lo.u32 t, %1, %2; sub.s32 %0, t, 1;}" : "=r"(r) : "r"(70000), "r"(70000));', 605032703),
    ('asm("mul.hi.u32 %0, %1, %2;" : "=r"(r) : "r"(70000), "r"(70000));', 70000 * 70000 >> 32),
    ('asm("{.reg .u64 t; mul.wide.s32 t, %1, %2; shr.s64 t, t, 32; cvt.u32.u64 %0, t;}" : "=r"(r) : "r"(-70000), "r"(70000));', 0xFFFFFFFE),
    ('asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(3), "r"(-4), "r"(20));', 8),
    ('asm("{.reg .u64 t; mad.wide.u32 t, %1, %2, %3; shr.u64 t, t, 32; cvt.u32.u64 %0, t;}" : "=r"(r) : "r"(3), "r"(4), "l"(0x500000000ull));', 5),
    ('asm("{.reg .u64 t; mad.wide.s32 t, %1, %2, %3; shr.u64 t, t, 32; cvt.u32.u64 %0, t;}" : "=r"(r) : "r"(-3), "r"(4), "l"(0x500000000ull));', 4),
    ('asm("{.reg .pred p, q; setp.ne.f32 p|q, %1, %1; selp.u32 %0, 1, 2, p; @q add.u32 %0, %0, 10;}" : "=r"(r) : "f"(__builtin_nanf("")));', 12),
    ('asm("{.reg .pred p; setp.ne.f32 p, %1, %2; selp.u32 %0, 1, 2, p;}" : "=r"(r) : "f"(1.f), "f"(2.f));', 1),
    ('asm("shl.b32 %0, %1, 40;" : "=r"(r) : "r"(3));', 0),
    ('asm("shr.s32 %0, %1, 40;" : "=r"(r) : "r"(-3));', 0xFFFFFFFF),
    ('asm("shr.u32 %0, %1, 4;" : "=r"(r) : "r"(-1));', 0x0FFFFFFF),
    ('asm("and.b32 %0, %1, 0xF0; xor.b32 %0, %0, 1;" : "=r"(r) : "r"(0x1234));', 0x31),
    ('asm("not.b32 %0, %1;" : "=r"(r) : "r"(5));', 0xFFFFFFFA),
    ('asm("min.s32 %0, %1, %2;" : "=r"(r) : "r"(-5), "r"(3));', 0xFFFFFFFB),
    ('asm("max.u32 %0, %1, %2;" : "=r"(r) : "r"(-5), "r"(3));', 0xFFFFFFFB),
    ('asm("{.reg .pred p; setp.lt.s32 p, %1, 0; selp.b32 %0, 11, 22, p;}" : "=r"(r) : "r"(-5));', 11),
    ('asm("{.reg .pred p; setp.lt.u32 p, %1, 1; mov.u32 %0, 1; @!p mov.u32 %0, 2;}" : "=r"(r) : "r"(-5));', 2),
    ('asm("{.reg .pred p, q; setp.ge.f32 p|q, %1, 0f3F800000; selp.u32 %0, 1, 2, q;}" : "=r"(r) : "f"(0.5f));', 1),
    ('asm("{.reg .b16 a, b; mov.b32 {a, b}, %1; mov.b32 %0, {b, a};}" : "=r"(r) : "r"(0x12345678));', 0x56781234),
    ('asm("mov.b32 %0, {%1, %2};" : "=r"(r) : "h"((unsigned short)0x1234), "h"((unsigned short)0x5678));', 0x56781234),
    ('asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(r) : "r"(0x33221100), "r"(0x77665544));', 0x55441100),
    ('asm("{lop3.b32 %0, %1, %2, 0x0f, 0xEA;}" : "=r"(r) : "r"(0xF0), "r"(0x3C));', (0xF0 & 0x3C) | 0x0F),
    ('asm("popc.b32 %0, %1;" : "=r"(r) : "r"(0xF0F0));', 8),
    ('asm("clz.b32 %0, %1;" : "=r"(r) : "r"(1));', 31),
    ('asm("cvt.rni.s32.f32 %0, %1;" : "=r"(r) : "f"(2.5f));', 2),
    ('asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "f"(-2.7f));', 0xFFFFFFFE),
    ('asm("cvt.rmi.s32.f32 %0, %1;" : "=r"(r) : "f"(-2.2f));', 0xFFFFFFFD),
    ('asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(r) : "f"(-1e9f));', 0),
    ('asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "f"(1e20f));', 0x7FFFFFFF),
    ('asm("{.reg .s8 b; cvt.sat.s8.s32 b, %1; cvt.u32.s8 %0, b;}" : "=r"(r) : "r"(-300));', 0xFFFFFF80),
    ('asm("cvt.rni.sat.s8.f16 %0, %1;" : "=h"(h) : "h"(__half_as_ushort(__float2half(-2.5f)))); r = h;', 0xFFFE),
    ('asm("cvt.rni.sat.s8.f16 %0, %1;" : "=h"(h) : "h"(__half_as_ushort(__float2half(300.f)))); r = h;', 127),
    ('asm("cvt.u16.u32 %0, %1;" : "=h"(h) : "r"(0x12345678)); r = h;', 0x5678),
    ('asm("cvt.rn.f32.s32 %0, %1;" : "=f"(f) : "r"(-3)); r = __float_as_uint(f);', bits(-3.0)),
    ('asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(f) : "f"(2.f), "f"(3.f), "f"(1.f)); r = __float_as_uint(f);', bits(7.0)),
    ('asm("max.NaN.f32 %0, %1, 0f40000000;" : "=f"(f) : "f"(1.f)); r = __float_as_uint(f);', bits(2.0)),
    ('asm("copysign.f32 %0, %1, %2;" : "=f"(f) : "f"(-1.f), "f"(3.f)); r = __float_as_uint(f);', bits(-3.0)),
    ('asm("neg.f32 %0, %1;" : "=f"(f) : "f"(2.f)); r = __float_as_uint(f);', bits(-2.0)),
    ('asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(1.f), "f"(-2.f));', 0x3F80C000),
    ('asm("add.s32 %0, %[a], %[b];" : "=r"(r) : [a] "r"(40), [b] "r"(2));', 42),
    ('int x = 3; asm("add.s32 %0, %0, %1; add.s32 %0, %0, %1;" : "+r"(x) : "r"(x + 1)); r = x;', 11),
    ('asm("st.global.cs.v2.u32 [%0], {%1, %2};" :: "l"(m + 2), "r"(5), "r"(6)); r = m[3];', 6),
    ('m[0] = 8; m[1] = 9; asm("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];" : "=r"(r), "=r"(o) : "l"(m)); r += o;', 17),
    ('m[1] = 77; asm volatile("ld.global.cg.u32 %0, [%1+4];" : "=r"(r) : "l"(m));', 77),
    ('asm("{.reg .pred p; setp.ne.b32 p, %2, 0; mov.b32 %0, 5; @p ld.global.u32 {%0}, [%1];}" : "=r"(r) : "l"(m), "r"(0));', 5),
    ('asm("st.global.u8 [%0], %1;" :: "l"(m), "r"(0x1FF)); asm("ld.global.s8 %0, [%1];" : "=r"(r) : "l"(m));', 0xFFFFFFFF),
    ('asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, 0;" : "=r"(r) : "r"(-300), "r"(5));', 0x8005),
    ('asm("{.reg .u32 t; cvt.pack.sat.u8.s32.b32 t, %1, %2, 0x77; cvt.pack.sat.s8.s32.b32 %0, 1, 2, t;}" : "=r"(r) : "r"(-3), "r"(300));', 0x00FF0102),
    ('asm("cvt.pack.sat.s4.s32.b32 %0, %1, %2, 0x1;" : "=r"(r) : "r"(9), "r"(-9));', 0x178),
    ('asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(r) : "r"(-2), "r"(70000));', 0xFFFE7FFF),
    ('asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(h) : "f"(2.f), "f"(-2.5f)); r = h;', 0x8081),
    ('asm("{cvt.rp.satfinite.ue8m0x2.f32 %0, 0.0, %1;}" : "=h"(h) : "f"(0.5f * 1.17549435e-38f)); r = h;', 0x0000),
    ('asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(h) : "f"(3e38f), "f"(0.75f * 1.17549435e-38f)); r = h;', 0xFE01),
    ('asm("cvt.rz.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(h) : "f"(1.0f / 0.0f), "f"(2.5f)); r = h;', 0xFE80),
    ('asm("cvt.rn.bf16x2.ue8m0x2 %0, %1;" : "=r"(r) : "h"((unsigned short)0xFF81));', 0x7FFF4080),
    ('asm("cvt.rn.bf16x2.ue8m0x2 %0, %1;" : "=r"(r) : "h"((unsigned short)0x0001));', 0x00400080),
    ('asm("cvt.rn.satfinite.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(1.0f / 0.0f), "f"(-3.4028234e38f));', 0x7F7FFF7F),
    ('asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(1e9f), "f"(-2.f));', 0x7BFFC000),
    ('asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(-3.f), "f"(2.f));', 0x00004000),
    ('asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(1.f), "f"(-__int_as_float(0x7f800000)));', 0x3F800000),
    ('asm("set.gtu.u32.f16x2 %0, %1, %2;" : "=r"(r) : "r"(0x7E003C00), "r"(0x40004000));', 0xFFFF0000),
    ('asm("{.reg .f16x2 s; set.le.u32.f16x2 s, %1, %2; and.b32 %0, s, %1;}" : "=r"(r) : "r"(0x7E004000), "r"(0x40004000));', 0x00004000),
    ('asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(0xFF020304), "r"(0x02010101), "r"(10));', 17),
    ('asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(0xFF000001), "r"(0xFF000002), "r"(0));', 0xFFFFFF03),
    ('asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(0xFFFF0003), "r"(0xFF020000), "r"(0));', 0xFFFFFF07),
    ('__shared__ unsigned s[4]; m[1] = 7; asm("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" :: "r"((unsigned)__cvta_generic_to_shared(s)), "l"(m)); asm("cp.async.wait_all;"); r = s[1];', 7),
    ('asm("{tanh.approx.f16x2 %0, %1; ex2.approx.f16x2 %0, %0;}" : "=r"(r) : "r"(0));', 0x3C003C00),
    ('asm("ex2.approx.ftz.bf16x2 %0, %1;" : "=r"(r) : "r"(0x40003F80));', 0x40804000),
    ('asm("mov.u32 %0, "\n#if __CUDA_ARCH__ >= 800\n"1;"\n#else\n"2;"\n#endif\n: "=r"(r));', 2),
    ('__half2 a = __floats2half2_rn(1.f, 2.f); r = __float_as_uint(__half2float(__hadd(a.x, a.y)));', bits(3.0)),
    ('__half2 a = __floats2half2_rn(1.f, 2.f); r = __float_as_uint(__half2float(a.y));', bits(2.0)),
    ('asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(0x89ABCDEF), "r"(0x01234567), "r"(40));', 0x23456789),
    ('asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(0x89ABCDEF), "r"(0x01234567), "r"(40));', 0x89ABCDEF),
    ('asm("shf.r.wrap.b32 %0, %1, %2, 4;" : "=r"(r) : "r"(0x89ABCDEF), "r"(0x01234567));', 0x789ABCDE),
    ('asm("shf.r.clamp.b32 %0, %1, %2, 33;" : "=r"(r) : "r"(0x89ABCDEF), "r"(0x01234567));', 0x01234567),
    ('asm("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(-5), "r"(7), "r"(100));', 112),
    ('asm("sad.u32 %0, %1, %2, 1;" : "=r"(r) : "r"(3), "r"(-1));', 0xFFFFFFFD),
    ('asm("mul24.lo.u32 %0, %1, %2;" : "=r"(r) : "r"(0xFF800001), "r"(0x12));', 0x09000012),
    ('asm("mul24.hi.s32 %0, %1, %2;" : "=r"(r) : "r"(0x00FFFFFF), "r"(0x10000));', 0xFFFFFFFF),
    ('asm("mad24.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(-3), "r"(5), "r"(20));', 5),
    ('asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(4), "r"(5), "r"(-1));', 5),
    ('asm("slct.b32.f32 %0, %1, %2, %3;" : "=r"(r) : "r"(4), "r"(5), "f"(-0.f));', 4),
    ('asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(0x00012345));', 16),
    ('asm("bfind.shiftamt.u32 %0, %1;" : "=r"(r) : "r"(0x00012345));', 15),
    ('asm("bfind.s32 %0, %1;" : "=r"(r) : "r"(-5));', 2),
    ('asm("bfind.u64 %0, %1;" : "=r"(r) : "l"(0ull));', 0xFFFFFFFF),
    ('asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(4), "r"(40));', 0xFFFFFFF0),
    ('asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(r) : "r"(36), "r"(8));', 0x00000FF0),
    ('asm("szext.wrap.s32 %0, %1, %2;" : "=r"(r) : "r"(0xF8), "r"(36));', 0xFFFFFFF8),
    ('asm("szext.clamp.u32 %0, %1, %2;" : "=r"(r) : "r"(0x1F8), "r"(8));', 0xF8),
    ('asm("cnot.b32 %0, %1;" : "=r"(r) : "r"(0));', 1),
    ('asm("vadd.u32.u32.u32 %0, %1.b1, %2.h1;" : "=r"(r) : "r"(0x0000FF00), "r"(0x00020000));', 0x101),
    ('asm("vsub.s32.u32.u32.sat %0, %1, %2;" : "=r"(r) : "r"(0), "r"(0xFFFFFFFF));', 0x80000000),
    ('asm("vabsdiff.u32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(-5), "r"(7), "r"(100));', 112),
    ('asm("vmin.s32.s32.s32.max %0, %1.b0, %2, %3;" : "=r"(r) : "r"(0x80), "r"(7), "r"(-200));', 0xFFFFFF80),
    ('asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(0x01FF0305), "r"(0x04000203), "r"(10));', 271),
    ('asm("vadd4.s32.s32.s32.sat %0, %1, %2, 0;" : "=r"(r) : "r"(0x7F80FF01), "r"(0x01FF0101));', 0x7F800002),
    ('asm("vsub2.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(0x00010003), "r"(0x00020001), "r"(0));', 0xFFFF0002),
    ('asm("vmax2.s32.s32.s32 %0, %1, %2, 0;" : "=r"(r) : "r"(0xFFFF0003), "r"(0x00020001));', 0x00020003),
    ('asm("vavrg4.u32.u32.u32 %0, %1, %2, 0;" : "=r"(r) : "r"(0x01FF0304), "r"(0x02FF0305));', 0x02FF0305),
    ('asm("mad.hi.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(70000), "r"(70000), "r"(5));', (70000 * 70000 >> 32) + 5),
    ('asm("add.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(0x7FFFFFFF), "r"(2));', 0x7FFFFFFF),
    ('asm("sub.sat.s32 %0, %1, %2;" : "=r"(r) : "r"(-3), "r"(2));', 0xFFFFFFFB),
    ('asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(f) : "f"(2.f), "f"(3.f), "f"(1.f)); r = __float_as_uint(f);', bits(1.0)),
    ('asm("add.ftz.sat.f32 %0, %1, %2;" : "=f"(f) : "f"(__builtin_nanf("")), "f"(1.f)); r = __float_as_uint(f);', 0),
    ('asm("{.reg .u32 t; add.cc.u32 t, %1, %2; addc.u32 %0, 5, 0;}" : "=r"(r) : "r"(-1), "r"(1));', 6),
    ('asm("{.reg .u32 t; sub.cc.u32 t, %1, %2; subc.cc.u32 t, 7, 7; subc.u32 %0, 3, 0;}" : "=r"(r) : "r"(0), "r"(1));', 2),
    ('asm("{.reg .u64 t; add.cc.u64 t, %1, %2; addc.cc.u64 t, %1, 0; addc.u32 %0, 0, 0;}" : "=r"(r) : "l"(~0ull), "l"(1ull));', 1),
    ('asm("{.reg .u32 t; mad.lo.cc.u32 t, %1, %1, %1; madc.hi.u32 %0, %1, %1, 3;}" : "=r"(r) : "r"(-1));', 2),
    ('asm("{.reg .s32 t; mad.lo.cc.s32 t, %1, 5, 0; madc.hi.s32 %0, %1, 5, 10;}" : "=r"(r) : "r"(-3));', 9),
    ('asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(o) : "r"(-1), "r"(2)); asm volatile("addc.u32 %0, %1, 0;" : "=r"(r) : "r"(o));', 2),
]  # fmt: skip


@pytest.fixture(scope="module")
def stored_constants(tmp_path_factory: pytest.TempPathFactory) -> dict[int, int]:
    clang = discovery.find_clang()
    assert clang is not None
    bodies = "\n".join(
        f"__global__ void case_{number}(unsigned *out) {{ unsigned r = 0, o = 0, m[4] = {{}}; float f; "
        f"unsigned short h; {text} *out = r; }}"
        for number, (text, _) in enumerate(CASES)
    )
    ported, report = port_text(f"#include <kernelset/cuda.cuh>\n{bodies}\n")
    assert report.blockers == ()
    file = tmp_path_factory.mktemp("ptx") / "cases.hip"
    file.write_text(ported)
    argv = [
        str(clang.path),
        *get_compile_flags(Dialect.HIP, "gfx90a"),
        "-w",
        "-S",
        "-emit-llvm",
        "-o",
        "-",
        str(file),
    ]
    ended = subprocess.run(
        argv, capture_output=True, text=True, check=False, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    return dict(_read_constants(ended.stdout))


@pytest.mark.apt
@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_block_computes_what_its_instructions_say(
    stored_constants: dict[int, int], number: int
) -> None:
    assert stored_constants.get(number) == CASES[number][1], CASES[number][0]


def _read_constants(ir: str) -> list[tuple[int, int]]:
    kernels = re.findall(r"define [^\n]*@_Z\d+case_(\d+)Pj\(.*?\n}\n", ir, re.DOTALL)
    bodies = re.findall(r"define [^\n]*@_Z\d+case_\d+Pj\((.*?)\n}\n", ir, re.DOTALL)
    stores = (
        (int(number), re.findall(r"store i32 (-?\d+), ptr", body))
        for number, body in zip(kernels, bodies, strict=True)
    )
    return [
        (number, int(values[-1]) & 0xFFFFFFFF) for number, values in stores if values
    ]
