"""Slice backwards from a place in a function: the statements that names there depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from crawler.cpp.edits import Edit
from crawler.cpp.files.identifier_uses import (
    collect_identifiers,
    collect_text_identifiers,
)
from crawler.cpp.files.source_text import SourceText
from crawler.extract.launches.setup.statement import (
    Statement,
    StatementKind,
    TextRange,
)
from crawler.extract.launches.setup.statement_text import (
    list_case_conditions,
    list_inactive_edits,
    render_range,
    render_removal,
    write_call_condition,
    write_loop_condition,
)
from crawler.model import Parameter

_MAX_DEPTH: Final = 100
"""Statements within statements: what is nested deeper is left alone."""
_MAX_TURNS: Final = 8
"""Looks at a loop: each finds what one more assignment of another turn depends on."""
_CONDITIONAL_KINDS: Final = frozenset(
    {StatementKind.BRANCH, StatementKind.LOOP, StatementKind.SWITCH}
)


@dataclass(slots=True)
class BackwardSlice:
    """A slice that grows from a place to the beginning of the function round it.

    `needed_names` are those that something in it reads and nothing in it declares so far.
    """

    source: SourceText
    needed_names: set[str]
    has_launch: Callable[[int, int], bool]
    """Whether a kernel is launched in a range of the file: that is no part of a slice."""
    skipped_ranges: Sequence[TextRange] = ()
    """What the preprocessor left out of the file."""
    statements: list[str] = field(default_factory=list)
    """The nearest to the place first."""
    conditions: list[str] = field(default_factory=list)
    """Under which the place is reached, the innermost first."""
    inputs: dict[str, Parameter] = field(default_factory=dict)
    """What it reads and has no statement for, such as the variable of a loop round it."""
    _overwritten_names: set[str] = field(default_factory=set)
    """Needed names that have a new value behind what is looked at."""
    _is_in_loop: bool = False
    """Whether a loop is looked at, all of whose turns are followed with those of inner ones."""

    def enter(self, statement: Statement, offset: int, depth: int = 0) -> None:
        """Add what a statement has in front of a place in it, and why the place is reached."""
        if depth > _MAX_DEPTH:
            return
        if statement.kind in (StatementKind.SIMPLE, StatementKind.EXIT):
            self._enter_expression(statement, offset, depth)
            return

        children = statement.list_children()
        index = _find_child(children, offset)
        if index is None:
            return

        self.enter(children[index], offset, depth + 1)
        if statement.kind is StatementKind.BLOCK:
            self.add_preceding(children[:index])
        elif statement.kind is StatementKind.BRANCH:
            self._add_branch_condition(statement, is_otherwise=index > 0)
        elif statement.kind is StatementKind.LOOP:
            self._add_loop_condition(statement)
        elif statement.kind is StatementKind.SWITCH:
            self._add_switch_condition(statement, offset)

    def add_preceding(self, statements: Sequence[Statement]) -> None:
        """Add those of the statements in front of the place that it depends on."""
        for statement in reversed(statements):
            # the other cases of a switch are not what is done in this one
            if statement.kind is StatementKind.CASE:
                return
            if _is_guard(statement):
                self._add_condition(f"!({self._read_text(statement.head)})")
                continue

            edits = self._keep(statement, is_certain=True, depth=0)
            if edits is not None:
                start, end = statement.start, statement.end
                inactive = list_inactive_edits(
                    self.source, start, end, self.skipped_ranges
                )
                text = render_range(self.source, start, end, [*inactive, *edits])
                self.statements.append(text)

    def add_definition(self, name: str, text_range: TextRange) -> None:
        """Add what stands outside of the function and defines a name, where it is needed."""
        if name in self.needed_names:
            self.needed_names.discard(name)
            self.read_names(text_range)
            self.needed_names.discard(name)
            text = render_range(self.source, *text_range).removesuffix(";")
            self.statements.append(f"{text};")

    def use_inputs(self, variables: Iterable[Parameter]) -> None:
        """Take variables that a name may mean from outside for what they are.

        What their types name is needed then, such as a template's parameter.
        """
        for variable in variables:
            if variable.name in self.needed_names:
                self.needed_names.discard(variable.name)
                self.inputs.setdefault(variable.name, variable)
                self.needed_names |= list_free_names(variable.type)

    def read_names(self, text_range: TextRange) -> None:
        """Need what a range of the file names."""
        start, end = text_range
        self.needed_names |= {
            identifier.name
            for identifier in collect_identifiers(self.source, start, end)
            if not identifier.is_member and not identifier.qualifier
        }

    def _enter_expression(self, statement: Statement, offset: int, depth: int) -> None:
        inner = statement.find_inner_block(offset)
        if inner is None:
            return

        self.enter(inner.block, offset, depth + 1)
        self.use_inputs(inner.variables)
        condition = write_call_condition(
            self.source, (statement.start, statement.end), inner.argument
        )
        if condition:
            self.conditions.append(condition)
            self.read_names((statement.start, inner.argument[0]))

    def _add_branch_condition(
        self, statement: Statement, *, is_otherwise: bool
    ) -> None:
        text = self._read_text(statement.head)
        self._add_condition(f"!({text})" if is_otherwise else text)

    def _add_loop_condition(self, statement: Statement) -> None:
        start, end = statement.head
        condition = write_loop_condition(self.source, statement.start, statement.head)
        if condition:
            self.conditions.append(condition)
            self.read_names((start, end))
        self.use_inputs(statement.list_variables())

    def _add_switch_condition(self, statement: Statement, offset: int) -> None:
        body = next(iter(statement.list_children()), None)
        labels = body.list_children() if body is not None else ()
        condition = list_case_conditions(self.source, statement.head, labels, offset)
        if condition:
            self.conditions.append(condition)
            self.read_names(statement.head)

    def _add_condition(self, text: str) -> None:
        if text not in self.conditions:
            self.conditions.append(text)

    def _read_text(self, text_range: TextRange) -> str:
        self.read_names(text_range)
        return " ".join(self.source.text_between(*text_range).split())

    def _keep(
        self, statement: Statement, *, is_certain: bool, depth: int
    ) -> list[Edit] | None:
        """Return what is to be left out of a statement, or `None` where all of it is.

        `is_certain` says that it is done whenever the place is reached.
        """
        names = self.source.names_between(statement.start, statement.end)
        if depth > _MAX_DEPTH or self.needed_names.isdisjoint(names):
            return None

        if statement.kind is StatementKind.SIMPLE:
            return self._keep_expression(statement, names, is_certain=is_certain)
        if statement.kind is StatementKind.EXIT:
            return None
        if statement.kind is StatementKind.CASE:
            return self._keep_children(statement, depth)

        # what is declared inside is another variable than one outside of the same name
        inner_variables = {
            variable.name
            for child in (statement, *statement.list_children())
            for variable in child.list_variables()
        }
        hidden_names = self.needed_names & inner_variables
        self.needed_names -= hidden_names
        edits = self._keep_turns(statement, depth)
        self.needed_names -= inner_variables
        if edits is not None and statement.kind in _CONDITIONAL_KINDS:
            self.read_names(statement.head)
            self.needed_names -= inner_variables

        self.needed_names |= hidden_names
        return edits

    def _keep_turns(self, statement: Statement, depth: int) -> list[Edit] | None:
        """Keep children; what the next turn of a loop reads may be written behind that."""
        if statement.kind is not StatementKind.LOOP or self._is_in_loop:
            return self._keep_children(statement, depth)

        self._is_in_loop = True
        edits = self._keep_children(statement, depth)
        for _ in range(_MAX_TURNS if edits is not None else 0):
            self.read_names(statement.head)
            more_edits = self._keep_children(statement, depth)
            if more_edits == edits:
                break
            edits = more_edits

        self._is_in_loop = False
        return edits

    def _keep_children(self, statement: Statement, depth: int) -> list[Edit] | None:
        edits: list[Edit] = []
        is_kept = False
        is_block = statement.kind is StatementKind.BLOCK
        for child in reversed(statement.list_children()):
            child_edits = self._keep(child, is_certain=False, depth=depth + 1)
            if child_edits is not None:
                is_kept = True
                edits += child_edits
            # what leaves a loop or a case belongs to what is kept of it
            elif child.kind is not StatementKind.EXIT:
                edits.append(
                    render_removal(
                        self.source, (child.start, child.end), is_block=is_block
                    )
                )

        return edits if is_kept else None

    def _keep_expression(
        self, statement: Statement, names: frozenset[str], *, is_certain: bool
    ) -> list[Edit] | None:
        declared_names = {variable.name for variable in statement.list_variables()}
        is_declaration = not declared_names.isdisjoint(self.needed_names)
        open_names = (self.needed_names - self._overwritten_names) & names
        if not is_declaration and (
            not open_names or open_names.isdisjoint(statement.find_written_names())
        ):
            return None

        if self.has_launch(statement.start, statement.end):
            self.use_inputs(statement.list_variables())
            return None

        if is_certain:
            self._overwritten_names |= statement.find_overwritten_names() & open_names

        self.needed_names -= declared_names
        self._overwritten_names -= declared_names
        self.read_names((statement.start, statement.end))
        self.needed_names -= declared_names
        return []


def list_free_names(text: str) -> set[str]:
    """Return the names in a text that a function may declare: no members, none in a namespace."""
    return {
        identifier.name
        for identifier in collect_text_identifiers(text)
        if not identifier.is_member and not identifier.qualifier
    }


def _find_child(children: Sequence[Statement], offset: int) -> int | None:
    for index, child in enumerate(children):
        if child.start <= offset < child.end:
            return index

    return None


def _is_guard(statement: Statement) -> bool:
    """Tell whether a statement is `if (…) return;`, behind which the opposite holds."""
    children = statement.list_children()
    if statement.kind is not StatementKind.BRANCH or len(children) != 1:
        return False

    last = children[0]
    while last.kind is StatementKind.BLOCK and last.list_children():
        last = last.list_children()[-1]
    return last.kind is StatementKind.EXIT
