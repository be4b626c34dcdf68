"""Of a flat unit that stays which words lead to from a kernel, and compiles."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from crawler.extract.closure.emit_unit import render_unit_source
from crawler.extract.ladder.unit_check import list_errors, parse_unit_text
from crawler.model import Dialect
from tests.unit.extract.ladder.conftest import ParseProject, join_text

pytestmark = pytest.mark.apt("clang-19")


@pytest.fixture
def reduce_text(parse_project: ParseProject) -> Callable[..., str]:
    """Return what is left of a text for its kernel `k`, which must compile."""

    def reduce(text: str, *flags: str) -> str:
        closure = parse_project(text, *flags).reduce_to("k")
        source = render_unit_source(closure, ())
        unit = parse_unit_text(source, Dialect.CUDA, "c++17", closure.includes[0])
        assert unit is not None
        assert list_errors(unit) == []
        return join_text(closure)

    return reduce


def test_what_a_kernel_names_stays_and_the_rest_goes(
    reduce_text: Callable[..., str],
) -> None:
    reduced_text = reduce_text(
        "struct Used { int n; };\n"
        "struct Unused { int n; };\n"
        "__device__ int pick(Used u) { return u.n; }\n"
        "__device__ int drop(Unused u) { return u.n; }\n"
        "__global__ void k(Used u, int *x) { x[0] = pick(u); }\n"
        "__global__ void other(Unused u, int *x) { x[0] = drop(u); }\n"
    )

    assert "Used" in reduced_text
    assert "pick" in reduced_text
    assert "Unused" not in reduced_text
    assert "other" not in reduced_text


def test_an_operator_stays_for_its_types(reduce_text: Callable[..., str]) -> None:
    reduced_text = reduce_text(
        "struct A { int n; };\nstruct B { int n; };\n"
        "__device__ A operator+(A l, A r) { return {l.n + r.n}; }\n"
        "__device__ B operator+(B l, B r) { return {l.n + r.n}; }\n"
        "__global__ void k(A *x) { x[0] = x[0] + x[1]; }\n"
    )

    assert "A operator+" in reduced_text
    assert "B operator+" not in reduced_text


def test_a_namespace_that_is_used_without_its_name_stays(
    reduce_text: Callable[..., str],
) -> None:
    reduced_text = reduce_text(
        "namespace deep { struct Tile { int n; }; }\n"
        "using namespace deep;\n"
        "__global__ void k(int *x) { Tile t{2}; x[0] = t.n; }\n"
    )

    assert "using namespace deep;" in reduced_text


def test_all_specialisations_of_a_template_stay(
    reduce_text: Callable[..., str],
) -> None:
    reduced_text = reduce_text(
        "template <class T> struct Name;\n"
        "template <> struct Name<int> { static constexpr int value = 1; };\n"
        "template <> struct Name<float> { static constexpr int value = 2; };\n"
        "__global__ void k(int *x) { x[0] = Name<float>::value; }\n"
    )

    assert "Name<float>" in reduced_text


def test_an_attribute_that_a_macro_writes_goes_with_its_function(
    reduce_text: Callable[..., str],
) -> None:
    reduced_text = reduce_text(
        "#define NORETURN [[noreturn]]\n"
        "NORETURN\nvoid give_up(const char *why);\n"
        "__global__ void k(int *x) { x[0] = 1; }\n"
    )

    assert "NORETURN" not in reduced_text


def test_a_table_that_macros_begin_and_end_stays_whole(
    reduce_text: Callable[..., str],
) -> None:
    reduced_text = reduce_text(
        "#define BEGIN(type, name, size) static const __device__ type name[size] = {\n"
        "#define END() };\n"
        "BEGIN(int, signs, 3)\n 1, -1, 1\nEND()\n"
        "__global__ void k(int *x) { x[0] = signs[1]; }\n"
    )

    assert "END()" in reduced_text


def test_a_macro_that_instantiates_host_code_goes(
    reduce_text: Callable[..., str],
) -> None:
    reduced_text = reduce_text(
        "template <class T> void launch(T *x);\n"
        "#define INSTANTIATE(type) template void launch<type>(type *);\n"
        "template <class T> void launch(T *x) { }\n"
        "INSTANTIATE(int)\n"
        "INSTANTIATE(float);\n"
        "__global__ void k(int *x) { x[0] = 1; }\n"
    )

    assert reduced_text.split() == [
        "__global__",
        "void",
        "k(int",
        "*x)",
        "{",
        "x[0]",
        "=",
        "1;",
        "}",
    ]


def test_a_macro_that_opens_a_namespace_stays(reduce_text: Callable[..., str]) -> None:
    reduced_text = reduce_text(
        "#define OPEN_PROJECT namespace project {\n"
        "#define CLOSE_PROJECT }\n"
        "OPEN_PROJECT\n__device__ int two() { return 2; }\nCLOSE_PROJECT\n"
        "__global__ void k(int *x) { x[0] = project::two(); }\n"
    )

    assert "OPEN_PROJECT" in reduced_text
    assert "CLOSE_PROJECT" in reduced_text


def test_macros_stay_that_a_remaining_condition_names(
    reduce_text: Callable[..., str],
) -> None:
    reduced_text = reduce_text(
        "#define WIDE 1\n#define UNUSED 1\n"
        "#if WIDE\ntypedef long number;\n#else\ntypedef int number;\n#endif\n"
        "__global__ void k(number *x) { x[0] = 1; }\n"
    )

    assert "#define WIDE 1" in reduced_text
    assert "UNUSED" not in reduced_text


def test_conditionals_and_guards_that_hold_nothing_go(
    reduce_text: Callable[..., str],
) -> None:
    reduced_text = reduce_text(
        "#ifndef GUARD_H\n#define GUARD_H\n"
        "#ifdef WITH_HOST\nvoid host();\n#else\nvoid other_host();\n#endif\n"
        "namespace empty { void only_host(); }\n"
        "__global__ void k(int *x) { x[0] = 1; }\n"
        "#endif\n"
    )

    assert reduced_text.split() == [
        "__global__",
        "void",
        "k(int",
        "*x)",
        "{",
        "x[0]",
        "=",
        "1;",
        "}",
    ]


def test_what_begins_in_one_branch_and_ends_in_another_stays_with_its_needs(
    reduce_text: Callable[..., str],
) -> None:
    reduced_text = reduce_text(
        "struct Handle { int n; };\n"
        "#ifdef LONG_NAME\nint count(Handle handle,\n#else\nint count(Handle h,\n#endif\n"
        "          int n);\n"
        "__global__ void k(int *x) { x[0] = 1; }\n"
    )

    assert "__global__ void k" in reduced_text


def test_a_macro_of_the_command_line_stands_first(
    reduce_text: Callable[..., str],
) -> None:
    reduced_text = reduce_text(
        "__global__ void k(int *x) { x[0] = SIZE; }\n", "-DSIZE=5"
    )

    assert reduced_text.startswith("#define SIZE 5")


def test_comments_within_declarations_stay_and_others_go(
    reduce_text: Callable[..., str],
) -> None:
    reduced_text = reduce_text(
        "// of the file\n"
        "__global__ void k(int *x) {\n  // of the body\n  x[0] = 1;\n}\n/* behind */\n"
    )

    assert "// of the body" in reduced_text
    assert "of the file" not in reduced_text
    assert "behind" not in reduced_text


def test_a_comment_that_begins_on_a_kept_directive_ends(
    reduce_text: Callable[..., str],
) -> None:
    reduced_text = reduce_text(
        "#ifndef OLD /* define this\n   to leave the old names out */\n"
        "#define OLD_NAME NEW_NAME\n#endif\n"
        "#if WIDE /* see\n below */\n__device__ int width() { return 64; }\n"
        "#else\n__device__ int width() { return 32; }\n#endif\n"
        "__global__ void k(int *x) { x[0] = width(); }\n"
    )
    assert "return 32" in reduced_text
    assert "OLD_NAME" not in reduced_text


def test_what_a_guard_keeps_out_the_second_time_goes(
    reduce_text: Callable[..., str],
) -> None:
    header = (
        "#ifndef GUARD_H\n#define GUARD_H\n"
        "struct Used { int n; };\nstruct Unused { int n; };\n#endif\n"
    )
    kernel = "__global__ void k(Used u, int *x) { x[0] = u.n; }\n"
    reduced_text = reduce_text(header + header + kernel)
    assert reduced_text.count("struct Used") == 1
    assert "{ int n; }" not in reduced_text.replace("struct Used { int n; }", "")


def test_a_name_that_is_pasted_stays(reduce_text: Callable[..., str]) -> None:
    reduced_text = reduce_text(
        "#define TYPE_MSG 48\n#define TYPE_OUT 63\n#define OTHER 7\n"
        "#define FIELD(T) (TYPE_##T << 8)\n"
        "__global__ void k(int *x) { x[0] = FIELD(MSG); }\n"
    )
    assert "TYPE_MSG" in reduced_text
    assert "OTHER" not in reduced_text


def test_comments_within_a_directive_or_a_head_change_nothing(
    reduce_text: Callable[..., str],
) -> None:
    reduced_text = reduce_text(
        "#define OLD 1\n"
        "#/* of the file */pragma /* no words */ GCC diagnostic push\n"
        "# /* unused */ undef OLD\n"
        "template // of any type\n<typename T> __device__ T pick(T x) { return x; }\n"
        "__global__ void k(int *x) { x[0] = pick(1); }\n"
    )
    assert "pragma" not in reduced_text
    assert "OLD" not in reduced_text
    assert "T pick(T x)" in reduced_text


def test_blocks_of_a_branch_that_the_compiler_left_out_go_whole(
    reduce_text: Callable[..., str],
) -> None:
    # another compiler takes the other branch, in a port to HIP
    reduced_text = reduce_text(
        "template <class T> struct Cast;\n"
        "#define WRAP(...) __VA_ARGS__\n"
        "#define CAST(T, BODY) template <> struct Cast<T> { __device__ T to(T x) BODY };\n"
        "#if defined(__CUDACC__)\n"
        "CAST(int, WRAP({ int y = x; if (y) { ++y; } return y; }))\n"
        "#else\n"
        "CAST(int, WRAP({ int y; y = other(x); if (y) { --y; } return y; }))\n"
        "int unknown() { return 1; }\n"
        "#endif\n"
        "__global__ void k(int *x) { x[0] = Cast<int>().to(x[1]); }\n"
    )

    other_branch = reduced_text.partition("#else")[2].partition("#endif")[0]
    assert "++y" in reduced_text
    assert other_branch.strip() == ""
