"""Elements are what the names of their types say, or look like."""

from __future__ import annotations

import pytest

from crawler.validate.values.element_types import (
    parse_element_type,
    resolve_element_type,
    resolve_pointee,
    select_scalar_type,
)
from crawler.validate.values.parameter_types import ParameterType, TypeKind
from crawler.validate.values.scalar_types import ScalarType


def pointer(name: str, kind: TypeKind, size: int) -> ParameterType:
    return ParameterType(
        kind=TypeKind.POINTER,
        size=8,
        alignment=8,
        type_name=name,
        pointee_kind=kind,
        pointee_size=size,
    )


@pytest.mark.parametrize(
    ("name", "size", "scalar"),
    [
        ("__half", 2, ScalarType.HALF),
        ("__nv_bfloat16", 2, ScalarType.BFLOAT16),
        ("float4", 16, ScalarType.FLOAT),
        ("HIP_vector_type<unsigned int, 2>", 8, ScalarType.U32),
        ("c10::complex<double>", 16, ScalarType.DOUBLE),
        ("MyHalfPair", 4, ScalarType.HALF),
        ("Fp8<e5m2>", 1, ScalarType.E5M2),
        ("Vec3", 12, ScalarType.FLOAT),
        ("Packed", 6, ScalarType.U16),
        ("Odd", 3, ScalarType.U8),
    ],
)
def test_a_structure_holds_what_it_looks_like(
    name: str, size: int, scalar: ScalarType
) -> None:
    element = resolve_element_type(name, TypeKind.CLASS, size)
    assert (element.scalar, element.lanes) == (scalar, size // scalar.size)


def test_a_pointer_points_at_its_type_without_qualifiers() -> None:
    element = resolve_pointee(pointer("const volatile float *", TypeKind.FLOATING, 4))
    assert element is not None
    assert (element.name, element.scalar) == ("float", ScalarType.FLOAT)


@pytest.mark.parametrize(
    ("kind", "size"), [(TypeKind.VOID, 0), (TypeKind.NONE, 4), (TypeKind.CLASS, 0)]
)
def test_what_a_pointer_points_at_may_not_be_said(kind: TypeKind, size: int) -> None:
    assert resolve_pointee(pointer("void *", kind, size)) is None


def test_a_vector_of_three_may_be_padded_and_no_other() -> None:
    assert parse_element_type("float3", 16).scalar is ScalarType.FLOAT
    assert parse_element_type("float2", 16).scalar is ScalarType.U8


def test_an_unknown_type_is_compared_byte_by_byte() -> None:
    element = parse_element_type("Node", 24)
    assert (element.scalar, element.lanes) == (ScalarType.U8, 24)


@pytest.mark.parametrize(
    ("kind", "size", "scalar"),
    [
        (TypeKind.UNSIGNED, 8, ScalarType.U64),
        (TypeKind.ENUMERATION, 4, ScalarType.I32),
        (TypeKind.BOOL, 1, ScalarType.BOOL),
        (TypeKind.FLOATING, 8, ScalarType.DOUBLE),
        (TypeKind.SIGNED, 16, ScalarType.I32),
    ],
)
def test_plain_numbers_go_by_form_and_size(
    kind: TypeKind, size: int, scalar: ScalarType
) -> None:
    assert select_scalar_type(kind, size) is scalar
