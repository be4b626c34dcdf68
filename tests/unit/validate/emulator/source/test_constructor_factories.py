"""Structures that a constructor computes: which text makes one, and what is told of it."""

from __future__ import annotations

from crawler.extract.describe.by_value_classes import (
    extract_class_name,
    find_by_value_classes,
)
from crawler.model import Instantiation, TemplateParameter
from crawler.validate.emulator.source.constructor_factories import (
    add_constructor_factories,
)
from tests.plain import plain_kernel, plain_unit

SOURCE = """template <class T> struct Op {
  struct Shape { int n; Shape(int n_) : n(n_) {} };
  struct Argument : Shape {
    Argument() : Shape(1) {}
    Argument(const Argument& other) : Shape(other.n + 1) {}
    // Argument(int never) : padded(never * 2) {}
    __host__ Argument(const T* from_, std::array<int, 2> sizes_, bool wide_ = true)
      : Shape{sizes_[0], 2}, from(from_), padded((sizes_[1] + 15) / 16 * 16)
    { if (wide_) { padded *= 2; } }
    template <class U> Argument(U a, U b, U c, U d) : padded(a + b + c + d) {}
    const T* from; int padded;
  };
};
struct Bare { int a; Bare(int a_) : a(a_) {} };
struct Declared { int a; Declared(int a_, int b_); };
"""


def add_factories(
    *parameters: tuple[str, str], source: str = SOURCE, **facts: object
) -> str:
    made_ = add_constructor_factories(
        plain_kernel(plain_unit(source), parameters, **facts), plain_unit(source), 0
    )
    return made_.source if made_ else source


def test_a_constructor_that_computes_gets_a_maker_beside_it_and_lines_stay() -> None:
    text = add_factories(("of", "typename Op<float>::Argument"))
    assert text.count("\n") == SOURCE.count("\n")
    (line,) = [name for name in text.splitlines() if "kernelset_make" in name]
    assert line.startswith(
        "    { if (wide_) { padded *= 2; } } static Argument kernelset_make(const T* from_, std::array"
    )
    assert (
        "bool wide_ = true) { return Argument(static_cast<decltype(from_)&&>(from_), "
        in line
    )
    assert line.endswith('kernelset_names = "from_ sizes_ wide_";')


def test_what_only_copies_has_no_body_or_is_no_parameter_gets_none() -> None:
    assert (
        add_factories(
            ("bare", "Bare"), ("declared", "Declared"), ("shape", "Op<int>::Shape")
        )
        == SOURCE
    )
    assert (
        add_factories(
            ("of", "const Op<float>::Argument &"),
            ("at", "Op<float>::Argument *"),
            ("n", "int"),
        )
        == SOURCE
    )


def test_parameters_that_cannot_be_told_apart_or_named_have_no_maker() -> None:
    source = "struct A {{ int a; A({}) : a(2 * 3) {{}} }};\n"
    for parameters in (
        "int, int b",
        "void (*f)(int), int b",
        "int... a",
        "int a = 1 < 2, int b",
    ):
        assert "kernelset_make" not in add_factories(
            ("a", "A"), source=source.format(parameters)
        )
    assert "kernelset_make" in add_factories(
        ("a", "A"), source=source.format("int a = (1 < 2), int b")
    )


def test_a_structure_goes_by_the_last_name_of_what_a_template_is_given() -> None:
    instantiation = Instantiation(
        arguments=("ns::Outer<a::B<int>, 3>::Map<(1 > 0)>", "float"), label="x"
    )
    listed = tuple(TemplateParameter(name=name, kind="type") for name in ("Map2", "T"))
    kernel = plain_kernel(
        plain_unit(SOURCE), (("map", "const Map2"), ("x", "T"), ("p", "T *"))
    )
    assert find_by_value_classes(kernel.parameters, listed, [instantiation]) == ("Map",)
    assert [
        extract_class_name(name) for name in ("", ">", "A<", "int", "::ns::A<b>")
    ] == ["", "", "", "int", "A"]
