"""What every port rule must hold to; a new one is found and tested by itself."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crawler.cpp.edits import apply_edits
from crawler.cpp.lexer import TokenKind, tokenize
from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.interface import PortRule, RuleEdit
from crawler.port.rewrite import FIRST_DIALECT_ORDER, apply_rules, list_port_rules
from tests.contract.preprocessed_tokens import read_preprocessed_tokens

RULES = list_port_rules()
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
each_layout_rule = pytest.mark.parametrize(
    "rule",
    [rule for rule in RULES if rule.order < FIRST_DIALECT_ORDER],
    ids=lambda rule: rule.name,
)

MINIMUM = "template <class T> __device__ T min(T a, T b)\n{ return a; }\n"
COMPOUND = "__device__ void operator+=(int2& a, int2 b) { a.x += b.x;\n a.y += b.y; }\n"
CONDITIONAL_ASM = (
    'asm volatile("add.u32 %0, %0, 1;"\n#if A\n"trap;"\n#else\n"exit;"\n#endif\n'
    ' : "+r"(x));\n'
)
UNEVEN_ASM = (
    'asm("mov.u32 %0, 1;" // one\n#ifdef A\n"trap;"\n#elif B\n"exit;"\n#endif\n"trap;"\n'
    '#ifdef A\n"exit;"\n#elif B\n#endif\n\n\n\n\n : "=r"(x));\n'
)
STATEMENTS = {
    "split_conditional_assembly": CONDITIONAL_ASM,
    "duplicate_definitions": MINIMUM + COMPOUND,
    # after names are renamed
    "device_guards": "#ifdef KERNELSET_CUDA_ARCH\nint on_device;\n#endif\n",
    "translate_ptx": 'asm("mov.u32 %0,\\n"\n "%%laneid;" : "=r"(x));\n',
    "brace_assignment": "void f(half2 h, half2* p) { h = {\n}; p[1] = {}; }\n",
    "rename_headers": "#include <curand.h>\n#include <cub/cub.cuh>\n",
    "rename_names": "cudaFree(x); cub::Sum s;\n",
    **{rule.name: rule.example for rule in RULES if hasattr(rule, "example")},
}
"""For each rule a text that it changes, closed in itself."""

FRAGMENTS = (
    *STATEMENTS.values(),
    *("asm(", 'asm("exit;")', '"add.u32 %0, %1, %2;"', ': "=r"(x)', ' : "r"(y) ', "()"),
    *('asm("mov.b32 %0, {%1, %2};" : "=r"(x) : "h"(a), "h"(b));', '"=x"(x)', '"setp;"'),
    *("#if A\n", "#elif B\n", "#else\n", "#endif\n", "#define M asm\n", "# /**/"),
    *("__device__ ", "template <typename T>", "T ", "min(T a, T b)", "operator+=("),
    *("atomicMax(float* a, float b)", "half2 ", "x = {};", "(*p)", "[i]", "->", "."),
    *("#include <cuda_fp16.h>\n", "#include <hip/hip_runtime.h>\n", "__half_raw"),
    *("float4 ", "v", "{1}", "{0}", ", "),
    *("cudaMalloc", "cub::", "namespace ", "=", "{", "}", "(", ")", ";", "\\\n", "\n"),
    *('"cudaFree"', "'x'", "// cudaFree\n", "/* cub::\n */", 'R"(cudaFree)"', "1.f"),
    *("__HIPCC__", "__CUDA_ARCH__", "CUDA_VERSION", "#error cudaFree isn't\n"),
)
sources = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=25).map(
    "".join
)
LITERALS_AND_COMMENTS = frozenset(
    {TokenKind.STRING, TokenKind.CHARACTER, TokenKind.COMMENT, TokenKind.MESSAGE}
)


def find_sorted_edits(rule: PortRule, text: str, is_whole_file: bool) -> list[RuleEdit]:
    return sorted(rule.find_edits(MaskedSource(text), is_whole_file=is_whole_file))


def apply_rule(rule: PortRule, text: str) -> str:
    return apply_rules(MaskedSource(text), [rule], is_whole_file=True).text


def test_rules_are_found_in_order() -> None:
    assert [rule.order for rule in RULES] == sorted(rule.order for rule in RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert {rule.name for rule in RULES} >= STATEMENTS.keys()


@each_rule
def test_a_rule_changes_what_it_is_for(rule: PortRule) -> None:
    if rule.name not in STATEMENTS:
        pytest.skip("a plugin from elsewhere: it has no `example`")
    text = STATEMENTS[rule.name]
    edits = find_sorted_edits(rule, text, is_whole_file=False)
    # some rules are for units alone, and leave whole files as they are
    assert any(edit.replacement != text[edit.start : edit.end] for edit in edits)


@each_rule
@given(text=sources, is_whole_file=st.booleans())
def test_edits_are_in_bounds_and_do_not_overlap(
    rule: PortRule, text: str, is_whole_file: bool
) -> None:
    edits = find_sorted_edits(rule, text, is_whole_file)
    for edit in edits:
        assert 0 <= edit.start < edit.end <= len(text)
        assert edit.rule
        assert edit.replacement != text[edit.start : edit.end]
    for earlier, later in pairwise(edits):
        assert earlier.end <= later.start


@each_rule
@given(text=sources, is_whole_file=st.booleans())
def test_literals_and_comments_stay_or_go_as_a_whole(
    rule: PortRule, text: str, is_whole_file: bool
) -> None:
    edits = find_sorted_edits(rule, text, is_whole_file)
    offset = 0
    for token in tokenize(text):
        start, end = offset, offset + len(token.text)
        offset = end
        if token.kind not in LITERALS_AND_COMMENTS:
            continue
        for edit in edits:
            is_apart = edit.end <= start or end <= edit.start
            is_replaced = edit.start <= start and end <= edit.end
            assert is_apart or is_replaced, (token, edit)


@each_rule
@given(text=sources)
def test_a_rule_finds_nothing_in_what_it_has_written(rule: PortRule, text: str) -> None:
    once = apply_rule(rule, text)
    assert apply_rule(rule, once) == once


@each_rule
@given(text=sources, is_whole_file=st.booleans())
def test_lines_are_kept_where_the_rule_says_so(
    rule: PortRule, text: str, is_whole_file: bool
) -> None:
    if not rule.keeps_lines:
        return
    for edit in find_sorted_edits(rule, text, is_whole_file):
        line_ends = text.count("\n", edit.start, edit.end)
        assert edit.replacement.count("\n") == line_ends


@each_rule
@given(text=sources, is_whole_file=st.booleans())
def test_a_report_has_each_edit_with_its_line(
    rule: PortRule, text: str, is_whole_file: bool
) -> None:
    edits = find_sorted_edits(rule, text, is_whole_file)
    result = apply_rules(MaskedSource(text), [rule], is_whole_file=is_whole_file)
    expected = [
        (edit.rule, text.count("\n", 0, edit.start) + 1, edit.before, edit.after)
        for edit in edits
    ]
    changes = [
        (change.rule, change.line, change.before, change.after)
        for change in result.changes
    ]
    assert changes == expected
    replacements = [(edit.start, edit.end, edit.replacement) for edit in edits]
    assert result.text == apply_edits(text, replacements)


@each_layout_rule
def test_an_early_rule_leaves_its_own_text_to_a_compiler_as_it_was(
    rule: PortRule,
) -> None:
    text = STATEMENTS.get(rule.name, "") + UNEVEN_ASM
    tokens = read_preprocessed_tokens(text)
    assert tokens is not None, "what a compiler refuses shows nothing"
    assert read_preprocessed_tokens(apply_rule(rule, text)) == tokens


@each_layout_rule
@example(before="\\", after="")
@example(before="\\ \t", after="")
@given(before=sources, after=sources)
@settings(max_examples=15)
def test_an_early_rule_only_lays_cuda_out_anew(
    rule: PortRule, before: str, after: str
) -> None:
    text = before + STATEMENTS.get(rule.name, "") + after
    laid_out = apply_rule(rule, text)
    # nothing to compare where it was left as it is, or where no compiler takes it
    tokens = read_preprocessed_tokens(text) if laid_out != text else None
    if tokens is not None:
        assert read_preprocessed_tokens(laid_out) == tokens


@given(st.lists(st.sampled_from([*STATEMENTS.values(), "int x;\n", "\n"]), max_size=12))
def test_all_rules_together_count_lines_in_the_text_as_it_was(
    statements: list[str],
) -> None:
    text = "".join(statements)
    result = apply_rules(MaskedSource(text), RULES, is_whole_file=True)
    lines_of_calls = [
        number for number, line in enumerate(text.split("\n"), 1) if "cudaFree" in line
    ]
    assert [
        change.line for change in result.changes if change.before == "cudaFree"
    ] == lines_of_calls


def test_of_two_edits_at_one_place_the_outer_is_made_first() -> None:
    text = 'half2 h; int f() { asm("mov.b32 %0, %1;" : "=r"(x) : "r"(g([&] { h = {}; }))); }'
    result = apply_rules(MaskedSource(text), RULES, is_whole_file=True)
    assert [change.rule for change in result.changes] == ["ptx", "empty"]
    assert result.text.startswith("half2 h; int f() { ({ unsigned ks_0; ")
    assert result.text.endswith("; }); }")
    assert result.text.count("h = std::remove_reference_t<decltype(h)>{};") == 1


@given(text=sources, is_whole_file=st.booleans())
@example(text="asm();", is_whole_file=True)
@example(text='asm("mov.b32 %0, 1;" : "=r"(x) : "m"(y));', is_whole_file=True)
@example(text='asm("setp %0, %1;" :: "r"(x), "r"(y));', is_whole_file=False)
@example(text='#define X \u00b2\nasm("exit;");', is_whole_file=True)
def test_all_rules_together_take_any_text(text: str, is_whole_file: bool) -> None:
    result = apply_rules(MaskedSource(text), RULES, is_whole_file=is_whole_file)
    if result.changes:
        assert result.text != text
    else:
        assert result.text == text
