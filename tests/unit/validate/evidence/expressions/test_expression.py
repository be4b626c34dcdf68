"""Host expressions mean what they mean in C++: integer division, precedence, ternaries, casts,
rounding helpers.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.validate.evidence.evaluation import evaluate
from crawler.validate.evidence.evaluation_scope import EvaluationScope
from crawler.validate.evidence.expressions.expression import parse_expression
from crawler.validate.evidence.host_definitions import find_definitions

VALUES = {"n": 300, "c": 8, "x.size(0)": 5, "x.numel()": 77}


def value(text: str, **definitions: str) -> object:
    scope = EvaluationScope(
        resolve_free=lambda name, _names: VALUES.get(name, 2),
        definitions=definitions,
        types={"scalar_t": "double"},
    )
    return evaluate(parse_expression(text), scope)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(n + 256 - 1) / 256", 2),
        ("dim3((n + 31) / 32, c)", (10, 8, 1)),
        ("-7 / 2", -3),
        ("-7 % 4", -3),
        ("n > 100 ? c << 2 : 1", 32),
        ("static_cast<int>(x.size(0)) * sizeof(scalar_t)", 40),
        ("std::min<int64_t>(n, (int64_t)4096)", 300),
        ("at::ceil_div(n, 128)", 3),
        ("DIVUP(n, c) * sizeof(float)", 152),
        ("(unsigned int)ceil(n / 7.0f)", 43),
        ("round_up(n, 64)", 320),
        ("x.numel() + 0x10u", 93),
        ("m.rows", 2),
        ("1 +", None),
        ("[] { return 1; }()", None),
        ("", None),
    ],
)
def test_a_size_is_computed_as_the_host_would(text: str, expected: object) -> None:
    assert value(text) == expected


def test_names_are_followed_to_what_they_stand_for_and_never_in_circles() -> None:
    assert (
        value(
            "blocks.x * threads",
            blocks="dim3(total / threads)",
            total="n * c",
            threads="64",
        )
        == 37 * 64
    )
    assert value("total", total="total + 1") is not None


def test_a_tensor_has_the_shape_that_it_was_made_with() -> None:
    assert (
        value("out.numel() / out.size(-1)", out="at::zeros({n, c, 3}, options)") == 2400
    )


@settings(deadline=None)
@given(st.recursive(
    st.integers(0, 50).map(str) | st.sampled_from(["n", "c"]),
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*", "<", "=="]), inner).map(" ".join).map("({})".format),
    max_leaves=12,
))  # fmt: skip
def test_whole_numbers_come_out_as_python_computes_them(text: str) -> None:
    assert value(text) == int(eval(text, {}, dict(VALUES)))


@settings(deadline=None)
@given(st.text(alphabet="abn0129.,()<>{}[]+-*/%?:&|!= \"';", max_size=80))
def test_no_text_breaks_the_parser(text: str) -> None:
    parse_expression(text)
    for name, written in find_definitions(text).items():
        assert name
        evaluate(
            parse_expression(written),
            EvaluationScope(resolve_free=lambda _name, _names: 3),
        )


def test_definitions_are_found_wherever_they_stand() -> None:
    text = """
    const int n = x.size(0), c = x.size(1);
    int blocks = 0;
    if (n > 3) blocks = (n + 7) / 8;
    AT_DISPATCH(x.type(), "k", [&] { dim3 threads(32, c); auto p = make(1, 2); });
    for (int i = 0; i < n; ++i) { grid.x = n; }
    """
    definitions = find_definitions(text)
    assert {
        name: definitions[name].replace(" ", "")
        for name in ("n", "c", "blocks", "threads", "grid.x")
    } == {
        "n": "x.size(0)",
        "c": "x.size(1)",
        "blocks": "(n+7)/8",
        "threads": "dim3(32,c)",
        "grid.x": "n",
    }
