"""Leave out the functions of a unit that its compiler does not choose.

Of an overloaded name all functions are taken along, since which of them a template calls is known
to overload resolution alone: one product of two vectors brings every `operator*` of their library.
Those that clang chooses nowhere go, with what only they name. Of the members of class templates
that are defined outside of them, those stay that clang misses where all are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from crawler.cpp.comments import blank_comments_and_literals
from crawler.cpp.edits import Edit, apply_edits, blank_ranges
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.preprocessor.macros import find_macros
from crawler.extract.clang.cursor import ClangUnit
from crawler.extract.clang.cursor_queries import get_specialized_template
from crawler.extract.closure.emit_unit import find_fragment_ranges
from crawler.extract.ladder.cut_closure import cut_closure
from crawler.extract.ladder.flat_declarations import (
    FlatDeclaration,
    collect_flat_declarations,
)
from crawler.extract.ladder.reduction import select_needed
from crawler.extract.ladder.unit_check import UNIT_PATH, list_errors
from crawler.extract.ladder.unused.conditional_words import collect_conditional_words
from crawler.extract.ladder.unused.marked_functions import (
    MARK_FLAGS,
    MISSING_FLAGS,
    MarkedFunction,
    iter_functions,
    iter_marks,
    iter_missing_lines,
)
from crawler.model import Closure

_MIN_FUNCTIONS: Final = 24
"""Fragments of a closure that may be functions, above which it is asked which are chosen."""
_MAX_PASSES: Final = 4
"""What goes may have chosen others."""
_MIN_SHRINKAGE: Final = 0.1
"""Share of the code that a pass has to drop, for another to be worth its parses."""
_MAX_ROUNDS: Final = 8
"""Parses of one pass at most."""
_PROBING_WORDS: Final = frozenset({"concept", "declval", "decltype", "requires"})
ParseSource = Callable[[str, Sequence[str]], ClangUnit | None]
"""Parses the text of a unit with further flags."""


def has_many_functions(closure: Closure) -> bool:
    """Tell whether it is worth some parses to leave functions out of a closure."""
    functions = (
        fragment
        for fragment in closure.fragments
        if "(" in fragment and not fragment.lstrip().startswith("#")
    )
    return sum(1 for _ in functions) > _MIN_FUNCTIONS


def drop_unused_overloads(
    closure: Closure,
    source: str,
    words: frozenset[str],
    parse_source: ParseSource,
    *,
    keeps_names: bool = False,
) -> Closure | None:
    """Return a closure without the functions that its compiler does not choose.

    `source` is the text of its unit, as `parse_source` reads it, and `words` are what
    instantiations name. Of each name that code calls something stays where it `keeps_names`, and
    else where a branch of the preprocessor has it: another compiler may see that. `None` where
    nothing can go, or nothing can be known.
    """
    ranges = find_fragment_ranges(closure, source)
    if not ranges:
        return None

    kernel_start = ranges[-1][0]
    # what is chosen where a template asks whether something compiles, clang does not say
    code = blank_comments_and_literals(source[:kernel_start])
    if not _PROBING_WORDS.isdisjoint(IDENTIFIER.findall(code)):
        return None

    text = source
    for _ in range(_MAX_PASSES):
        kept_words = None if keeps_names else collect_conditional_words(text)
        smaller_text = _drop_once(text, kernel_start, words, kept_words, parse_source)
        if smaller_text is None:
            break
        shrinkage = 1 - _count_characters(smaller_text) / _count_characters(text)
        text = smaller_text
        if shrinkage < _MIN_SHRINKAGE:
            break

    return None if text == source else _cut_closure(closure, text, ranges)


def _count_characters(text: str) -> int:
    return len("".join(text.split()))


def _drop_once(
    text: str,
    kernel_start: int,
    words: frozenset[str],
    kept_words: frozenset[str] | None,
    parse_source: ParseSource,
) -> str | None:
    """Return a text without what nothing leads to, and then what is not chosen in it.

    Of each of the `kept_words` something stays, or of all where there is no list of them. `None`
    where nothing can be known.
    """
    clang_unit = parse_source(text, ())
    if clang_unit is None or list_errors(clang_unit):
        return None

    source = SourceText(UNIT_PATH, text.encode("latin-1", "replace"))
    declarations = collect_flat_declarations(clang_unit, source)
    unnamed = _list_unnamed(source, declarations, kernel_start, words)
    text = blank_ranges(text, [(each.start, each.end) for each in unnamed])
    functions = [
        function
        for function in iter_functions(source, declarations, kernel_start)
        if declarations[function.number] not in unnamed
    ]
    members = [function for function in functions if function.is_member]
    needed_members = _find_needed_members(text, members, parse_source)
    text = _blank(text, members, _add_namesakes(members, needed_members, kept_words))

    free = [function for function in functions if not function.is_member]
    chosen = _find_chosen(text, free, parse_source)
    if chosen is None:
        return None
    kept = _add_namesakes(free, _add_declarations(free, chosen), kept_words)
    return _blank(text, free, kept)


def _list_unnamed(
    source: SourceText,
    declarations: Sequence[FlatDeclaration],
    kernel_start: int,
    words: frozenset[str],
) -> set[FlatDeclaration]:
    """Return the declarations to which no word of the kernel leads."""
    roots = [
        declaration
        for declaration in declarations
        if declaration.is_kernel
        or declaration.end > kernel_start
        or not declaration.has_whole_conditionals
    ]
    needed, _ = select_needed(declarations, find_macros(source), roots, words)
    return set(declarations) - needed - set(roots)


def _find_needed_members(
    text: str, members: Sequence[MarkedFunction], parse_source: ParseSource
) -> set[int]:
    """Return the numbers of the members whose definitions clang misses where all are gone."""
    everything = {member.number for member in members}
    # each may be declared in a class, whose line an error names
    by_line: dict[int, set[int]] = {}
    for member in members:
        line = member.cursor.canonical.location.line
        by_line.setdefault(line, set()).add(member.number)

    needed: set[int] = set()
    for _ in range(_MAX_ROUNDS if members else 0):
        blanked = _blank(text, members, needed)
        clang_unit = parse_source(blanked, MISSING_FLAGS)
        if clang_unit is None or list_errors(clang_unit):
            return everything

        lines = set(iter_missing_lines(clang_unit))
        missed = {number for line in lines for number in by_line.get(line, ())}
        if missed <= needed:
            # what else is missing is none of these
            return everything if lines else needed
        needed |= missed

    return everything


def _find_chosen(
    text: str, functions: Sequence[MarkedFunction], parse_source: ParseSource
) -> set[int] | None:
    """Return the numbers of the free functions that overload resolution chooses."""
    by_number = {function.number: function for function in functions}
    chosen: set[int] = set()
    known_specializations: set[int] = set()
    for _ in range(_MAX_ROUNDS):
        marked = [
            function
            for function in functions
            # within what is deprecated clang says nothing of what is deprecated
            if function.number not in known_specializations
        ]
        edits: list[Edit] = [
            (function.mark_offset, function.mark_offset, f" {function.mark}")
            for function in marked
        ]
        clang_unit = parse_source(apply_edits(text, edits), MARK_FLAGS)
        if clang_unit is None or list_errors(clang_unit):
            return None

        chosen |= set(iter_marks(clang_unit)) & by_number.keys()
        specializations = {
            number for number in chosen if by_number[number].is_specialization
        }
        if specializations == known_specializations:
            return chosen
        known_specializations = specializations

    return None


def _add_declarations(
    functions: Sequence[MarkedFunction], chosen: set[int]
) -> set[int]:
    """Return chosen functions with their other declarations, and the templates that they
    specialise.
    """
    entities: set[int] = set()
    for function in functions:
        if function.number in chosen:
            entities.add(function.cursor.canonical.hash)
            template = get_specialized_template(function.cursor)
            if template is not None:
                entities.add(template.canonical.hash)

    return {
        function.number
        for function in functions
        if function.cursor.canonical.hash in entities
    }


def _add_namesakes(
    functions: Sequence[MarkedFunction],
    kept: set[int],
    kept_words: frozenset[str] | None,
) -> set[int]:
    """Return functions with all those of a name of which none is kept, if it is to be.

    What a name leads to no more goes later; operators and constructors are called without their
    names.
    """
    kept_names = {
        function.cursor.spelling for function in functions if function.number in kept
    }
    return kept | {
        function.number
        for function in functions
        if function.has_name
        and function.cursor.spelling not in kept_names
        and (kept_words is None or function.cursor.spelling in kept_words)
    }


def _blank(text: str, functions: Sequence[MarkedFunction], kept: set[int]) -> str:
    return blank_ranges(
        text,
        [
            (function.start, function.end)
            for function in functions
            if function.number not in kept
        ],
    )


def _cut_closure(
    closure: Closure, text: str, ranges: Sequence[tuple[int, int]]
) -> Closure:
    """Return a closure with what a smaller text of its unit has, and the names that are left."""
    dependencies = tuple(
        name
        for name in closure.dependencies
        if name.removeprefix("#").rpartition("::")[2] in text
    )
    return replace(cut_closure(closure, text, ranges), dependencies=dependencies)
