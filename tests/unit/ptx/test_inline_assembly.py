"""Statements of inline assembly: where they stand, and what they are made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.ptx.inline_assembly import (
    InlineAssembly,
    Operand,
    find_assembly_spans,
    find_assembly_statements,
)


def parse_one(text: str) -> InlineAssembly:
    (assembly,) = find_assembly_statements(MaskedSource(text))
    return assembly


@pytest.mark.parametrize(
    "keywords",
    ["asm", "__asm__", "asm volatile", "__asm__ __volatile__", "asm\nvolatile "],
)
def test_a_statement_has_its_template_and_operands(keywords: str) -> None:
    text = f'{keywords}("add.u32 %0, %1, 7;" : "=r"(sum[i]) : "r"(f(a, b)) : "memory");'
    assembly = parse_one(text)
    assert assembly.template == "add.u32 %0, %1, 7;"
    assert assembly.operands == (Operand("=r", "sum[i]"), Operand("r", "f(a, b)"))
    assert assembly.outputs == 1
    assert assembly.is_template_known
    assert text[assembly.start : assembly.end] == text.removesuffix(";")


@pytest.mark.parametrize(
    ("strings", "template"),
    [
        ('"mov.u32 %0, %%laneid;\\n\\t"', "mov.u32 %0, %laneid;"),
        ('"{ add.u32 %0," " %1,\\n %2 ; }"', "add.u32 %0, %1, %2;"),
        ('"exit"', "exit;"),
        ('"trap; // of PTX\\n exit;"', "trap; exit;"),
        ('"trap; /* of PTX */ exit;"', "trap; exit;"),
        ("", ";"),
    ],
)
def test_a_template_is_what_the_assembler_sees(strings: str, template: str) -> None:
    assert parse_one(f"asm({strings});").template == template


def test_named_operands_become_numbers() -> None:
    text = 'asm("add.u32 %[to], %[from], %[from];" : [to] "=r"(x) : [from] "r"(y));'
    assert parse_one(text).template == "add.u32 %0, %1, %1;"


def test_a_macro_that_stands_for_one_text_is_read() -> None:
    use = 'void f() { asm(OPCODE " %0;" : "=r"(x)); }'
    assembly = parse_one(f'#define OPCODE "activemask.b32"\n{use}')
    assert (assembly.template, assembly.is_template_known) == (
        "activemask.b32 %0;",
        True,
    )
    assert not parse_one(use).is_template_known
    either = '#define OPCODE "trap"\n#define OPCODE "exit"\n'
    assert not parse_one(either + use).is_template_known


@pytest.mark.parametrize(
    "text",
    [
        "// asm(x)\n",
        '"asm(x)"',
        "my_asm(x)",
        "asm",
        'asm("exit;"',
        "asm + (1)",
        "asm_(x)",
    ],
)
def test_what_is_none_or_never_ends_is_left_out(text: str) -> None:
    assert find_assembly_statements(MaskedSource(text)) == ()


def test_a_statement_inside_another_belongs_to_it() -> None:
    text = 'asm("exit;" :: "r"([] { asm("trap;"); return 1; }())); asm("trap;");'
    spans = list(find_assembly_spans(MaskedSource(text)))
    assert len(spans) == 2
    assert text[slice(*spans[1])] == 'asm("trap;")'


PIECES = (
    "asm",
    "(",
    ")",
    '"mov %0"',
    ":",
    '"=r"',
    "x",
    ",",
    "\n#if A\n",
    "[n]",
    '"',
    "::",
)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_statements_of_any_text_are_in_order_and_in_bounds(text: str) -> None:
    end = 0
    for assembly in find_assembly_statements(MaskedSource(text)):
        assert end <= assembly.start < assembly.end <= len(text)
        assert text[assembly.start : assembly.end].endswith(")")
        assert assembly.template.endswith(";")
        assert assembly.outputs <= len(assembly.operands)
        end = assembly.end
