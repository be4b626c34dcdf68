"""Choose the macros without which a file refuses by `#error` to be compiled.

A build sets them, which is not always known: `#if defined(BY_ROWS) … #elif defined(BY_COLUMNS) …
#else #error "choose one"`. The first branch that is no refusal is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from crawler.cpp.files.source_text import SourceText
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.unit.macro_choices.branch_conditions import (
    Branch,
    MacroChoice,
    choose_macros,
    find_enclosing_branches,
)
from crawler.extract.unit.macro_choices.macro_variants import (
    is_project_macro,
    set_project_macros,
)
from crawler.model import CompileCommand, Diagnostic, Dialect

# a pattern: the parse shows the message of the directive, and not what it is
_ERROR_DIRECTIVE: Final = re.compile(r"[ \t]*#[ \t]*error\b")
_OTHERWISE: Final = Branch("else", "")


def answer_error_directives(
    command: CompileCommand, diagnostics: Iterable[Diagnostic], unit_text: UnitText
) -> CompileCommand:
    """Return a command with the macros that keep its compiler from each `#error` that it met.

    What the command says of a macro already stays.
    """
    choices: dict[str, int | None] = {}
    for diagnostic in diagnostics:
        if diagnostic.path not in unit_text.files:
            continue
        source = unit_text.sources[diagnostic.path]
        offset = source.line_offset(diagnostic.line)
        if _ERROR_DIRECTIVE.match(source.raw, offset):
            choices |= dict(_choose_other_branch(source, offset, command.dialect))

    return set_project_macros(command, unit_text, choices)


def _choose_other_branch(
    source: SourceText, offset: int, dialect: Dialect | None
) -> Sequence[MacroChoice]:
    """Return the macros by which a compiler takes another branch than that of a place, the first
    that can be had; empty without one.
    """
    innermost: tuple[Branch, ...] = ()
    for branches in find_enclosing_branches(source, offset):
        innermost = branches

    earlier = [innermost[: count + 1] for count in range(len(innermost) - 1)]
    for branches in (*earlier, (*innermost, _OTHERWISE)):
        choices = choose_macros(branches, dialect, is_project_macro)
        if choices:
            return choices

    return ()
