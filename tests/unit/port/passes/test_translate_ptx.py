"""Inline assembly in a text: which statements are edited, and how the report names them."""

from __future__ import annotations

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.interface import RuleEdit
from crawler.port.passes.translate_ptx import PLUGIN

MMA = 'asm("mma.sync.aligned.m8n8k4 {%0}, {%1};" : "=f"(d) : "r"(a));'
LANE = 'asm("mov.u32 %0, %%laneid;" : "=r"(lane));'


def find_edits(text: str) -> list[RuleEdit]:
    return list(PLUGIN.find_edits(MaskedSource(text), is_whole_file=True))


def test_a_statement_is_edited_without_its_semicolon() -> None:
    text = f"int a; {LANE} int b;"
    (edit,) = find_edits(text)
    assert text[edit.start : edit.end] == LANE.removesuffix(";")
    assert (edit.before, edit.after) == ("mov.u32 %0, %laneid;", edit.replacement)
    assert edit.replacement == "(lane) = ::kernelset::ptx::lane_id()"


def test_a_statement_without_a_rule_stays_beside_one_with() -> None:
    (edit,) = find_edits(f"{MMA}\n{LANE}\n")
    assert "lane_id" in edit.replacement


def test_a_statement_without_a_rule_stays_inside_one_with() -> None:
    outer = (
        f'asm("mov.u32 %0, %1;" : "=r"(x) : "r"([&] {{ {MMA} {LANE} return 1; }}()));'
    )
    (edit,) = find_edits(outer)
    assert MMA in edit.replacement
    assert LANE not in edit.replacement


def test_comments_and_strings_hold_no_statement() -> None:
    assert find_edits(f'// {LANE}\nauto text = R"({LANE})";\n') == []
