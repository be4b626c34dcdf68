"""Branches that AMD's compiler never sees: known where the text tells, and never guessed."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.hip import preprocessor_branches
from crawler.port.port import port_text

ASM = 'asm("mbarrier.inval.b64 [%0];" :: "l"(x));\n'


def is_shut(condition: str, *, whole: bool = True) -> tuple[bool, bool]:
    """Return whether the branch is shut, and whether the other is."""
    text = f"{condition}\nyes;\n#else\nno;\n#endif\nopen;\n"
    parts = preprocessor_branches.find_dead_ranges(
        MaskedSource(text), is_whole_file=whole
    )
    hidden = "".join(text[start:end] for start, end in parts)
    assert "open" not in hidden
    return "yes;" in hidden, "no;" in hidden


@pytest.mark.parametrize(
    "condition",
    [
        "#if __CUDA_ARCH__ >= 800",
        "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800",
        "#if (__CUDA_ARCH__ == 890 || __CUDA_ARCH__ > 0x320) && 1",
        "#ifndef __CUDA_ARCH__",
        "#if 0",
        "# if !defined __CUDACC__ // never",
        "#if __CUDA_ARCH__ >= 900 \\\n || !1",
        "#if 0\n#define HAS 1\n#endif\n#ifdef HAS",
        "#if __CUDA_ARCH__ >= 800\n#define HAS\n#endif\n#if defined(HAS)",
        "#define LEVEL 3\n#if LEVEL > 5",
    ],
)
def test_what_does_not_hold_on_amd_is_shut(condition: str) -> None:
    assert is_shut(condition) == (True, False)


@pytest.mark.parametrize(
    "condition", ["#if __CUDA_ARCH__ >= 700", "#ifdef __CUDACC__", "#if 1 || UNKNOWN"]
)
def test_what_holds_shuts_the_other(condition: str) -> None:
    assert is_shut(condition) == (False, True)


@pytest.mark.parametrize(
    "condition",
    [
        "#ifdef UNKNOWN",
        "#if UNKNOWN >= 3",
        "#if __has_include(<x.h>)",
        "#if defined(UNKNOWN) && __CUDA_ARCH__ >= 600",
        "#if __CUDA_ARCH__ >= 600 &&",
        "#if f(3)",
        "#ifdef UNKNOWN\n#define HAS\n#endif\n#ifdef HAS",
        "#if (((((1",
        "#if __HIPCC__",
    ],
)
def test_what_the_text_does_not_tell_is_open(condition: str) -> None:
    assert is_shut(condition) == (False, False)


def test_a_unit_has_no_branch_for_hip_and_a_file_may() -> None:
    assert is_shut("#ifdef __HIP_PLATFORM_AMD__", whole=False) == (True, False)
    assert is_shut("#ifdef __HIP_PLATFORM_AMD__", whole=True) == (False, False)


@pytest.mark.parametrize(
    "condition",
    ["#ifdef ACME_HAS_MMA", "#if defined(ACME_HAS_MMA) && X", "#if ACME_LEVEL >= 3"],
)
def test_a_macro_that_a_unit_nowhere_defines_is_not_defined_in_it(
    condition: str,
) -> None:
    assert is_shut(condition, whole=False) == (True, False)
    assert is_shut(condition, whole=True) == (False, False)


@pytest.mark.parametrize(
    "condition",
    [
        "#ifdef __SOME_COMPILER__",
        "#ifdef INT_MAX",
        "#ifdef M_PI",
        "#ifdef assert",
        "#ifdef CUDART_INF_F",
        "#ifdef CUDA_VERSION",
        "#if !defined(ACME_LATER)\n#define ACME_LATER\n#endif\n#ifdef ACME_LATER",
    ],
)
def test_what_compilers_and_headers_may_define_is_open_in_a_unit(
    condition: str,
) -> None:
    assert not is_shut(condition, whole=False)[0]


def test_only_what_may_be_seen_blocks() -> None:
    text = f"#if __CUDA_ARCH__ >= 800\n{ASM}#elif __CUDA_ARCH__ >= 700\nf();\n#else\n{ASM}#endif\n"
    assert port_text(f"__device__ void k() {{\n{text}}}\n")[1].blockers == ()
    blockers = port_text(f"__device__ void k() {{\n{text}{ASM}}}\n")[1].blockers
    assert blockers == (("async_copy", 9),)


LINES = (
    "#if 0\n",
    "#if 1\n",
    "#if X\n",
    "#elif 1\n",
    "#else\n",
    "#endif\n",
    "a;\n",
    "(",
    "#",
)


@given(st.lists(st.sampled_from(LINES)))
def test_any_text_has_parts_in_order(lines: list[str]) -> None:
    text = "".join(lines)
    parts = preprocessor_branches.find_dead_ranges(MaskedSource(text))
    flat = [place for part in parts for place in part]
    assert flat == sorted(flat)
    assert not flat or flat[-1] <= len(text)


def test_hostile_conditions_cost_linear_time() -> None:
    for hostile in (
        "#if (\n",
        "#if !\n",
        "#if " + "(" * 5000 + "\n",
        "#if " + "!" * 5000 + "\n",
        "#define A A\n",
    ):
        assert (
            list(preprocessor_branches.find_dead_ranges(MaskedSource(hostile * 200)))
            == []
        )


@st.composite
def known_conditions(draw: st.DrawFn, depth: int = 3) -> tuple[str, int]:
    """A condition over numbers alone, and what it comes to."""
    kinds = ["number", "compare", "not", "and", "or", "brackets"]
    kind = draw(st.sampled_from(kinds if depth else kinds[:2]))
    if kind == "number":
        number = draw(st.integers(0, 12))
        suffix = draw(st.sampled_from(["", "u", "L", "ULL"]))
        return f"{number}{suffix}", number
    if kind == "compare":
        first, second = draw(st.integers(0, 3)), draw(st.integers(0, 3))
        sign = draw(st.sampled_from(sorted(COMPARISONS)))
        return f"({first} {sign} {second})", int(COMPARISONS[sign](first, second))

    first_text, first = draw(known_conditions(depth=depth - 1))
    if kind == "not":
        return f"!({first_text})", int(not first)
    if kind == "brackets":
        return f"( {first_text} )", first
    second_text, second = draw(known_conditions(depth=depth - 1))
    if kind == "and":
        return f"(({first_text}) && ({second_text}))", int(bool(first and second))
    return f"(({first_text}) || ({second_text}))", int(bool(first or second))


COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@given(known_conditions())
def test_a_condition_over_numbers_is_decided_as_a_compiler_does(
    condition: tuple[str, int],
) -> None:
    text, value = condition
    assert is_shut(f"#if {text}") == (not value, bool(value))


@pytest.mark.parametrize("sign", sorted(COMPARISONS))
@pytest.mark.parametrize("number", [699, 700, 701])
def test_an_architecture_is_compared_at_its_edge(sign: str, number: int) -> None:
    holds = COMPARISONS[sign](preprocessor_branches.EMULATED_CUDA_ARCH, number)
    condition = f"#if __CUDA_ARCH__ {sign} {number}"
    assert is_shut(condition) == (not holds, holds)


@pytest.mark.parametrize(
    ("definition", "is_known"),
    [
        ("#define LEVEL 3", True),
        ("#define LEVEL 3 + 0", False),
        ("#define LEVEL OTHER", False),
        ("#define LEVEL 3\n#undef LEVEL", False),
        ("#define LEVEL 3\n#define LEVEL x", False),
        ("#ifdef UNKNOWN\n#define LEVEL 3\n#endif", False),
        ("#if __CUDA_ARCH__ >= 700\n#define LEVEL 3\n#endif", True),
    ],
)
def test_a_macro_has_the_number_that_it_was_last_given(
    definition: str, is_known: bool
) -> None:
    assert is_shut(f"{definition}\n#if LEVEL < 3") == (is_known, False)


def test_a_branch_behind_one_that_may_be_taken_may_be_taken() -> None:
    text = "#ifdef UNKNOWN\na;\n#elif 1\nb;\n#elif 1\nc;\n#else\nd;\n#endif\n"
    assert list_hidden(text) == "c;d;"


def test_what_stands_inside_a_shut_branch_is_shut_whatever_it_says() -> None:
    text = "#if 0\n#if 1\na;\n#else\nb;\n#endif\nc;\n#endif\nd;\n"
    assert list_hidden(text) == "a;b;c;"


@pytest.mark.parametrize(("depth", "is_known"), [(60, True), (61, False)])
def test_brackets_are_followed_so_deep_and_no_deeper(
    depth: int, is_known: bool
) -> None:
    condition = "(" * depth + "0" + ")" * depth
    assert is_shut(f"#if {condition}") == (is_known, False)


def list_hidden(text: str) -> str:
    ranges = preprocessor_branches.find_dead_ranges(MaskedSource(text))
    hidden = "".join(text[start:end] for start, end in ranges)
    return "".join(hidden.split())
