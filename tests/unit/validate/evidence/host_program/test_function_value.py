"""A project's own small functions give the numbers that they would give on the host."""

from __future__ import annotations

import pytest

from crawler.validate.evidence.evaluation import Value, evaluate
from crawler.validate.evidence.evaluation_scope import EvaluationScope, resolve_nothing
from crawler.validate.evidence.expression import parse_expression
from crawler.validate.evidence.host_program.host_function import read_function


def run(source: str, call: str, **constants: str) -> Value | None:
    functions: dict[str, list[object]] = {}
    for text in source.split("\n\n"):
        function = read_function(text)
        assert function is not None
        functions.setdefault(function.name, []).append(function)

    scope = EvaluationScope(
        resolve_nothing,
        functions=functions,  # type: ignore[arg-type]
        constants=constants,
    )
    return evaluate(parse_expression(call), scope)


@pytest.mark.parametrize(
    ("source", "call", "value"),
    [
        # by its name it would be taken for a division that rounds up
        ("int blocks(int n) { return n / 256; }", "blocks(1000)", 3),
        (
            "int up(int n, int m) { int r = n % m; return r ? n + m - r : n; }",
            "up(10, 4)",
            12,
        ),
        (
            "int pow2(int n) { int p = 1; while (p < n) p <<= 1; return p; }",
            "pow2(1000)",
            1024,
        ),
        (
            "int pick(int n) { if (n > 64) { return 256; } else if (n > 8) return 64; return 8; }",
            "pick(16) + pick(4) + pick(65)",
            328,
        ),
        (
            "int sum(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }",
            "sum(5)",
            10,
        ),
        (
            "dim3 grid(int w, int h) { dim3 g; g.x = w / 8; g.y = h / 4; return g; }",
            "grid(64, 64)",
            (8, 16, 1),
        ),
        ("dim3 grid(int w, int h) { return dim3(w, h); }", "grid(3, 5)", (3, 5, 1)),
        (
            "template <typename T> inline T up(T a, T b) { return (a + b - 1) / b; }",
            "up<int>(9, 4)",
            3,
        ),
        (
            "int half(int n) { return n / 2; }\n\nint two(int n) { return half(n) + half(n); }",
            "two(9)",
            8,
        ),
        ("int reals(int n) { return (int)ceil((float)n / 256); }", "reals(257)", 2),
    ],
)
def test_a_function_gives_what_its_body_computes(
    source: str, call: str, value: Value
) -> None:
    assert run(source, call) == value


def test_a_function_sees_constants_and_nothing_of_its_caller() -> None:
    source = "int f(int n) { return n * kTile; }"
    assert run(source, "f(3)", kTile="16") == 48
    assert run(source, "f(3)") is None


@pytest.mark.parametrize(
    "source",
    [
        "int f(int n) { for (;;) {} return n; }",
        "int f(int n) { while (n) n = n; return n; }",
        "int f(int n) { switch (n) { case 1: return 2; } return 3; }",
        "int f(int n) { int m = ask_device(); return n * m; }",
        "int f(int n) { cudaGetDevice(&n); return n; }",
        "int f(int n) { return f(n); }",
        "int f(int n) { return f(n) + f(n); }",
        "int f(int n) { if (",
        "template <int N> int f(int n) { return n * N; }",
        "int f(int n) { return n; }\n\nint f(long n) { return n + 1; }",
    ],
)
def test_what_is_not_certain_has_no_value(source: str) -> None:
    if source.endswith("if ("):
        assert read_function(source) is None
        return
    assert run(source, "f(1)", N="4") is None
