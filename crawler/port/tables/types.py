"""Element types of device code and arithmetic on them."""

from __future__ import annotations

from typing import Final

from crawler.port.tables.prefixes import map_prefix

FP8: Final = map_prefix(
    "__nv_",
    "__hip_",
    """
    fp8_e4m3 fp8_e5m2 fp8x2_e4m3 fp8x2_e5m2 fp8x4_e4m3 fp8x4_e5m2 fp8_storage_t
    fp8x2_storage_t fp8x4_storage_t fp8_interpretation_t saturation_t cvt_float_to_fp8
    cvt_float2_to_fp8x2 cvt_halfraw_to_fp8 cvt_bfloat16raw_to_fp8 cvt_fp8_to_halfraw
    cvt_double_to_fp8 cvt_fp8x2_to_halfraw2 cvt_halfraw2_to_fp8x2
    cvt_bfloat16raw2_to_fp8x2 cvt_double2_to_fp8x2
    """,
) | map_prefix("__NV_", "__HIP_", "NOSAT SATFINITE E4M3 E5M2")
"""8-bit floating point; HIP has it from version 6.2 on, and we for what is older."""

SMALL_FLOATS: Final = (
    map_prefix(
        "__nv_",
        "__hip_",
        """
        fp4_e2m1 fp4x2_e2m1 fp4x4_e2m1 fp6_e2m3 fp6x2_e2m3 fp6x4_e2m3 fp6_e3m2
        fp6x2_e3m2 fp6x4_e3m2 fp4_storage_t fp4x2_storage_t fp4x4_storage_t
        fp6_storage_t fp6x2_storage_t fp6x4_storage_t fp4_interpretation_t
        fp6_interpretation_t cvt_float_to_fp4 cvt_double_to_fp4 cvt_halfraw_to_fp4
        cvt_float2_to_fp4x2 cvt_halfraw2_to_fp4x2 cvt_bfloat16raw2_to_fp4x2
        cvt_fp4_to_halfraw cvt_fp4x2_to_halfraw2 cvt_float_to_fp6 cvt_double_to_fp6
        cvt_halfraw_to_fp6 cvt_float2_to_fp6x2 cvt_halfraw2_to_fp6x2
        cvt_bfloat16raw2_to_fp6x2 cvt_fp6_to_halfraw cvt_fp6x2_to_halfraw2
        """,
    )
    | map_prefix("__NV_", "__HIP_", "E2M1 E2M3 E3M2")
    | map_prefix(
        "cuda", "hip", "RoundMode RoundNearest RoundZero RoundPosInf RoundMinInf"
    )
)
"""Floating point of 4 and 6 bits; HIP has it from version 7 on, and we for what is older."""

TYPES: Final = {
    "__nv_half": "__half",
    "__nv_half2": "__half2",
    "nv_half": "__half",
    "nv_half2": "__half2",
    "nv_bfloat16": "__hip_bfloat16",
    "nv_bfloat162": "__hip_bfloat162",
    "__nv_bfloat16": "__hip_bfloat16",
    "__nv_bfloat162": "__hip_bfloat162",
    "__nv_bfloat16_raw": "__hip_bfloat16_raw",
    "__nv_bfloat162_raw": "__hip_bfloat162_raw",
    "__half_raw": "kernelset_half_raw",
    "__half2_raw": "kernelset_half2_raw",
    "cuComplex": "hipComplex",
    "cuFloatComplex": "hipFloatComplex",
    "cuDoubleComplex": "hipDoubleComplex",
}
"""Element types of device code."""

SAME_NAME_TYPES: Final = frozenset({"__half_raw", "__half2_raw"})
"""Of those what HIP spells the same and initialises otherwise: a text that speaks HIP means
HIP's.
"""

COMPLEX: Final = {
    f"cu{name}{suffix}": f"hip{name}{suffix}"
    for name in (
        "Creal",
        "Cimag",
        "Cadd",
        "Csub",
        "Cmul",
        "Cdiv",
        "Conj",
        "Cabs",
        "Cfma",
    )
    for suffix in ("", "f")
} | {
    "make_cuComplex": "make_hipComplex",
    "make_cuFloatComplex": "make_hipFloatComplex",
    "make_cuDoubleComplex": "make_hipDoubleComplex",
    "cuComplexFloatToDouble": "hipComplexFloatToDouble",
    "cuComplexDoubleToFloat": "hipComplexDoubleToFloat",
}
"""Complex arithmetic."""
