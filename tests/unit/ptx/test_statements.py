"""Moves, predicates, barriers and lane exchange: one statement each."""

from __future__ import annotations

import pytest

from tests.unit.ptx.assembly import translate_registers


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        ("mov.f32 x, 0f3F800000", "put(ks_x, as<float>(0x3F800000u));"),
        (
            "mov.f64 w, 0d3FF0000000000000",
            "put(ks_w, as<double>(0x3FF0000000000000ull));",
        ),
        ("mov.f32 x, 1.5", "put(ks_x, float(1.5));"),
        ("mov.u32 a, -0x1F", "put(ks_a, as<unsigned>(-0x1F));"),
        ("mov.u32 a, %tid.x", "put(ks_a, as<unsigned>(thread_x()));"),
        ("mov.u32 _, b", "(void)(as<unsigned>(ks_b));"),
    ],
)
def test_a_move_takes_bits_numbers_and_registers(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "mov.b64 w, {a, b}",
            "put(ks_w, packed<unsigned long long, unsigned>(as<unsigned>(ks_a), as<unsigned>(ks_b)));",
        ),
        (
            "mov.b32 {h, g}, a",
            "put(ks_h, part<unsigned short, 0>(as<unsigned>(ks_a))); put(ks_g, part<unsigned short, 1>(as<unsigned>(ks_a)));",
        ),
        (
            "mov.b32 a, {h, g}",
            "put(ks_a, packed<unsigned, unsigned short>(as<unsigned short>(ks_h), as<unsigned short>(ks_g)));",
        ),
        (
            "mov.b64 w, {h, g, h, g}",
            "put(ks_w, packed<unsigned long long, unsigned short>(as<unsigned short>(ks_h), as<unsigned short>(ks_g), as<unsigned short>(ks_h), as<unsigned short>(ks_g)));",
        ),
    ],
)
def test_braces_in_a_move_pack_or_take_apart_the_lowest_part_first(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        ("setp.eq.s32 p, a, b", "put(ks_p, (as<int>(ks_a) == as<int>(ks_b)));"),
        ("setp.hs.u32 p, a, 3", "put(ks_p, (as<unsigned>(ks_a) >= as<unsigned>(3)));"),
        ("setp.ne.s32 p, a, b", "put(ks_p, (as<int>(ks_a) != as<int>(ks_b)));"),
        (
            "setp.ne.f32 p, x, y",
            "put(ks_p, (as<float>(ks_x) < as<float>(ks_y) || as<float>(ks_x) > as<float>(ks_y)));",
        ),
        (
            "setp.lo.u32 p|q, a, b",
            "put(ks_p, (as<unsigned>(ks_a) < as<unsigned>(ks_b))); put(ks_q, !(as<unsigned>(ks_a) < as<unsigned>(ks_b)));",
        ),
    ],
)
def test_a_comparison_sets_a_predicate_and_its_contrary(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "selp.f32 x, y, 0f00000000, p",
            "put(ks_x, (ks_p ? as<float>(ks_y) : as<float>(0x00000000u)));",
        ),
        ("@p exit", "if (ks_p) { __builtin_amdgcn_endpgm(); }"),
        ("@!q mov.u32 a, 1", "if (!ks_q) { put(ks_a, as<unsigned>(1)); }"),
    ],
)
def test_a_predicate_chooses_or_guards(instruction: str, statement: str) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        ("membar.gl", "__threadfence();"),
        ("membar.cta", "__threadfence_block();"),
        ("fence.sc.sys", "__threadfence_system();"),
        ("fence.acq_rel.cta", "__threadfence_block();"),
        ("fence.acq_rel.gpu", "__threadfence();"),
    ],
)
def test_a_fence_orders_in_its_scope(instruction: str, statement: str) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        ("barrier.sync.aligned 0", "__syncthreads();"),
        ("bar.sync 0", "__syncthreads();"),
        ("bar.warp.sync a", "__syncwarp();"),
    ],
)
def test_the_first_barrier_is_the_blocks_and_a_warps_its_own(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "shfl.sync.idx.b32 a, b, c, 31, -1",
            "{ bool ks_inside; put(ks_a, shuffle<3>(as<unsigned>(ks_b), as<unsigned>(ks_c), as<unsigned>(31), &ks_inside));  }",
        ),
        (
            "shfl.sync.up.b32 a|p, b, 1, 0, -1",
            "{ bool ks_inside; put(ks_a, shuffle<0>(as<unsigned>(ks_b), as<unsigned>(1), as<unsigned>(0), &ks_inside)); put(ks_p, ks_inside); }",
        ),
        (
            "shfl.down.b32 a, b, 1, 31",
            "{ bool ks_inside; put(ks_a, shuffle<1>(as<unsigned>(ks_b), as<unsigned>(1), as<unsigned>(31), &ks_inside));  }",
        ),
    ],
)
def test_lanes_exchange_a_word_and_say_whether_they_could(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "vote.sync.ballot.b32 a, p, -1",
            "put(ks_a, __ballot_sync(as<unsigned>(-1), ks_p));",
        ),
        ("vote.ballot.b32 a, p", "put(ks_a, __ballot_sync(~0u, ks_p));"),
        (
            "vote.sync.all.pred p, q, a",
            "put(ks_p, __all_sync(as<unsigned>(ks_a), ks_q));",
        ),
    ],
)
def test_a_vote_asks_the_lanes_of_its_mask_or_all(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        ("prefetch.global.L1 [w]", "(void)0;"),
        ("discard.global.L2 [w], 128", "(void)0;"),
        ("setmaxnreg.inc.sync.aligned.u32 240", "(void)0;"),
        ("createpolicy.fractional.L2::evict_last.b64 w, 1.0", "put(ks_w, 0ull);"),
    ],
)
def test_a_hint_does_nothing_and_a_policy_is_a_number_that_nobody_reads(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        ("nanosleep.u32 20", "__nanosleep(as<unsigned>(20));"),
        ("trap", "__builtin_trap();"),
        ("brkpt", "__builtin_trap();"),
        ("exit", "__builtin_amdgcn_endpgm();"),
    ],
)
def test_what_ends_or_delays_a_thread(instruction: str, statement: str) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    "instruction",
    [
        "mov.b32 {a, b}, {c, d}",
        "mov.b32 a, {h, g, h}",
        "mov.b8 {a, b}, h",
        "mov.u32 {h, g}, a",
        "mov a, b",
        "mov.u32 a, b, c",
        "mov.u32.s32 a, b",
        "mov.u32 e, 1",
        "mov.u32 a, %5",
        "setp.lt.and.f32 p, x, y, q",
        "setp.ltu.f32 p, x, y",
        "setp.lt p, x, y",
        "setp.lt.f32 p, x",
        "selp.b32 a, b, c",
        "selp a, b, c, p",
        "fence.proxy.async",
        "membar",
        "fence.sc.gpu.sys",
        "bar.sync 1",
        "bar.sync 0, 64",
        "bar.arrive 0",
        "bar.red.popc.u32 a, 0, p",
        "shfl.sync.b32 a, b, c, 31, -1",
        "shfl.sync.down.b64 w, v, 1, 31, -1",
        "shfl.sync.up.b32 a, b, 1",
        "vote.sync.any.pred p, !q, a",
        "vote.sync.uni.pred p, q, a",
        "vote.sync.any.pred p",
        "vote.sync.any.all.pred p, q, a",
        "nanosleep.u32",
        "@p",
        "@e exit",
    ],
)
def test_a_statement_without_a_rule_is_left(instruction: str) -> None:
    assert translate_registers(instruction) == ""
