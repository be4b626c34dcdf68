"""Template arguments and types are spelled so that they can be written anywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from clang.cindex import CursorKind

from crawler.extract.clang import parse
from crawler.extract.clang.cursor import ClangUnit, Cursor
from crawler.extract.clang.cursor_queries import (
    NodeBudget,
    collect_descendants,
    cursor_name,
)
from crawler.extract.clang.type_printer import (
    device_symbol,
    print_qualified_type,
    print_template_arguments,
)
from tests.unit.extract.builders import parse_text

TEXT = """
namespace lib {
enum class Mode { kSum, kMean };
enum Plain { kOne = 1 };
struct Item {};
template <class T, Mode kMode = Mode::kSum> struct Tile { T value; };
template <class T> struct Outer { template <class U> struct Inner {}; };
template <class... Ts> struct Pack {};
template <int N, bool kFlag> struct Sized {};
template <template <class> class C> struct Takes {};
template <class T> struct Box {};
template <> struct Box<Item> {};
struct Kinds { enum Kind { kFirst, kHalf }; static constexpr bool kOn = true; };
template <int N, bool kFlag> struct Codec {};
template <> struct Codec<Kinds::kHalf, Kinds::kOn> {};
using Halves = Codec<Kinds::kHalf, true>;
template <class T> struct Holder { struct Arguments {}; };
template <> struct Box<Tile<Item>> {};
using BoxArguments = Holder<Box<Tile<Item>>>::Arguments;
namespace { struct Hidden {}; }
using Alias = Tile<Item>;
void plain(int *x) {}
template <class T> void generic(T *x) {}
typedef void (*Function)(int *);
}
using namespace lib;
template <class T> __global__ void one(T x) {}
template <int N, class... Ts> __global__ void several(Ts... xs) {}
template <Mode kMode> __global__ void moded(int *x) {}
template <Function kCall> __global__ void calling(int *x) {}
__global__ void bare(int *x) {}
template <class T> struct Owner { static __global__ void member(T *x) {} };
void run(int *x) {
  one<<<1, 1>>>(Tile<Item>{});
  one<<<1, 1>>>(Alias{});
  one<<<1, 1>>>(Pack<Tile<Item, Mode::kMean>, int>{});
  one<<<1, 1>>>(Sized<4, true>{});
  one<<<1, 1>>>(Takes<Box>{});
  one<<<1, 1>>>(Box<Item>{});
  one<<<1, 1>>>(Hidden{});
  one<<<1, 1>>>([] {});
  one<<<1, 1>>>(Tile<Item, Mode::kMean>{});
  one<<<1, 1>>>(BoxArguments{});
  one<<<1, 1>>>(static_cast<const Box<Tile<Item>> *>(nullptr));
  one<<<1, 1>>>(Halves{});
  several<3><<<1, 1>>>(1, Item{}, 2.0f);
  several<0><<<1, 1>>>();
  moded<Mode::kMean><<<1, 1>>>(x);
  calling<plain><<<1, 1>>>(x);
  calling<generic<int>><<<1, 1>>>(x);
  bare<<<1, 1>>>(x);
  Owner<Item>::member<<<1, 1>>>(nullptr);
}
"""


@pytest.fixture(scope="module")
def unit(tmp_path_factory: pytest.TempPathFactory) -> ClangUnit:
    root = tmp_path_factory.mktemp("types")
    return parse_text(root, TEXT)


@pytest.fixture(scope="module")
def references(unit: ClangUnit) -> list[Cursor]:
    """All references to declarations, in the order of the text."""
    kinds = {CursorKind.DECL_REF_EXPR.value}
    return collect_descendants(unit.cursor, kinds, NodeBudget(100_000))


def arguments_of(references: list[Cursor], kernel: str) -> list[Any]:
    """Return the template arguments of each reference to a kernel."""
    printed: list[Any] = []
    for reference in references:
        function = reference.referenced
        if reference.spelling == kernel and function is not None:
            printed.append(print_template_arguments(function))
    return printed


def test_types_among_the_arguments_are_qualified(references: list[Cursor]) -> None:
    printed = arguments_of(references, "one")
    assert printed[:2] == [("lib::Tile<lib::Item>",), ("lib::Tile<lib::Item>",)]
    # a specialisation has an enumerator as it is written
    mean = "lib::Tile<lib::Item, lib::Mode::kMean>"
    assert printed[8] == (mean,)
    assert printed[3] == ("lib::Sized<4, true>",)
    assert printed[4] == ("lib::Takes<lib::Box>",)
    assert printed[5] == ("lib::Box<lib::Item>",)


def test_a_class_within_a_class_and_a_pointer_are_qualified_too(
    references: list[Cursor],
) -> None:
    # clang prints the arguments of `Box<Tile<Item>>` as its specialisation is written
    assert arguments_of(references, "one")[9:] == [
        ("lib::Holder<lib::Box<lib::Tile<lib::Item>>>::Arguments",),
        ("const lib::Box<lib::Tile<lib::Item>> *",),
        # and of `Codec<Kinds::kHalf, Kinds::kOn>`, whose constants stand in a namespace
        ("lib::Codec<1, true>",),
    ]


def test_an_anonymous_namespace_has_no_name_to_write(references: list[Cursor]) -> None:
    assert arguments_of(references, "one")[6] == ("lib::Hidden",)


def test_a_lambda_cannot_be_written(references: list[Cursor]) -> None:
    assert arguments_of(references, "one")[7] is None


def test_packs_are_laid_out_flat(references: list[Cursor]) -> None:
    assert arguments_of(references, "several") == [
        ("3", "int", "lib::Item", "float"),
        ("0",),
    ]


def test_an_enumerator_says_which_enumeration_it_is_of(
    references: list[Cursor],
) -> None:
    (arguments,) = arguments_of(references, "moded")
    assert arguments == ("lib::Mode::kMean",)


def test_functions_among_the_arguments_have_their_own(
    references: list[Cursor],
) -> None:
    assert arguments_of(references, "calling") == [
        ("&lib::plain",),
        ("&lib::generic<int>",),
    ]


def test_a_plain_kernel_has_no_arguments(references: list[Cursor]) -> None:
    assert arguments_of(references, "bare") == [()]


def test_a_member_has_the_arguments_of_its_class(references: list[Cursor]) -> None:
    assert arguments_of(references, "member") == [("lib::Item",)]


def test_the_symbol_is_that_of_device_code(references: list[Cursor]) -> None:
    (bare,) = [cursor for cursor in references if cursor.spelling == "bare"]
    assert bare.referenced is not None
    assert device_symbol(bare.referenced) == "_Z4barePi"
    calling = [cursor for cursor in references if cursor.spelling == "calling"]
    assert calling[0].referenced is not None
    assert device_symbol(calling[0].referenced).startswith("_Z7callingI")


def test_names_are_those_of_the_bindings(references: list[Cursor]) -> None:
    assert {cursor_name(cursor) for cursor in references} == {
        cursor.spelling for cursor in references
    }


def test_types_in_types_are_qualified(references: list[Cursor]) -> None:
    functions = [cursor.referenced for cursor in references if cursor.spelling == "one"]
    spelled: list[str] = []
    for function in functions:
        assert function is not None
        spelled.append(print_qualified_type(function.get_template_argument_type(0)))
    assert spelled[0] == "lib::Tile<lib::Item>"
    # of a pack libclang tells no single argument
    assert spelled[2].startswith("lib::Pack<")


def test_what_is_spelled_compiles_where_no_namespace_is_open(
    references: list[Cursor], project: Callable[..., Any], tmp_path: Path
) -> None:
    declarations = TEXT[: TEXT.index("using namespace")]
    uses = [
        f"one<{arguments[0]}>"
        for arguments in arguments_of(references, "one")
        if arguments is not None
    ]
    lines = "\n".join(
        f"void use_{i}() {{ (void){use}; }}" for i, use in enumerate(uses)
    )
    kernel = "template <class T> __global__ void one(T x) {}"
    planted = project({"b.cu": f"{declarations}\n{kernel}\n{lines}\n"})
    unit = parse.parse_unit(planted.root, planted.commands[0], has_torch=False)
    assert parse.collect_diagnostics(unit, planted.root) == ()
