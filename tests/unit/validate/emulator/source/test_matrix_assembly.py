"""Products of matrices in PTX, as calls that a CPU can make."""

from __future__ import annotations

import pytest

from crawler.validate.emulator.source.inline_assembly import replace_inline_assembly


def translate(instruction: str, outputs: int, inputs: int) -> str:
    """Return what stands for an `asm` statement with so many operands."""
    written = ", ".join(f'"=r"(d{number})' for number in range(outputs))
    read = ", ".join(f'"r"(s{number})' for number in range(inputs))
    text = f'__device__ void f() {{ asm volatile("{instruction};" : {written} : {read}); }}'
    return replace_inline_assembly(text)


def product(
    shape: str, types: str, sums: int = 4, left: int = 4, right: int = 2, kind: str = ""
) -> str:
    numbers = iter(range(100))

    def braces(count: int) -> str:
        return "{" + ", ".join(f"%{next(numbers)}" for _ in range(count)) + "}"

    operands = ", ".join(map(braces, (sums, left, right, sums)))
    instruction = f"mma{kind}.sync.aligned.{shape}.row.col.{types} {operands}"
    return translate(instruction, sums, left + right + sums)


@pytest.mark.parametrize(
    ("shape", "types", "call"),
    [
        ("m16n8k16", "f32.f16.f16.f32", "multiply<::kernelset::ptx::Half, 16>"),
        ("m16n8k8", "f32.f16.f16.f32", "multiply<::kernelset::ptx::Half, 8>"),
        ("m16n8k16", "f32.bf16.bf16.f32", "multiply<::kernelset::ptx::Bfloat16, 16>"),
        ("m16n8k8", "f32.tf32.tf32.f32", "multiply<::kernelset::ptx::Tf32, 8>"),
        ("m16n8k32", "s32.s8.s8.s32", "multiply<::kernelset::ptx::Signed8, 32>"),
        ("m16n8k32", "s32.u8.u8.s32", "multiply<::kernelset::ptx::Unsigned8, 32>"),
    ],
)
def test_a_product_is_called_by_its_type_and_its_depth(
    shape: str, types: str, call: str
) -> None:
    text = product(shape, types)
    assert f"{call}(ks_sum, ks_left, ks_right, ks_before);" in text
    sum_type = "int" if types.startswith("s32") else "float"
    assert f"{sum_type} ks_sum[4];" in text
    assert f"const {sum_type} ks_before[] =" in text
    assert "const unsigned ks_left[] =" in text


def test_each_sum_goes_to_its_own_register() -> None:
    text = product("m16n8k16", "f32.f16.f16.f32")
    for number in range(4):
        assert f"ks_sum[{number}]" in text
        assert f"d{number}" in text


def test_sums_of_halves_stand_two_in_a_register() -> None:
    text = product("m16n8k16", "f16.f16.f16.f16", sums=2)
    assert "multiply_to_halves<16>(" in text
    assert "unsigned ks_sum[2];" in text


@pytest.mark.parametrize(
    ("shape", "rows", "depth"),
    [("m8n8k4", 1, 4), ("m16n8k8", 2, 8), ("m16n8k16", 2, 16)],
)
def test_doubles_have_products_of_their_own(shape: str, rows: int, depth: int) -> None:
    text = product(shape, "f64.f64.f64.f64", sums=2 * rows, left=2, right=1)
    assert f"multiply_doubles<{rows}, {depth}>(" in text
    assert f"double ks_sum[{2 * rows}];" in text


@pytest.mark.parametrize(
    ("shape", "types"),
    [
        ("m16n8k16", "s32.s8.u8.s32"),
        ("m16n8k16", "f32.f16.bf16.f32"),
        ("m16n8k16", "f16.f16.f16.f32"),
        ("m16n8k64", "f32.f16.f16.f32"),
        ("m8n8k128", "s32.b1.b1.s32"),
    ],
)
def test_a_product_without_a_rule_is_not_served(shape: str, types: str) -> None:
    assert "unserved" in product(shape, types)


@pytest.mark.parametrize(("count", "suffix"), [(1, ""), (2, ""), (4, ".trans")])
def test_matrices_are_loaded_from_the_address(count: int, suffix: str) -> None:
    registers = ", ".join(f"%{number}" for number in range(count))
    instruction = (
        f"ldmatrix.sync.aligned.m8n8.x{count}{suffix}.shared.b16"
        f" {{{registers}}}, [%{count}]"
    )
    text = translate(instruction, count, 1)
    is_transposed = "true" if suffix else "false"
    assert f"load_matrices<{count}, {is_transposed}>(" in text
    assert f"unsigned ks_read[{count}];" in text
    assert f"ks_read[{count - 1}]" in text


@pytest.mark.parametrize(
    "modifiers", ["m8n16.x1.shared.b8x16", "m8n8.x2.shared.b16", "m16n16.x1.shared.b8"]
)
def test_matrices_of_another_layout_are_not_served(modifiers: str) -> None:
    text = translate(f"ldmatrix.sync.aligned.{modifiers} {{%0}}, [%1]", 1, 1)
    assert "unserved" in text
