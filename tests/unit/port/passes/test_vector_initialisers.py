"""Initialisers of short vectors mean in HIP what they mean in CUDA."""

from __future__ import annotations

import pytest

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.passes.vector_initialisers import PLUGIN
from crawler.port.rewrite import apply_rules


def port(text: str) -> str:
    return apply_rules(MaskedSource(text), [PLUGIN], is_whole_file=True).text


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("float4 v = {0};", "float4 v = {0, 0, 0, 0};"),
        ("const float3 v = {.5f, x[i]};", "const float3 v = {.5f, x[i], 0};"),
        ("uint2 v{f(1, 2)};", "uint2 v{f(1, 2), 0};"),
        ("int2 a = {1}, b = {2};", "int2 a = {1, 0}, b = {2, 0};"),
        ("double2 v = {1,};", "double2 v = {1, 0,};"),
        ("float2 v = {1 // one\n};", "float2 v = {1, 0 // one\n};"),
        ("float4 sums[2][4] = {0.0f};", "float4 sums[2][4] = {};"),
    ],
)
def test_elements_that_are_left_out_are_written(cuda: str, hip: str) -> None:
    assert port(cuda) == hip
    assert port(hip) == hip


@pytest.mark.parametrize(
    "text",
    [
        "float4 v = {};",
        "float2 v = {1, 2};",
        "float2 v = make_float2(1, 2);",
        "float2 v[2] = {a, b};",
        "float2 v[2] = {{1, 2}, {3, 4}};",
        "float4 v = {.x = 1};",
        "float4 f() { return 0; }",
        "struct S { float4 v; } s = {0};",
        'const char *text = "float4 v = {0};";',
    ],
)
def test_others_stay_as_they_are(text: str) -> None:
    assert port(text) == text
