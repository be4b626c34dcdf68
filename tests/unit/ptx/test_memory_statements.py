"""Loads, stores, copies and atomics: addresses, widths, orders and fences."""

from __future__ import annotations

import pytest

from tests.unit.ptx.assembly import translate_registers


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        ("ld.global.u32 a, [w]", "put(ks_a, load<unsigned>(ks_w));"),
        ("ld.global.u32 a, [w+16]", "put(ks_a, load<unsigned>(ks_w + 16));"),
        ("ld.global.u32 a, [w + -4]", "put(ks_a, load<unsigned>(ks_w + -4));"),
        ("ld.shared::cta.u16 h, [a]", "put(ks_h, load_shared<unsigned short>(ks_a));"),
    ],
)
def test_an_address_is_a_register_with_an_offset(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "ld.global.nc.L1::no_allocate.L2::128B.v2.u32 {a, b}, [w]",
            "{ auto ks_read = load<Vector<unsigned, 2>>(ks_w); put(ks_a, ks_read.of[0]); put(ks_b, ks_read.of[1]); }",
        ),
        (
            "ld.volatile.shared.v2.u32 {a, b}, [c]",
            "{ auto ks_read = load_shared<Vector<unsigned, 2>>(ks_c); put(ks_a, ks_read.of[0]); put(ks_b, ks_read.of[1]); }",
        ),
        (
            "st.global.v2.f32 [w], {x, y}",
            "store<Vector<float, 2>>(ks_w, {{as<float>(ks_x), as<float>(ks_y)}});",
        ),
        ("ld.global.u32 {a}, [w]", "put(ks_a, load<unsigned>(ks_w));"),
    ],
)
def test_a_vector_is_moved_at_once(instruction: str, statement: str) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "ld.acquire.gpu.global.u32 a, [w]",
            "put(ks_a, load_ordered<unsigned, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT>(ks_w));",
        ),
        (
            "ld.volatile.global.u32 a, [w]",
            "put(ks_a, load_ordered<unsigned, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT>(ks_w));",
        ),
        (
            "ld.relaxed.cta.global.u32 a, [w]",
            "put(ks_a, load_ordered<unsigned, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP>(ks_w));",
        ),
        (
            "st.release.sys.global.u32 [w], a",
            "store_ordered<unsigned, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM>(ks_w, as<unsigned>(ks_a));",
        ),
    ],
)
def test_an_ordered_access_has_its_order_and_scope(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "st.shared.u16 [a], h",
            "store_shared<unsigned short>(ks_a, as<unsigned short>(ks_h));",
        ),
        (
            "st.global.cs.f32 [w], 0f00000000",
            "store<float>(ks_w, as<float>(0x00000000u));",
        ),
    ],
)
def test_an_unordered_store_is_plain(instruction: str, statement: str) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "cp.async.ca.shared.global [a], [w], 4",
            "copy_async(ks_a, ks_w, as<unsigned>(4));",
        ),
        (
            "cp.async.ca.shared.global [a], [w], 16, b",
            "copy_async(ks_a, ks_w, as<unsigned>(16), as<unsigned>(ks_b));",
        ),
        (
            "cp.async.cg.shared.global.L2::128B [a], [w], 16",
            "copy_async(ks_a, ks_w, as<unsigned>(16));",
        ),
        (
            "cp.async.cg.shared.global.L2::cache_hint [a], [w], 16, v",
            "copy_async(ks_a, ks_w, as<unsigned>(16));",
        ),
        (
            "cp.async.cg.shared.global.L2::cache_hint [a], [w], 16, b, v",
            "copy_async(ks_a, ks_w, as<unsigned>(16), as<unsigned>(ks_b));",
        ),
    ],
)
def test_a_copy_has_its_sizes_and_no_policy(instruction: str, statement: str) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        ("cp.async.commit_group", "(void)0;"),
        ("cp.async.wait_group 1", "(void)0;"),
        ("cp.async.wait_all", "(void)0;"),
    ],
)
def test_a_copy_that_has_ended_is_not_waited_for(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "cvta.to.shared.u64 v, w",
            "put(ks_v, to_shared(as<unsigned long long>(ks_w)));",
        ),
        ("cvta.shared.u64 v, w", "put(ks_v, from_shared(as<unsigned>(ks_w)));"),
        ("cvta.to.global.u64 v, w", "put(ks_v, as<unsigned long long>(ks_w));"),
    ],
)
def test_addresses_of_shared_memory_are_offsets(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    ("instruction", "statement"),
    [
        (
            "atom.global.add.f32 x, [w], y",
            "put(ks_x, atomic_add<float>(ks_w, as<float>(ks_y)));",
        ),
        (
            "atom.acquire.gpu.global.add.u32 a, [w], b",
            "put(ks_a, atomic_add<unsigned>(ks_w, as<unsigned>(ks_b))); __threadfence();",
        ),
        (
            "atom.release.global.add.u32 a, [w], b",
            "__threadfence(); put(ks_a, atomic_add<unsigned>(ks_w, as<unsigned>(ks_b)));",
        ),
        (
            "atom.acq_rel.sys.global.cas.b32 a, [w], b, c",
            "__threadfence_system(); put(ks_a, atomic_cas<unsigned>(ks_w, as<unsigned>(ks_b), as<unsigned>(ks_c))); __threadfence_system();",
        ),
        (
            "red.release.cta.global.max.s32 [w], a",
            "__threadfence_block(); atomic_max<int>(ks_w, as<int>(ks_a));",
        ),
    ],
)
def test_an_atomic_stands_between_the_fences_of_its_order(
    instruction: str, statement: str
) -> None:
    assert translate_registers(instruction) == statement


@pytest.mark.parametrize(
    "instruction",
    [
        "ld.global.u32 a, [w+b]",
        "ld.global.u32 a, w",
        "ld.global.v2.u32 {a, b, c}, [w]",
        "ld.global.v2.u32 a, [w]",
        "ld.acquire.gpu.global.v2.u32 {a, b}, [w]",
        "ld.acquire.shared.u32 a, [b]",
        "ld.param.u32 a, [w]",
        "ld.global a, [w]",
        "ld.u32 a",
        "st.release.cta.shared.u32 [a], b",
        "st.global.v2.f32 [w], {x}",
        "st.global.u32 [w]",
        "cp.async.cg.shared.global [a], [w]",
        "cp.async.cg.shared.global [a], [w], 16, b, c",
        "cp.async.bulk.commit_group",
        "cp.async",
        "cp.async.shared.global [a], [w], 16",
        "cp.reduce.async [a], [w], 16",
        "cvta.local.u64 v, w",
        "cvta.to.shared.u64 v",
        "atom.cas.b32 a, [w], b",
        "atom.add.u32 a, [w], b, c",
        "atom.shared.exch.b32 a, [b], c",
        "atom.global.safeadd.u32 a, [w], b",
        "atom.add a, [w], b",
        "red.global.add.f32 [w]",
    ],
)
def test_an_access_without_a_rule_is_left(instruction: str) -> None:
    assert translate_registers(instruction) == ""


@pytest.mark.parametrize("width", [2, 4, 8])
def test_a_vector_has_as_many_registers_as_its_name_says(width: int) -> None:
    registers = ", ".join(["a"] * width)
    translated = translate_registers(f"ld.global.v{width}.u32 {{{registers}}}, [w]")
    assert f"load<Vector<unsigned, {width}>>(ks_w)" in translated
    assert f"ks_read.of[{width - 1}]" in translated
    assert f"ks_read.of[{width}]" not in translated
