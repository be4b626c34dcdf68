"""Structures that a constructor computes: which text makes one, and what is told of it."""

from __future__ import annotations

from crawler.extract.describe.by_value_classes import (
    extract_class_name,
    find_by_value_classes,
)
from crawler.model import Instantiation, TemplateParameter
from crawler.validate.emulator.execution import parse_executions
from crawler.validate.emulator.launch import Pointer
from crawler.validate.emulator.source.constructor_factories import (
    add_constructor_factories,
)
from crawler.validate.values.parameter_types import (
    list_argument_names,
    list_argument_positions,
    parse_signatures,
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


def made(*parameters: tuple[str, str], source: str = SOURCE, **facts: object) -> str:
    made_ = add_constructor_factories(
        plain_kernel(plain_unit(source), parameters, **facts), plain_unit(source), 0
    )
    return made_.source if made_ else source


def test_a_constructor_that_computes_gets_a_maker_beside_it_and_lines_stay() -> None:
    text = made(("of", "typename Op<float>::Argument"))
    assert text.count("\n") == SOURCE.count("\n")
    (line,) = [each for each in text.splitlines() if "kernelset_make" in each]
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
        made(("bare", "Bare"), ("declared", "Declared"), ("shape", "Op<int>::Shape"))
        == SOURCE
    )
    assert (
        made(
            ("of", "const Op<float>::Argument &"),
            ("at", "Op<float>::Argument *"),
            ("n", "int"),
        )
        == SOURCE
    )


def test_parameters_that_cannot_be_told_apart_or_named_have_no_maker() -> None:
    source = "struct A {{ int a; A({}) : a(2 * 3) {{}} }};\n"
    for taken in (
        "int, int b",
        "void (*f)(int), int b",
        "int... a",
        "int a = 1 < 2, int b",
    ):
        assert "kernelset_make" not in made(("a", "A"), source=source.format(taken))
    assert "kernelset_make" in made(
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
        extract_class_name(each) for each in ("", ">", "A<", "int", "::ns::A<b>")
    ] == ["", "", "", "int", "A"]


def test_a_program_tells_what_is_made_of_which_of_what_it_takes() -> None:
    told = "\n".join(
        (
            "entry 0",
            "parameter s 4 4 - 0 0 f() [T = int]",
            "parameter p 8 8 f 4 1 f() [T = const float *]",
            "parameter s 4 4 - 0 0 f() [T = int]",
            "parameter f 4 4 - 0 0 f() [T = float]",
            "made 1 1 2 from_ n_",
        )
    )
    (signature,) = parse_signatures(told)
    assert [each.constructed_parameter for each in signature] == [-1, 1, 1, -1]
    assert list_argument_names(signature, ["first", "of", "scale"]) == [
        "first",
        "from_",
        "n_",
        "scale",
    ]
    assert list_argument_positions(signature) == [0, -1, 3]


def test_what_was_made_is_told_with_where_it_points() -> None:
    told = "run 0 0 1 1 5\nmade-pointer 1 8 0 64\nmade 1 0100000000000000\nmade 2 ff\nmade 3 xyz\n"
    (execution,) = parse_executions(told)
    (first, one), (second, other) = execution.constructed_arguments
    assert (first, one.content[0], one.pointers) == (
        1,
        1,
        ((8, Pointer(buffer=0, offset=64)),),
    )
    assert (second, other.content, other.pointers) == (2, b"\xff", ())
