"""PTX statements in HIP: by what rule, and what is none."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crawler.ptx.instruction_tables import CPP_TYPES, OPCODES
from crawler.ptx.translation import classify_blocker, translate_assembly
from tests.unit.ptx.assembly import make_assembly, translate

TRAP = "__builtin_trap()"


@pytest.mark.parametrize(
    ("template", "constraints", "statement"),
    [
        ("add.s32 %0, %1, -3;", ("=r", "r"), "put(ks_0, as<int>(ks_1) + as<int>(-3));"),
        ("mul.wide.u32 %0, %1, %1;", ("=l", "r"), "static_cast<unsigned long long>("),
        ("mul.hi.u32 %0, %1, %1;", ("=r", "r"), "mul_hi(as<unsigned>(ks_1)"),
        ("neg.f32 %0, %1;", ("=f", "f"), "put(ks_0, -as<float>(ks_1));"),
        ("fma.rn.f32 %0, %1, %1, %1;", ("=f", "f"), "fma(as<float>(ks_1)"),
        (
            "mad.lo.u32 %0, %1, %1, 4;",
            ("=r", "r"),
            "* as<unsigned>(ks_1) + as<unsigned>(4)",
        ),
        ("max.NaN.f32 %0, %1, %1;", ("=f", "f"), "max_nan("),
        ("tanh.approx.f16x2 %0, %1;", ("=r", "r"), "h2tanh("),
        ("cvt.rn.f32.s32 %0, %1;", ("=f", "r"), "convert<float>(as<int>(ks_1))"),
        ("cvt.sat.u8.s32 %0, %1;", ("=r", "r"), "saturated<unsigned char>("),
        ("cvt.rzi.s32.f32 %0, %1;", ("=r", "f"), "rounded<int>(trunc("),
        (
            "cvt.rn.bf16x2.f32 %0, %1, %2;",
            ("=r", "f", "f"),
            "pair_of<__hip_bfloat162>(as<float>(ks_2), as<float>(ks_1))",
        ),
        (
            "dp4a.s32.u32 %0, %1, %1, %1;",
            ("=r", "r"),
            "dot<signed char, unsigned char, 0, 4>(",
        ),
        (
            "dp2a.hi.s32.u32 %0, %1, %1, %1;",
            ("=r", "r"),
            "dot<short, unsigned char, 2, 2>(",
        ),
        (
            "set.ltu.u32.f16x2 %0, %1, %1;",
            ("=r", "r"),
            "compared_halves<Compare::lt, true>(",
        ),
        (
            "mov.b32 %0, {%1, %2};",
            ("=r", "h", "h"),
            "packed<unsigned, unsigned short>(",
        ),
        ("mov.b32 {%0, %1}, %2;", ("=h", "=h", "r"), "part<unsigned short, 1>("),
        (
            "ld.global.v2.f32 {%0, %1}, [%2];",
            ("=f", "=f", "l"),
            "load<Vector<float, 2>>(ks_2)",
        ),
        ("ld.shared.u32 %0, [%1+8];", ("=r", "r"), "load_shared<unsigned>(ks_1 + 8)"),
        (
            "ld.acquire.sys.u32 %0, [%1];",
            ("=r", "l"),
            "load_ordered<unsigned, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM>",
        ),
        (
            "st.global.u32 [%0], %1;",
            ("l", "r"),
            "store<unsigned>(ks_0, as<unsigned>(ks_1));",
        ),
        (
            "cp.async.cg.shared.global [%0], [%1], 16;",
            ("r", "l"),
            "copy_async(ks_0, ks_1, as<unsigned>(16));",
        ),
        ("cp.async.wait_group 0;", (), "(void)0;"),
        (
            "atom.global.cas.b32 %0, [%1], %2, %2;",
            ("=r", "l", "r"),
            "atomic_cas<unsigned>(ks_1",
        ),
        (
            "red.release.gpu.global.add.s32 [%0], %1;",
            ("l", "r"),
            "__threadfence(); atomic_add<int>(",
        ),
        ("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;", ("=r", "r"), "shuffle<2>("),
        ("bar.sync 0;", ("r",), "__syncthreads()"),
        ("vote.sync.any.pred p, p, -1;", (), ""),
    ],
)
def test_an_instruction_has_its_statement(
    template: str, constraints: tuple[str, ...], statement: str
) -> None:
    translated = translate(template, *constraints)
    assert statement in translated
    assert bool(translated) == bool(statement)


def test_registers_and_guards_are_variables_and_conditions() -> None:
    translated = translate(
        "{ .reg .pred p; setp.gt.s32 p, %1, 0; @!p mov.u32 %0, %laneid; }", "+r", "r"
    )
    assert "bool ks_p;" in translated
    assert "put(ks_p, (as<int>(ks_1) > as<int>(0)));" in translated
    assert "if (!ks_p) { put(ks_0, as<unsigned>(lane_id())); }" in translated


@pytest.mark.parametrize(
    ("template", "blocker"),
    [
        (
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1}, {%2}, {%3};",
            "mma",
        ),
        ("cp.async.bulk.wait_group 0;", "tma_cluster"),
        ("mbarrier.init.shared.b64 [%0], 1;", "async_copy"),
        ("ld.param.u32 %0, [%1];", "ptx"),
        ("s_waitcnt vmcnt(0);", ""),
        ("add.u32 %0, %1, 1;", ""),
    ],
)
def test_what_cannot_be_translated_has_a_class(template: str, blocker: str) -> None:
    assert classify_blocker(make_assembly(template, "=r", "r", "r", "r")) == blocker


@pytest.mark.parametrize(
    "template", ["ctv.f32.s32 %0, %1;", "dp2a.u32.u32 %0, %1, %1, %1;"]
)
def test_what_no_assembler_takes_is_a_trap(template: str) -> None:
    assert translate_assembly(make_assembly(template, "=r", "r")) == TRAP


WORDS = sorted(
    {*CPP_TYPES, *("rn", "wide", "sat", "rni", "async", "sync", "to", "shared", "v2")}
)
OPERANDS = ("%0", "%1", "%9", "p", "{%0, %1}", "[%1]", "1.5", "_", "%laneid", "a b")
instructions = st.builds(
    "{}{} {};".format,
    st.sampled_from(sorted(OPCODES)),
    st.lists(st.sampled_from(WORDS).map(".{}".format), max_size=4).map("".join),
    st.lists(st.sampled_from(OPERANDS), max_size=5).map(", ".join),
)


@given(
    st.lists(instructions, min_size=1, max_size=3).map(" ".join),
    st.lists(st.sampled_from(["=r", "r", "l", "f", "n", "m", ""]), max_size=4),
)
@example("setp;", [])
@example("cvta %0;", ["r"])
@example("mad.wide.u16 %0, %1;", ["=r", "r"])
@example("mov.u32.s32 %0, %1;", ["=r", "r"])
def test_any_instruction_is_translated_or_left(
    template: str, constraints: list[str]
) -> None:
    assembly = make_assembly(template, *constraints)
    translated = translate_assembly(assembly)
    assert translated.count("(") == translated.count(")")
    assert translated.count("{") == translated.count("}")
    if translated:
        assert classify_blocker(assembly) == ""
