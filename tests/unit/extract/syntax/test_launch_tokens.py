"""The parts of a launch are found among tokens, however the text is broken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.files.source_text import Lexeme, SourceText
from crawler.extract.syntax.launch_syntax import LaunchText, find_launches
from crawler.extract.syntax.launch_tokens import (
    find_call_end,
    find_callee,
    find_closing_chevrons,
    find_kernel_name,
    find_qualified_start,
    last_name,
    split_call,
    text_of_tokens,
)

LAUNCH_PIECES = ["<<<", ">>>", "(", ")", "[", "]", "<", ">", ",", ";", "k", "T", "::"]
LAUNCH_PIECES += [
    "cudaLaunchKernel",
    "cuLaunchKernelEx",
    "hipLaunchKernelGGL",
    "&",
    "1",
]


def source_of(text: str) -> SourceText:
    return SourceText("a.cu", text.encode())


def index_of(source: SourceText, text: str) -> int:
    return [lexeme.text for lexeme in source.lexemes].index(text)


def callee_of(text: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the name and the template arguments in front of the first chevrons."""
    source = source_of(text)
    name_index, arguments = find_callee(source, index_of(source, "<<<"))
    name = None if name_index is None else source.lexemes[name_index].text
    return name, arguments


def lexemes_of(text: str) -> list[Lexeme]:
    return list(source_of(text).lexemes)


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("kernel<<<1, 2>>>(x);", "kernel", ()),
        ("copy<float, 2><<<1, 2>>>(x);", "copy", ("float", "2")),
        ("lib::copy<A<int>><<<1, 2>>>(x);", "copy", ("A<int>",)),
        ("kernels[i + 1]<<<1, 2>>>(x);", "kernels", ()),
        ("table[i][j]<<<1, 2>>>(x);", "table", ()),
        ("(kernel<float>)<<<1, 2>>>(x);", "kernel", ()),
        ("(*kernels[0])<<<1, 2>>>(x);", "kernels", ()),
        ("(static_cast<void (*)(int)>(kernel))<<<1, 2>>>(x);", "kernel", ()),
    ],
)
def test_what_stands_before_the_chevrons_is_launched(
    text: str, name: str, arguments: tuple[str, ...]
) -> None:
    assert callee_of(f"void f() {{ {text} }}") == (name, arguments)


@pytest.mark.parametrize(
    "text", ["f() <<<1, 2>>>(x);", "]<<<1>>>", ")<<<1>>>", "1 <<<1>>>", "+ > <<<1>>>"]
)
def test_what_is_no_name_launches_nothing(text: str) -> None:
    name, arguments = callee_of(text)
    assert name in (None, "f")
    assert arguments == ()
    if name is None:
        assert find_launches(source_of(text)) == ()


@pytest.mark.parametrize(
    ("text", "closing"),
    [
        ("<<<1, 2>>>", 4),
        ("<<<f(a >>> b), 2>>>", 9),
        ("<<<1; 2>>>", -1),
        ("<<<1)>>>", -1),
        ("<<<1, 2", -1),
    ],
)
def test_chevrons_end_at_their_own_depth(text: str, closing: int) -> None:
    assert find_closing_chevrons(lexemes_of(text), 0) == closing


def test_chevrons_are_not_looked_for_without_end() -> None:
    filler = "1 + " * 1_001
    assert find_closing_chevrons(lexemes_of(f"<<<{filler}1>>>"), 0) == -1


@pytest.mark.parametrize(
    ("text", "end"), [("f(a, b)", 5), ("f(a, b", -1), ("f[1]", -1), ("f", -1)]
)
def test_a_call_ends_with_its_parenthesis(text: str, end: int) -> None:
    assert find_call_end(source_of(text), 1) == end


def test_a_call_of_too_many_tokens_is_none() -> None:
    arguments = ", ".join("x" for _ in range(1_001))
    source = source_of(f"f({arguments})")
    assert find_call_end(source, 1) == -1
    assert split_call(source, 0) == ([], -1)


def test_arguments_of_a_call_keep_their_commas_in_angles() -> None:
    source = source_of("run(copy<float, 2>, (a, b), c)")
    parts, closing = split_call(source, 0)
    texts = [text_of_tokens(source, part) for part in parts]
    assert texts == ["copy<float, 2>", "(a, b)", "c"]
    assert source.lexemes[closing].end == len(source.raw)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("kernel", "kernel"),
        ("(void*)kernel", "kernel"),
        ("(const void *)lib::kernel<float>", "kernel"),
        ("reinterpret_cast<const void*>(&kernel)", "kernel"),
        ("HIP_KERNEL_NAME(kernel<int, 2>)", "kernel"),
        ("static_cast<Signature *>(kernel)", "kernel"),
        ("(void *)", None),
        ("0", None),
        ("", None),
    ],
)
def test_a_kernels_name_is_found_in_its_casts(text: str, name: str | None) -> None:
    lexeme = find_kernel_name(lexemes_of(text))
    assert (lexeme.text if lexeme else None) == name


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("lib::detail::kernel", "lib::detail::kernel"),
        ("op.kernel", "op.kernel"),
        ("self->op.kernel", "self->op.kernel"),
        ("return kernel", "kernel"),
        (")::kernel", "kernel"),
        ("::kernel", "kernel"),
    ],
)
def test_a_name_begins_with_what_qualifies_it(text: str, start: str) -> None:
    source = source_of(text)
    lexemes = source.lexemes
    first = find_qualified_start(lexemes, len(lexemes) - 1)
    assert text[lexemes[first].offset :] == start


def test_the_last_name_of_an_argument() -> None:
    assert last_name(lexemes_of("&args[0]")) == "args"
    assert last_name(lexemes_of("(void **)args.data()")) == "data"
    assert last_name(lexemes_of("1 + 2")) == ""
    assert text_of_tokens(source_of("x"), []) == ""


def test_a_launch_without_a_list_behind_it_has_no_arguments() -> None:
    (launch,) = find_launches(source_of("void f() { kernel<<<1, 2>>> ARGUMENTS; }"))
    assert launch.arguments == ()
    assert (launch.grid, launch.block, launch.stream) == ("1", "2", "0")


def test_a_fifth_part_of_a_configuration_is_not_read() -> None:
    (launch,) = find_launches(source_of("void f() { kernel<<<1, 2, 3, 4, 5>>>(x); }"))
    assert (launch.shared_bytes, launch.stream) == ("3", "4")


@pytest.mark.parametrize(
    "call",
    [
        "cudaLaunchKernel(k, g, b, args)",
        "hipLaunchKernelGGL(k, g, b)",
        "hipLaunchKernelGGL((void*)0, g, b, 0, 0, x)",
        "cudaLaunchKernelEx(&config)",
        "cudaLaunchKernelEx(, k, x)",
        "cudaLaunchKernelEx(&config, 0)",
        "cudaLaunchKernelEx",
    ],
)
def test_a_call_that_lacks_a_part_is_no_launch(call: str) -> None:
    assert find_launches(source_of(f"void f() {{ {call}; }}")) == ()


def test_empty_arguments_of_a_structure_call_are_left_out() -> None:
    (launch,) = find_launches(
        source_of("void f() { cudaLaunchKernelEx(config, k, , x); }")
    )
    assert (launch.config_variable, launch.arguments) == ("config", ("x",))


def is_inside(launch: LaunchText, text: str) -> bool:
    return 0 <= launch.start <= launch.configuration_start < launch.end <= len(text)


@given(st.lists(st.sampled_from(LAUNCH_PIECES), max_size=40).map(" ".join))
def test_launches_of_any_text_stand_in_it(text: str) -> None:
    for launch in find_launches(source_of(text)):
        assert is_inside(launch, text)
        assert launch.name in text
