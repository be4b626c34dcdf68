"""Apply the port rules to a source text and record the changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Final

from crawler.cpp.edits import OriginalOffsets, apply_edits
from crawler.cpp.masked.masked_source import MaskedSource
from crawler.model import Change
from crawler.plugins import load_plugins
from crawler.port.interface import PortRule, RuleEdit

FIRST_DIALECT_ORDER: Final = 20
"""Rules of a lower order only lay CUDA out anew: findings are read from what they leave."""
_MAX_REPEATS: Final = 4
"""Times that a pass is made again for what began inside its own edits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteResult:
    """A text after some rules, and what was changed."""

    text: str
    changes: tuple[Change, ...]
    """Sorted by line; on one line by the rules' order, then by position."""
    names: frozenset[str]
    """Every name that some rule has read or written."""


def list_port_rules() -> tuple[PortRule, ...]:
    """Return all port rules in the order that they apply in."""
    return load_plugins("crawler.port.passes", PortRule)


def prepare_cuda(source: MaskedSource, *, is_whole_file: bool = True) -> RewriteResult:
    """Return a CUDA text laid out so that each construct can be ported by itself."""
    rules = [rule for rule in list_port_rules() if rule.order < FIRST_DIALECT_ORDER]
    return apply_rules(source, rules, is_whole_file=is_whole_file)


def rewrite_to_hip(
    source: MaskedSource, *, is_whole_file: bool = True
) -> RewriteResult:
    """Return a text in HIP; for a whole file, doing it again changes nothing.

    A text that is not `is_whole_file` was cut out of what CUDA's compiler sees: its branches
    for HIP stay shut.
    """
    rules = [rule for rule in list_port_rules() if rule.order >= FIRST_DIALECT_ORDER]
    return apply_rules(source, rules, is_whole_file=is_whole_file)


def apply_rules(
    source: MaskedSource, rules: Iterable[PortRule], *, is_whole_file: bool
) -> RewriteResult:
    """Apply rules, sorted by their `order`, one pass for each order."""
    rewrite = _Rewrite(source)
    for _, rules_of_order in groupby(rules, key=attrgetter("order")):
        rewrite.run_pass(list(rules_of_order), is_whole_file=is_whole_file)

    return rewrite.result()


class _Rewrite:
    """A text on its way through the passes; it is lexed again only after edits."""

    def __init__(self, source: MaskedSource) -> None:
        self._source = source
        self._text = source.text
        self._changes: list[Change] = []
        self._names: set[str] = set()
        # Lines are counted in this text, to which offsets are mapped back by the moves.
        self._numbered_source = source
        self._moves: list[OriginalOffsets] = []

    def run_pass(self, rules: Sequence[PortRule], *, is_whole_file: bool) -> None:
        for _ in range(1 + _MAX_REPEATS):
            if not self._run_once(rules, is_whole_file=is_whole_file):
                return

    def _run_once(self, rules: Sequence[PortRule], *, is_whole_file: bool) -> bool:
        """Make the edits of the rules; return whether any was left for another time."""
        source = self._lex()
        # A name may decide on the width of a wave before, or after, it is renamed.
        self._names |= source.words
        found_edits: list[RuleEdit] = []
        for rule in rules:
            found_edits += rule.find_edits(source, is_whole_file=is_whole_file)

        rule_edits = _drop_overlapping(sorted(found_edits))
        if not rule_edits:
            return False

        for edit in rule_edits:
            self._record(edit)

        self._edit(rule_edits, keeps_lines=all(rule.keeps_lines for rule in rules))
        return len(rule_edits) < len(found_edits)

    def result(self) -> RewriteResult:
        return RewriteResult(
            text=self._text,
            changes=tuple(sorted(self._changes, key=attrgetter("line"))),
            names=frozenset(self._names),
        )

    def _lex(self) -> MaskedSource:
        if self._source.text is not self._text:
            self._source = MaskedSource(self._text)
            if not self._moves:
                self._numbered_source = self._source

        return self._source

    def _record(self, edit: RuleEdit) -> None:
        offset = edit.start
        for move in reversed(self._moves):
            offset = move.original(offset)

        change = Change(
            rule=edit.rule,
            line=self._numbered_source.line_number(offset),
            before=edit.before,
            after=edit.after,
        )
        self._changes.append(change)
        if edit.replacement.isidentifier():
            self._names.add(edit.replacement)

    def _edit(self, rule_edits: Sequence[RuleEdit], *, keeps_lines: bool) -> None:
        edits = [(edit.start, edit.end, edit.replacement) for edit in rule_edits]
        # A pass that keeps lines leaves every line number as it was.
        if self._moves or not keeps_lines:
            self._moves.append(OriginalOffsets(edits))

        self._text = apply_edits(self._text, edits)


def _drop_overlapping(rule_edits: Iterable[RuleEdit]) -> list[RuleEdit]:
    """Return sorted edits without those that begin inside the one before.

    Two rules may want the same place: e.g. in `asm("…" :: "r"([&] { h = {}; return 1; }()))`
    the statement as a whole becomes an expression, and the braces in its operand, too.
    """
    kept_edits: list[RuleEdit] = []
    done = 0
    for edit in rule_edits:
        if edit.start >= done:
            kept_edits.append(edit)
            done = edit.end

    return kept_edits
