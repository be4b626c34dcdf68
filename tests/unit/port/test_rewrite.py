"""Passes over a text: what each reads, and the lines that a report counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.interface import RuleEdit
from crawler.port.rewrite import (
    FIRST_DIALECT_ORDER,
    apply_rules,
    list_port_rules,
    prepare_cuda,
    rewrite_to_hip,
)


@dataclass
class Substitute:
    """A rule that replaces whatever a pattern matches."""

    pattern: str
    replacement: str
    order: int
    keeps_lines: bool = True
    name: str = "substitute"

    def find_edits(
        self, source: MaskedSource, *, is_whole_file: bool
    ) -> Iterator[RuleEdit]:
        for match in re.finditer(self.pattern, source.code):
            yield RuleEdit(
                start=match.start(),
                end=match.end(),
                replacement=self.replacement,
                rule=self.name,
                before=match[0],
                after=self.replacement,
            )


def test_a_later_order_reads_what_an_earlier_one_has_written() -> None:
    rules = [Substitute("a", "b", order=1), Substitute("b", "c", order=2)]
    result = apply_rules(MaskedSource("a b"), rules, is_whole_file=True)
    assert result.text == "c c"
    assert result.names >= {"a", "b", "c"}


def test_rules_of_one_order_read_the_same_text() -> None:
    rules = [Substitute("a", "b", order=1), Substitute("b", "c", order=1)]
    result = apply_rules(MaskedSource("a b"), rules, is_whole_file=True)
    assert result.text == "b c"


def test_lines_are_those_of_the_text_before_lines_were_joined() -> None:
    rules = [
        Substitute(r"\(\n\n\)", "()", order=1, keeps_lines=False),
        Substitute("x", "y", order=2),
        Substitute("y", "z", order=3),
    ]
    result = apply_rules(MaskedSource("x(\n\n)x\nx"), rules, is_whole_file=True)
    assert result.text == "z()z\nz"
    places = [(change.line, change.after) for change in result.changes]
    assert places == [
        (1, "()"),
        (1, "y"),
        (1, "z"),
        (3, "y"),
        (3, "z"),
        (4, "y"),
        (4, "z"),
    ]


def test_what_begins_inside_another_edit_and_is_gone_with_it_is_not_made() -> None:
    rules = [Substitute("abc", "_", order=1), Substitute("b", "B", order=1)]
    result = apply_rules(MaskedSource("abc b"), rules, is_whole_file=True)
    assert result.text == "_ B"
    assert [change.before for change in result.changes] == ["abc", "b"]


def test_what_an_edit_carries_along_is_edited_behind_it() -> None:
    rules = [Substitute(r"a\(b\)", "c(b)", order=1), Substitute("b", "B", order=1)]
    result = apply_rules(MaskedSource("\na(b)"), rules, is_whole_file=True)
    assert result.text == "\nc(B)"
    assert [(change.line, change.after) for change in result.changes] == [
        (2, "c(b)"),
        (2, "B"),
    ]


def test_rules_that_never_agree_come_to_an_end() -> None:
    rules = [Substitute("ab", "abab", order=1), Substitute("b", "b", order=1)]
    result = apply_rules(MaskedSource("ab"), rules, is_whole_file=True)
    assert len(result.text) <= 1024


def test_a_text_that_no_rule_changes_is_the_same_object() -> None:
    text = "int main() { return 0; }"
    result = apply_rules(MaskedSource(text), list_port_rules(), is_whole_file=True)
    assert result.text is text
    assert result.changes == ()


def test_the_rules_are_split_where_findings_are_read() -> None:
    text = 'asm("exit;"\n#if A\n"trap;"\n#endif\n\n\n\n);\ncudaFree(p);\n'
    prepared = prepare_cuda(MaskedSource(text))
    assert "cudaFree" in prepared.text
    assert {change.rule for change in prepared.changes} == {"ptx"}
    rewritten = rewrite_to_hip(MaskedSource(prepared.text))
    assert "hipFree" in rewritten.text
    orders = [rule.order for rule in list_port_rules()]
    assert min(orders) < FIRST_DIALECT_ORDER <= max(orders)
