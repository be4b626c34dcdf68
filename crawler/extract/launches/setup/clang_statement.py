"""Statements of a function's body as libclang's syntax tree shows them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.files.source_text import SourceText
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_queries import list_child_cursors
from crawler.extract.launches.setup.clang_variables import (
    find_file_range,
    read_macro_variables,
    read_variable,
    read_variables,
)
from crawler.extract.launches.setup.clang_writes import (
    find_overwritten_names,
    find_written_names,
)
from crawler.extract.launches.setup.statement import (
    InnerBlock,
    Statement,
    StatementKind,
    TextRange,
)
from crawler.model import Parameter

_KINDS: Final = {
    CursorKind.COMPOUND_STMT: (StatementKind.BLOCK, ("{",)),
    CursorKind.IF_STMT: (StatementKind.BRANCH, ("if",)),
    CursorKind.FOR_STMT: (StatementKind.LOOP, ("for",)),
    CursorKind.CXX_FOR_RANGE_STMT: (StatementKind.LOOP, ("for",)),
    CursorKind.WHILE_STMT: (StatementKind.LOOP, ("while",)),
    CursorKind.DO_STMT: (StatementKind.LOOP, ("do",)),
    CursorKind.SWITCH_STMT: (StatementKind.SWITCH, ("switch",)),
    CursorKind.CASE_STMT: (StatementKind.CASE, ("case",)),
    CursorKind.DEFAULT_STMT: (StatementKind.CASE, ("default",)),
    CursorKind.RETURN_STMT: (StatementKind.EXIT, ("return",)),
    CursorKind.CXX_THROW_EXPR: (StatementKind.EXIT, ("throw",)),
    CursorKind.BREAK_STMT: (StatementKind.EXIT, ("break",)),
    CursorKind.CONTINUE_STMT: (StatementKind.EXIT, ("continue",)),
    CursorKind.GOTO_STMT: (StatementKind.EXIT, ("goto",)),
}
"""What a cursor is where its text begins with that word, and no macro makes it."""
_MAX_DEPTH: Final = 200
"""Nodes within nodes: a sum of thousands of terms is as deep."""
_MAX_NODES: Final = 50_000
"""Nodes that the search for a block within one expression looks at."""


def find_body(function: Cursor, source: SourceText) -> ClangStatement | None:
    """Return the body of a function; `None` where no text of the file is its body."""
    for child in reversed(list_child_cursors(function)):
        if child.kind is CursorKind.COMPOUND_STMT:
            body = ClangStatement(child, source)
            return body if body.kind is StatementKind.BLOCK else None

    return None


class ClangStatement:
    """A statement that a cursor stands for; what is costly to tell is told when asked for."""

    def __init__(self, cursor: Cursor, source: SourceText) -> None:
        self._cursor = cursor
        self._source = source
        self.start, self.end = _find_range(cursor, source)

    @cached_property
    def kind(self) -> StatementKind:
        """What it is; what a macro makes is taken as an expression."""
        kind, words = _KINDS.get(self._cursor.kind, (StatementKind.SIMPLE, ("",)))
        is_written = self._source.raw.startswith(words, self.start)
        return kind if is_written else StatementKind.SIMPLE

    @cached_property
    def head(self) -> TextRange:
        """What stands in its brackets, or behind `case`."""
        cursor_kind = self._cursor.kind
        if self.kind is StatementKind.CASE:
            children = list_child_cursors(self._cursor)
            if cursor_kind is CursorKind.DEFAULT_STMT or not children:
                return self.start, self.start
            return find_file_range(children[0])

        source = self._source
        index = source.lexeme_index(self.start)
        if cursor_kind is CursorKind.DO_STMT:
            return self.start, self.start
        # `if constexpr (`
        while index < len(source.lexemes) and source.lexemes[index].text != "(":
            index += 1

        closing = source.find_closing_bracket(index)
        if closing < 0:
            return self.start, self.start
        return source.lexemes[index].end, source.lexemes[closing].offset

    def list_children(self) -> Sequence[Statement]:
        """Return the statements directly in it."""
        return self._children

    @cached_property
    def _children(self) -> tuple[ClangStatement, ...]:
        if self.kind in (StatementKind.SIMPLE, StatementKind.EXIT):
            return ()

        first_offset = self.start
        if self.kind is not StatementKind.BLOCK:
            first_offset = self.head[1]

        statements: list[ClangStatement] = []
        for cursor in list_child_cursors(self._cursor):
            statement = ClangStatement(cursor, self._source)
            if first_offset <= statement.start < statement.end <= self.end:
                statements.append(statement)
                first_offset = statement.start + 1

        if self.kind in (StatementKind.LOOP, StatementKind.CASE, StatementKind.SWITCH):
            is_do = self._cursor.kind is CursorKind.DO_STMT
            return tuple(statements[:1] if is_do else statements[-1:])
        return tuple(statements)

    def list_variables(self) -> Sequence[Parameter]:
        """Return what it declares, a loop in its head."""
        if self.kind is StatementKind.SIMPLE:
            return self._variables
        if self.kind is not StatementKind.LOOP:
            return ()

        return tuple(
            variable
            for child in list_child_cursors(self._cursor)
            if child.kind in (CursorKind.DECL_STMT, CursorKind.VAR_DECL)
            for variable in read_variables(child, self._source)
        )

    @cached_property
    def _variables(self) -> tuple[Parameter, ...]:
        return tuple(read_variables(self._cursor, self._source))

    def find_written_names(self) -> frozenset[str]:
        """Return the names of variables that it may change."""
        return find_written_names(self._cursor)

    def find_overwritten_names(self) -> frozenset[str]:
        """Return the names of variables that it gives a new value."""
        return find_overwritten_names(self._cursor)

    def find_inner_block(self, offset: int) -> InnerBlock | None:
        """Return the outermost block in an expression that an offset lies in.

        A dispatch macro repeats a lambda for each type: the first one is taken.
        """
        return _BlockSearch(self._source, offset).search(self._cursor, None, ())


class _BlockSearch:
    """A search for a block that the file has, through what macros make round it."""

    def __init__(self, source: SourceText, offset: int) -> None:
        self._source = source
        self._offset = offset
        self._remaining_nodes = _MAX_NODES

    def search(
        self,
        cursor: Cursor,
        argument: TextRange | None,
        variables: tuple[Parameter, ...],
        depth: int = 0,
    ) -> InnerBlock | None:
        if depth > _MAX_DEPTH:
            return None

        for child in list_child_cursors(cursor):
            self._remaining_nodes -= 1
            if self._remaining_nodes < 0:
                return None

            if child.kind is CursorKind.PARM_DECL:
                variables = (*variables, read_variable(child))
            if child.kind is CursorKind.DECL_STMT:
                variables += tuple(read_macro_variables(child, self._source))

            start, end = find_file_range(child)
            # libclang loses the end of what a macro makes
            is_made_by_macro = end <= start <= self._offset
            if not is_made_by_macro and not start <= self._offset < end:
                continue

            statement = ClangStatement(child, self._source)
            if statement.kind is StatementKind.BLOCK:
                argument = argument or (statement.start, statement.end)
                return InnerBlock(statement, argument, variables)

            is_lambda = (
                child.kind is CursorKind.LAMBDA_EXPR
                and self._source.raw.startswith("[", start)
            )
            inner_argument = argument or ((start, end) if is_lambda else None)
            found_block = self.search(child, inner_argument, variables, depth + 1)
            if found_block is not None:
                return found_block

        return None


def _find_range(cursor: Cursor, source: SourceText) -> TextRange:
    """Return the range of a statement, with the semicolon that clang leaves out."""
    start, end = find_file_range(cursor)
    # libclang loses the end of what a macro makes that stands in the arguments of another one
    if end <= start:
        end = _find_macro_use_end(source, start)
    if source.raw.startswith((";", "}"), max(end - 1, 0)):
        return start, end

    index = source.lexeme_index(end)
    if index < len(source.lexemes) and source.lexemes[index].text == ";":
        return start, source.lexemes[index].end
    return start, end


def _find_macro_use_end(source: SourceText, start: int) -> int:
    """Return the offset behind a macro's use: behind its arguments, where it has some."""
    index = source.lexeme_index(start)
    if index >= len(source.lexemes):
        return start

    closing = source.find_closing_bracket(index + 1)
    has_arguments = closing >= 0 and source.lexemes[index + 1].text == "("
    return source.lexemes[closing if has_arguments else index].end
