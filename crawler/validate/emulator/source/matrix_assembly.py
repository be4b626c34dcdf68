"""Translate `mma` and `ldmatrix` of PTX to C++ for the CPU.

Source: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions"; the lanes' parts of each
matrix are told apart by the functions of `kernelset/cpu/ptx.h`, which are called here.
"""

from __future__ import annotations

from typing import Final

from crawler.ptx.registers import HELPER_NAMESPACE, RegisterScope, Untranslatable, Words
from crawler.ptx.statements import StatementRule

_ELEMENT_TYPES: Final = ("f16", "bf16", "tf32", "f32", "f64", "s8", "u8", "s32")
_DENSE_PRODUCTS: Final = {
    ("m16n8k8", "f16"): ("Half", 8),
    ("m16n8k16", "f16"): ("Half", 16),
    ("m16n8k8", "bf16"): ("Bfloat16", 8),
    ("m16n8k16", "bf16"): ("Bfloat16", 16),
    ("m16n8k4", "tf32"): ("Tf32", 4),
    ("m16n8k8", "tf32"): ("Tf32", 8),
    ("m16n8k16", "s8"): ("Signed8", 16),
    ("m16n8k32", "s8"): ("Signed8", 32),
    ("m16n8k16", "u8"): ("Unsigned8", 16),
    ("m16n8k32", "u8"): ("Unsigned8", 32),
}
"""Shape of a product of matrices and type of its elements to a type of ours, and how deep it is."""
_SPARSE_PRODUCTS: Final = {
    ("m16n8k32", "f16"): ("Half", 32),
    ("m16n8k32", "bf16"): ("Bfloat16", 32),
    ("m16n8k16", "tf32"): ("Tf32", 16),
    ("m16n8k64", "s8"): ("Signed8", 64),
    ("m16n8k64", "u8"): ("Unsigned8", 64),
}
"""The same where half of the left matrix is stored, with what tells where each element stands."""
_SUM_TYPES: Final = {"f32": "float", "s32": "int"}
_DOUBLE_PRODUCTS: Final = {
    "m8n8k4": (1, 4),
    "m16n8k4": (2, 4),
    "m16n8k8": (2, 8),
    "m16n8k16": (2, 16),
}
"""Rows of A that a lane holds, and how deep the product is."""
_DENSE_OPERANDS: Final = 4
_SPARSE_OPERANDS: Final = 6
"""With the metadata and the selector of the sparse matrix."""


def _translate_ldmatrix(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    targets = scope.split_vector(operands[0])
    count = len(targets)
    # other shapes, of 8-bit and 4-bit elements, are laid out otherwise
    required = ("m8n8", f"x{count}", "b16")
    if any(modifier not in modifiers for modifier in required):
        raise Untranslatable("ldmatrix")

    is_transposed = "true" if "trans" in modifiers else "false"
    address = scope.format_address(operands[1])
    load = f"{HELPER_NAMESPACE}load_matrices<{count}, {is_transposed}>({address}, ks_read);"
    assignments = _format_assignments(targets, "ks_read", scope)

    return f"{{ unsigned ks_read[{count}]; {load} {assignments} }}"


def _translate_mma(modifiers: Words, operands: Words, scope: RegisterScope) -> str:
    types = [word for word in modifiers if word in _ELEMENT_TYPES]
    shape = ""

    for word in modifiers:
        if word.startswith(("m16n8k", "m8n8k")):
            shape = word
            break

    if types == ["f64"] * 4 and shape in _DOUBLE_PRODUCTS:
        row_count, depth = _DOUBLE_PRODUCTS[shape]
        function = f"multiply_doubles<{row_count}, {depth}>"
        return _format_product(
            function, "double", 2 * row_count, operands[:_DENSE_OPERANDS], scope
        )

    is_sparse = modifiers[0].split("::")[0] == "sp"
    products = _SPARSE_PRODUCTS if is_sparse else _DENSE_PRODUCTS
    operand_count = _SPARSE_OPERANDS if is_sparse else _DENSE_OPERANDS
    element_type = types[1] if len(types) == 4 else ""
    product = products.get((shape, element_type))
    if product is None or len(operands) != operand_count:
        raise Untranslatable("mma")

    scalar, depth = product

    if types == ["f16"] * 4:
        # two sums in a register, which are rounded once, at the end
        function = f"multiply_to_halves<{depth}>"
        return _format_product(function, "unsigned", 2, operands, scope)

    # products of unlike types, such as `s8` by `u8`, have no function yet
    if types[1] != types[2] or types[0] != types[3] or types[0] not in _SUM_TYPES:
        raise Untranslatable("mma")

    function = f"multiply<{HELPER_NAMESPACE}{scalar}, {depth}>"
    sum_type = _SUM_TYPES[types[0]]

    return _format_product(
        function, sum_type, 4, operands, scope, factor_type="unsigned"
    )


def _format_product(
    function: str,
    sum_type: str,
    sum_count: int,
    operands: Words,
    scope: RegisterScope,
    *,
    factor_type: str = "",
) -> str:
    """Return the call of a product; its factors are of the type of its sums unless it has
    another.
    """
    targets, left_factor, right_factor, addend = (
        scope.split_vector(operand) for operand in operands[:_DENSE_OPERANDS]
    )
    factor_type = factor_type or sum_type
    arrays = (
        _format_array(factor_type, "ks_left", left_factor, scope),
        _format_array(factor_type, "ks_right", right_factor, scope),
        _format_array(sum_type, "ks_before", addend, scope),
    )
    arguments = ["ks_sum", "ks_left", "ks_right", "ks_before"]

    for operand in operands[_DENSE_OPERANDS:]:
        arguments.append(scope.format_value(operand, "unsigned"))

    call = f"{HELPER_NAMESPACE}{function}({', '.join(arguments)});"
    assignments = _format_assignments(targets, "ks_sum", scope)

    return (
        f"{{ {' '.join(arrays)} {sum_type} ks_sum[{sum_count}]; {call} {assignments} }}"
    )


def _format_array(kind: str, name: str, operands: Words, scope: RegisterScope) -> str:
    values = ", ".join(scope.format_value(operand, kind) for operand in operands)
    return f"const {kind} {name}[] = {{{values}}};"


def _format_assignments(targets: Words, array: str, scope: RegisterScope) -> str:
    assignments = [
        scope.format_assignment(target, f"{array}[{number}]")
        for number, target in enumerate(targets)
    ]
    return " ".join(assignments)


MATRIX_STATEMENTS: Final[dict[str, StatementRule]] = {
    "ldmatrix": _translate_ldmatrix,
    "mma": _translate_mma,
}
