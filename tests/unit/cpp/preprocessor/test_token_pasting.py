"""Names that the use of a macro makes of its arguments."""

from __future__ import annotations

import pytest

from crawler.cpp.files.identifier_uses import Identifier
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.macros import find_macros
from crawler.cpp.preprocessor.token_pasting import (
    find_pastable_names,
    find_pasted_identifiers,
    find_table_names,
    resolve_word,
)


def expand_pasted(definition: str, use: str) -> set[Identifier]:
    text = f"{definition}\n{use}\n"
    source = SourceText("a.cu", text.encode())
    macros = {macro.name: [macro] for macro in find_macros(source)}
    return set(find_pasted_identifiers(source, text.rindex(use), len(text), macros))


@pytest.mark.parametrize(
    ("definition", "use", "name", "is_called"),
    [
        (
            "#define CONVERT(a, b) a##_to_##b(x)",
            "CONVERT(half, float)",
            "half_to_float",
            True,
        ),
        ("#define NAME(a) a ## _kernel<4>", "NAME(scale)", "scale_kernel", True),
        ("#define TYPE(a) vec##a value", "TYPE(4)", "vec4", False),
        ("#define LONG(a, b) \\\n  a##_ \\\n  b", "LONG(x, y)", "x_", False),
        ("#define FIRST(a, ...) a##_first", "FIRST(x, y, z)", "x_first", False),
        ("#define REST(...) of_##__VA_ARGS__", "REST(x)", "of_x", False),
        ("#define REST(rest...) of_##rest", "REST(x)", "of_x", False),
        ("#define FROM(a /* type */, b) a##_##b", "FROM(x, y)", "x_y", False),
        ("# /* of */ define OF(a) of_##a", "OF(x)", "of_x", False),
    ],
)
def test_pieces_are_pasted_to_one_name(
    definition: str, use: str, name: str, is_called: bool
) -> None:
    assert expand_pasted(definition, use) == {Identifier(name, is_called=is_called)}


@pytest.mark.parametrize(
    ("definition", "use"),
    [
        ("#define CONVERT(a, b) a##_to_##b(x)", "CONVERT"),
        ("#define CONVERT(a, b) a##_to_##b(x)", "CONVERT(1 +, float)"),
        ("#define CONVERT(a, b) a##_to_##b(x)", "CONVERT(half, float"),
        ("#define CONVERT(a, b) a##_to_##b(x)", "OTHER(half, float)"),
        ("#define PLAIN(a) a + library_value", "PLAIN(b)"),
        ("#define A(name) library::value", "A(b)"),
        ("#define NO_LIST a##b", "NO_LIST(x)"),
    ],
)
def test_what_pastes_nothing_makes_no_name(definition: str, use: str) -> None:
    assert expand_pasted(definition, use) == set()


def test_an_argument_behind_scopes_is_a_qualified_name() -> None:
    variable = "#define VARIABLE(name) library::environment::name"
    assert expand_pasted(variable, "VARIABLE(LOGGING)") == {
        Identifier("LOGGING", ("library", "environment"))
    }


@pytest.mark.parametrize("name", ["NAMESPACE", "e", "define"])
def test_a_macro_stands_for_its_word_whatever_it_is_called(name: str) -> None:
    text = f"#define {name} library\n#define F(x) x\n#define G(F) F\n"
    macros = find_macros(SourceText("a.cu", text.encode()))
    macros_by_name = {macro.name: [macro] for macro in macros}

    assert resolve_word(name, macros_by_name) == "library"
    assert resolve_word("F", macros_by_name) == "F"
    assert resolve_word("G", macros_by_name) == "G"


def test_each_use_makes_names_of_its_own() -> None:
    definition = "#define NAME(a) a##_kernel"
    names = {item.name for item in expand_pasted(definition, "NAME(x) NAME(y)")}
    assert names == {"x_kernel", "y_kernel"}


def test_one_macro_makes_no_more_names_than_a_reader_would_follow() -> None:
    body = " ".join(f"a##_{number}" for number in range(100))
    assert len(expand_pasted(f"#define MANY(a) {body}", "MANY(x)")) == 64


@pytest.mark.parametrize(
    ("definition", "pastable"),
    [
        ("#define DIGIT(r, i) USE_(Z ## r ## i)", {"Z00", "Z9F"}),
        ("#define WORD(n) M ## n", {"M0", "MZ"}),
        ("#define KERNEL(n) n ## _kernel", {"scale_kernel"}),
        # nothing says which names it makes
        ("#define JOIN(a, b) a ## b", set()),
        ("#define PLAIN(a) a + Z00", set()),
    ],
)
def test_a_macro_may_make_the_names_that_fit_what_it_pastes(
    definition: str, pastable: set[str]
) -> None:
    (macro,) = find_macros(SourceText("a.cu", f"{definition}\n".encode()))
    names = sorted(["Z00", "Z9F", "M0", "MZ", "scale_kernel", "other"])

    assert find_pastable_names(macro, names) == pastable


def test_many_parts_and_a_long_name_take_no_time() -> None:
    parameters = ", ".join(f"p{index}" for index in range(60))
    pasted = " ## a ## ".join(f"p{index}" for index in range(60))
    definition = f"#define HOSTILE({parameters}) {pasted} ## b\n"
    (macro,) = find_macros(SourceText("a.cu", definition.encode()))

    assert find_pastable_names(macro, ["a" * 20_000]) == set()


TABLE = """
#define JOIN(a, b) JOIN_I(a, b)
#define JOIN_I(a, b) a##b
#define KEEP(a, b) a b
#define COUNT(...) 2
#define SIZE_0(x) SIZE_1
#define EACH_1(m, x) m(x)
#define EACH_2(m, x, ...) m(x) EACH_1(m, __VA_ARGS__)
#define OTHER_1 1
"""


@pytest.mark.parametrize(
    ("definition", "entries"),
    [
        ("EACH(m, ...) JOIN(EACH_, COUNT(__VA_ARGS__))(m, __VA_ARGS__)", {"1", "2"}),
        ("EACH(n, m, x) JOIN(EACH_, n)(m, x)", {"1", "2"}),
        ("EACH(m, list) JOIN_I(EACH_, SIZE_0 list)(m, list)", {"1", "2"}),
        ("EACH(m, list) JOIN(EACH_, \\\n  COUNT(list))(m, list)", {"1", "2"}),
        # what is no choice, no join, or no prefix
        ("EACH(m, x) JOIN(EACH_, 1)(m, x)", set()),
        ("EACH(m, x) KEEP(EACH_, COUNT(x))(m, x)", set()),
        ("EACH(EACH_, x) JOIN(EACH_, COUNT(x))", set()),
        ("EACH(m, x) UNKNOWN(EACH_, COUNT(x))", set()),
        ("EACH JOIN(NONE_, COUNT(x))", set()),
    ],
)
def test_a_computed_number_means_a_table(definition: str, entries: set[str]) -> None:
    source = SourceText("a.cu", f"{TABLE}#define {definition}\n".encode())
    macros = {macro.name: [macro] for macro in find_macros(source)}
    (macro,) = macros["EACH"]

    assert find_table_names(macro, macros) == {f"EACH_{entry}" for entry in entries}


@pytest.mark.parametrize("end", ["", "#define ROW other\n"])
def test_a_number_behind_a_word_means_a_table_of_numbers(end: str) -> None:
    table = "".join(f"#define ROW{name}(m) m\n" for name in ("1", "2", "S", "_1"))
    choice = "#define EACH(n, m) JOIN(ROW, n)(m)\n"
    source = SourceText("a.cu", f"{TABLE}{table}{end}{choice}".encode())
    macros = {macro.name: [macro] for macro in find_macros(source)}
    (macro,) = macros["EACH"]

    assert find_table_names(macro, macros) == {"ROW1", "ROW2"}


def test_macros_that_lead_to_each_other_join_nothing() -> None:
    source = SourceText(
        "a.cu",
        b"#define A(x, y) B(x, y)\n#define B(x, y) A(x, y)\n#define P_1 1\n"
        b"#define EACH(x) A(P_, COUNT(x))\n",
    )
    macros = {macro.name: [macro] for macro in find_macros(source)}
    (macro,) = macros["EACH"]

    assert find_table_names(macro, macros) == set()


def test_a_table_is_searched_once_and_not_too_many_are() -> None:
    uses = " ".join(f"J(P{number}_, N(x))" for number in range(60))
    text = "#define J(a, b) a##b\n" + "".join(
        f"#define A{macro} {uses.replace('P', f'P{macro}x')}\n" for macro in range(6)
    )
    macros = {
        macro.name: [macro] for macro in find_macros(SourceText("a.cu", text.encode()))
    }
    searched_uses: set[tuple[str, str]] = set()
    for number in range(6):
        (macro,) = macros[f"A{number}"]
        find_table_names(macro, macros, searched_uses)

    assert len(searched_uses) == 256
    assert ("J", "P0x0_") in searched_uses
