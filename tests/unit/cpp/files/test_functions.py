"""Function definitions by tokens: names, ranges and what is none."""

from __future__ import annotations

import pytest

from crawler.cpp.files.functions import find_enclosing_function, find_functions
from crawler.cpp.files.source_text import SourceText


def source_of(text: str) -> SourceText:
    return SourceText("a.cu", text.encode())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("int f(int a) { return a; }", ["f"]),
        ("namespace a { namespace { struct B { void f() {} }; } }", ["a::B::f"]),
        ("template <class T> void A<T>::f() const { }", ["A::f"]),
        ("__global__ void __launch_bounds__(256) k(float* x) { }", ["k"]),
        ("struct alignas(16) A : B { A() : B(1) { } };", ["A::A"]),
        ("auto g = [](int a) { return a; };", []),
        (
            "enum class E { a, b };\nint f() { struct L { void g() {} }; return 0; }",
            ["f"],
        ),
        ("#if A\nvoid f()\n#else\nvoid f(int)\n#endif\n{ }", ["f"]),
        ("namespace a::b { void f() {} } void g() {}", ["a::b::f", "g"]),
    ],
)
def test_functions_with_their_qualified_names(text: str, names: list[str]) -> None:
    assert [function.name for function in find_functions(source_of(text))] == names


def test_a_place_belongs_to_the_body_round_it() -> None:
    text = "int a;\nint f() { return [] { return 1; }(); }\nint g() { return 2; }"
    source = source_of(text)
    function = find_enclosing_function(source, text.index("1;"))
    assert function is not None
    assert text[function.start : function.end] == text.splitlines()[1]
    assert find_enclosing_function(source, 0) is None
    assert find_enclosing_function(source, text.index("int g")) is None
