"""Compound assignments that HIP's vector types have themselves."""

from __future__ import annotations

import pytest

from crawler.cpp.lexer import drop_blanks_and_comments, tokenize
from crawler.hip.vector_operators import is_componentwise_assignment


def list_words(text: str) -> list[str]:
    return [token.text for token in drop_blanks_and_comments(tokenize(text))]


def is_like_hips(operator: str, parameters: str, body: str) -> bool:
    return is_componentwise_assignment(
        operator, list_words(parameters), list_words(body)
    )


@pytest.mark.parametrize(
    ("operator", "parameters", "body"),
    [
        ("+", "float2& a, const float2& b", "a.x += b.x; a.y += b.y;"),
        ("*", "int3 &p, int3 q", "p.z *= q.z; p.x *= q.x; p.y *= q.y; return p;"),
        ("-", "uchar2& a, const uchar2 b", "a.x = a.x - b.x; a.y = a.y - b.y;"),
    ],
)
def test_each_component_for_itself(operator: str, parameters: str, body: str) -> None:
    assert is_like_hips(operator, parameters, body)


@pytest.mark.parametrize(
    ("operator", "parameters", "body"),
    [
        ("-", "float2& a, const float2& b", "a.x += b.x; a.y += b.y;"),
        ("*", "float2& a, float2 b", "a.x = a.x * b.x - a.y * b.y; a.y = a.x * b.y;"),
        ("+", "float3& a, const float3& b", "a.x += b.x; a.y += b.y;"),
        ("+", "float2& a, const float3& b", "a.x += b.x; a.y += b.y;"),
        ("+", "Complex& a, const Complex& b", "a.x += b.x; a.y += b.y;"),
        ("+", "float2 a, float2 b", "a.x += b.x; a.y += b.y;"),
        ("+", "float2& a, float b", "a.x += b; a.y += b;"),
        ("+", "float2& a,", "a.x += a.x; a.y += a.y;"),
        ("+", "", ""),
        ("+", "float2& a, float2& b, int c", "a.x += b.x; a.y += b.y;"),
    ],
)
def test_anything_else_is_the_projects_own(
    operator: str, parameters: str, body: str
) -> None:
    assert not is_like_hips(operator, parameters, body)
