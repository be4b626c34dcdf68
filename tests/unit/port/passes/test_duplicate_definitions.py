"""Definitions that HIP already has: taken out where they would clash, and nowhere else."""

from __future__ import annotations

import pytest

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.passes import duplicate_definitions
from crawler.port.rewrite import RewriteResult, apply_rules

MINIMUM = "template <typename scalar_t>\n__device__ inline scalar_t min(const scalar_t a, scalar_t b) {\n  return a;\n}"


def apply_rule(text: str) -> RewriteResult:
    rules = [duplicate_definitions.PLUGIN]
    return apply_rules(MaskedSource(text), rules, is_whole_file=True)


def remove_duplicates(text: str) -> str:
    return apply_rule(text).text


@pytest.mark.parametrize(
    "definition",
    [
        MINIMUM,
        "template <class T> static __forceinline__ __device__ T max(const T& a, const T& b) { if (a) { } return b; }",
        "__device__ static float atomicMax(float* address, float val) { do { } while (0); return 1; }",
        "static inline __device__ double atomicAdd(double *address, const double val) { return 1; }",
        "__device__ float atomicMin(float* a, float b) {\n#if X >= 2\n  { return 1; }\n# else\n  return 2;\n#endif\n}",
        "inline LIB_DEVICE_ONLY float atomicSub(float* address, const float value) { return 1; }",
        "LIB_DEVICE unsigned long long int\natomicSub(unsigned long long int* a, const unsigned long long int b) { return 1; }",
        "IHD void operator-=(float3& a, const float3& b) {\n  a.x -= b.x;\n  a.y -= b.y;\n  a.z -= b.z;\n}",
        "__host__ __device__ int2 &operator *= (int2 &p, int2 q) { p.y = p.y * q.y; p.x = p.x * q.x; return p; }",
    ],
)
def test_a_clash_is_taken_out_and_lines_stay(definition: str) -> None:
    text = f"int before;\n{definition}\nnamespace {{\n{definition}\n}}\nint after;\n"
    remaining = remove_duplicates(text)
    assert remaining.split() == [
        "int",
        "before;",
        ";",
        "namespace",
        "{",
        ";",
        "}",
        "int",
        "after;",
    ]
    assert remaining.count("\n") == text.count("\n")
    assert remove_duplicates(remaining) == remaining


@pytest.mark.parametrize(
    "text",
    [
        f"namespace mine {{ {MINIMUM} }}",
        f"struct S {{ {MINIMUM} }};",
        "#define MIN __device__ float atomicMax(float* a, float b) { return 1; }\n",
        "__device__ float atomicMax(float* a, float b);",
        "__device__ int atomicMax(int* a, float b) { return 1; }",
        "__device__ unsigned atomicSub(unsigned* a, unsigned b) { return 1; }",
        "LIB_HOST float atomicSub(float* a, float b) { return 1; }",
        "template <typename T> __device__ T min(T a, T b, T c) { return a; }",
        "template <typename T> T min(T a, T b) { return a; }",
        "__device__ float atomicMax(float* a, float b) {\n#define X 1\n  return X;\n}",
        "__device__ float atomicMax(float* a, float b) {\n#if X\n  if (a) {\n#else\n  {\n#endif\n  return 1; } }",
        "__device__ float atomicMax(float* a, float b) {\n#endif\n  return 1;\n}\n",
        "__device__ float atomicMax(float* a, float b) {\n#if X\n  return 1;\n}\n",
        "__global__ void k(float* a) { min(a, b); }",
        "IHD void operator*=(float2& a, const float2& b) { a.x = a.x * b.x - a.y * b.y; a.y = a.x * b.y; }",
        "IHD void operator-=(float3& a, const float3& b) { a.x -= b.x; a.y -= b.y; }",
        "IHD void operator-=(float3& a, const float3& b) { b.x -= a.x; b.y -= a.y; b.z -= a.z; }",
        "IHD void operator*=(float3& a, const float& b) { a.x *= b; a.y *= b; a.z *= b; }",
        "IHD void operator+=(V3& a, const V3& b) { a.x += b.x; a.y += b.y; a.z += b.z; }",
        "template <int N> void operator-=(float2& a, const float2& b) { a.x -= b.x; a.y -= b.y; }",
        "operator-=(",
        "__device__ float atomicMax(float* a, float b) { return 1;",
        "min(",
        "template < min ( T , T ) {",
    ],
)
def test_what_does_not_clash_stays(text: str) -> None:
    assert remove_duplicates(text) == text


def test_the_report_has_what_was_taken_out() -> None:
    changes = apply_rule(f"\n{MINIMUM}\n").changes
    assert [
        (change.rule, change.line, change.before, change.after) for change in changes
    ] == [("duplicate", 2, MINIMUM, "")]


@pytest.mark.parametrize(
    ("text", "remaining"),
    [
        (f"int a;\n\n{MINIMUM}\n\nint b;\n", "int a;\n\nint b;\n"),
        (f"int a;\n{MINIMUM}", "int a;\n"),
        (f"int a; {MINIMUM} int b;", "int a; ; int b;"),
    ],
)
def test_of_a_unit_it_goes_with_its_lines(text: str, remaining: str) -> None:
    rules = [duplicate_definitions.PLUGIN]
    assert apply_rules(MaskedSource(text), rules, is_whole_file=False).text == remaining
