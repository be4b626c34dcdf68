"""Macros that stand for one string, as far as AMD's compiler sees their definitions."""

from __future__ import annotations

import pytest

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.ptx.macro_texts import find_macro_texts


def read_macros(text: str) -> dict[str, str]:
    return dict(find_macro_texts(MaskedSource(text)))


@pytest.mark.parametrize(
    ("definition", "text"),
    [
        ('#define LOAD "ld.global"', "ld.global"),
        ('  #  define LOAD "ld." "global"', "ld.global"),
        ('#define LOAD "ld." /* by cache */ "nc"  // and more', "ld.nc"),
        ('#define LOAD "ld." \\\n  "nc"', "ld.nc"),
        ('#define LOAD "a\\"b"', 'a\\"b'),
    ],
)
def test_a_macro_of_strings_alone_stands_for_their_text(
    definition: str, text: str
) -> None:
    assert read_macros(f"{definition}\nint x;\n") == {"LOAD": text}


@pytest.mark.parametrize(
    "definition",
    [
        "#define LOAD",
        "#define LOAD 3",
        '#define LOAD PREFIX "nc"',
        '#define LOAD(x) "ld." x',
        '#define LOAD("ld")',
        '// #define LOAD "ld"',
        'const char* s = "#define LOAD";',
        "",
    ],
)
def test_anything_else_stands_for_no_text(definition: str) -> None:
    assert read_macros(f"{definition}\n") == {}


def test_a_macro_of_two_texts_is_none_and_one_that_is_repeated_is_one() -> None:
    text = '#define A "x"\n#define A "y"\n#define B "z"\n#define B "z"\n'
    assert read_macros(text) == {"B": "z"}


def test_a_definition_that_the_compiler_never_sees_does_not_count() -> None:
    text = (
        '#if __CUDA_ARCH__ >= 800\n#define LOAD "ld.async"\n#else\n'
        '#define LOAD "ld"\n#endif\n'
    )
    assert read_macros(text) == {"LOAD": "ld"}


def test_a_definition_that_it_may_see_counts() -> None:
    text = (
        '#ifdef FAST\n#define LOAD "ld.nc"\n#else\n#define LOAD "ld"\n#endif\n'
        '#ifdef FAST\n#define STORE "st"\n#endif\n'
    )
    assert read_macros(text) == {"STORE": "st"}


def test_many_definitions_cost_linear_time() -> None:
    text = "".join(f'#define M{number} "text"\n' for number in range(20_000))
    assert len(read_macros(text)) == 20_000
