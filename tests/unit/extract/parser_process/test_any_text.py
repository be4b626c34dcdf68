"""Whatever a file holds, what is read of its text stands inside of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.files.functions import find_functions
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.macros import find_macros
from crawler.extract.syntax.kernel_definitions import find_kernel_definitions
from crawler.extract.syntax.launch_syntax import find_launches

KERNEL = (
    "__global__ void k(float* a) { a[0] = 1; }\nvoid f(float* a) { k<<<1, 2>>>(a); }\n"
)
SNIPPETS = (
    *(
        "__global__",
        "void",
        "k",
        "(",
        ")",
        "{",
        "}",
        "<<<",
        ">>>",
        "<",
        ">",
        ",",
        ";",
        "::",
        "template",
        "typename",
    ),
    *(
        "namespace",
        "struct",
        "#",
        "define",
        "if",
        "endif",
        "\n",
        " ",
        "\\\n",
        '"',
        "'",
        "//",
        "/*",
        "*/",
        "T",
        "1",
        "=",
    ),
    *(
        "hipLaunchKernelGGL",
        "cudaLaunchKernel",
        "cudaLaunchKernelEx",
        "__launch_bounds__",
        "public",
        ":",
        "&",
        'R"(',
        "\0",
    ),
)
source_like = st.lists(
    st.sampled_from(SNIPPETS) | st.text(max_size=2), max_size=80
).map(" ".join)


@given(source_like)
def test_whatever_the_text_nothing_raises_and_all_lies_inside(content: str) -> None:
    source = SourceText("any.cu", content.encode("utf-8", "surrogatepass"))
    raw = source.raw
    for lexeme in source.lexemes:
        assert raw[lexeme.offset : lexeme.end] == lexeme.text
    for opening, closing in source.closing_brackets.items():
        assert opening < closing < len(source.lexemes)
    for definition in find_kernel_definitions(source):
        assert (
            0 <= definition.start <= definition.body_start < definition.end <= len(raw)
        )
        assert (
            definition.start
            <= definition.parameter_range[0]
            <= definition.parameter_range[1]
            <= definition.body_start
        )
    for launch in find_launches(source):
        assert 0 <= launch.start <= launch.configuration_start <= launch.end <= len(raw)
        assert launch.name
    for function in find_functions(source):
        assert 0 <= function.start <= function.body_start < function.end <= len(raw)
    for macro in find_macros(source):
        assert raw[macro.name_offset :].startswith(macro.name)


@given(
    source_like.filter(
        lambda content: not any(sign in content for sign in ("/*", '"', "'", "#"))
    )
)
def test_a_kernel_behind_any_balanced_text_is_still_found(content: str) -> None:
    if (
        any(
            content.count(opening) != content.count(closing)
            for opening, closing in ("()", "{}")
        )
        or "//" in content
    ):
        return
    source = SourceText(
        "any.cu", (content + "\n;}\n" + KERNEL).encode("utf-8", "surrogatepass")
    )
    assert "k" in {kernel.name for kernel in find_kernel_definitions(source)}
