"""`{}` that is assigned where halves are in pairs: HIP's have two operators that would take it."""

from __future__ import annotations

import pytest

from crawler.port.port import port_text


def port_statement(statement: str) -> str:
    return (
        port_text(f"void f(__half2 h) {{ {statement} }}")[0]
        .partition("{ ")[2]
        .removesuffix(" }")
        .strip()
    )


TARGETS = (
    *(
        "x",
        "*p",
        "a.b",
        "p->b[1]",
        "at::of::x",
        "(*p)",
        "m[i][f(2)]",
        "((half2*) room)[t]",
    ),
    *("reinterpret_cast<half2*>(room)[t]", "*reinterpret_cast<V<half2>*>(room)"),
)
OTHERS = (
    *(
        "half2 x = {};",
        "half2 x[2] = {};",
        "auto* p = {};",
        "std::array<half2, 2> x = {};",
        "DECLARED(x) = {};",
    ),
    *(
        "x += {};",
        "g<1>(x)[0] = {};",
        "4 = {};",
        "S s{.x = {}};",
        "x = {1};",
        ".b = {};",
        "x) = {};",
        "[0] = {};",
    ),
)


@pytest.mark.parametrize("target", TARGETS)
def test_a_value_of_its_type_is_assigned(target: str) -> None:
    after = f"{target} = std::remove_reference_t<decltype({target})>{{}};"
    assert port_statement(f"{target} = {{}};") == after
    assert (
        port_statement(f"if (t) {target} = {{ }}; else {target} = {{}};")
        == f"if (t) {after} else {after}"
    )
    assert port_statement(after) == after


@pytest.mark.parametrize("other", OTHERS)
def test_what_declares_or_is_something_else_stays(other: str) -> None:
    assert port_statement(other) == other


def test_a_directive_ends_what_stands_before() -> None:
    text = "half2 x;\nvoid f() {\n#ifdef Y\n\n  x = {};\n#endif\n}\n"
    assert "x = std::remove_reference_t<decltype(x)>{};" in port_text(text)[0]
    for other in (
        "half2 x;\n#define Y x = {};\n",
        "half2 x;\n#define Y \\\n  x = {};\n",
        "half2 x;\n#if Y\nY x = {};\n#endif\n",
    ):
        assert "decltype" not in port_text(other)[0]


def test_nothing_changes_where_there_are_no_pairs() -> None:
    assert (
        port_text("void f(float* x) { x[0] = {}; }")[0]
        == "void f(float* x) { x[0] = {}; }"
    )


def test_hip_stays_as_it_is() -> None:
    text = "#include <hip/hip_fp16.h>\nvoid f(__half2* p, float& x) { x = {}; }\n"
    assert port_text(text)[0].endswith(text)


def test_a_report_says_where() -> None:
    (change,) = [
        change
        for change in port_text("half2 x;\nvoid f() {\n x = {}; }")[1].changes
        if change.rule == "empty"
    ]
    assert (change.line, change.before) == (3, "{}")


def test_endless_nesting_costs_little() -> None:
    text = "half2 x; void f() { " + "(" * 200_000 + ")" * 200_000 + " = {}; }"
    assert "decltype" not in port_text(text)[0]
