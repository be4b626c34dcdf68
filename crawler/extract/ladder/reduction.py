"""Reduce a flat unit to what a kernel may need, by the words that lead from one declaration to
the next.

A word may mean more than one thing, and all of them stay: what is left is more than the closure
that the syntax tree tells, and never less for want of a rule.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import islice, pairwise
from typing import Final

from crawler.cpp.comments import blank_comments_and_literals, find_comments
from crawler.cpp.directives import (
    conditional_directives,
    conditionals,
    directive_name,
    directive_words,
)
from crawler.cpp.edits import blank_ranges
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.files.structure_marks import (
    StructureMark,
    find_directive_ranges,
    iter_structure_marks,
)
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.preprocessor.macros import Macro, find_macros
from crawler.cpp.preprocessor.token_pasting import find_pastable_names
from crawler.extract.ladder.flat_declarations import FlatDeclaration
from crawler.extract.ladder.unused.macros import blank_unused_macros

# blanked code in front of a brace, back to the mark before it
_SCOPE_HEAD: Final = re.compile(
    r"(?:(?:\binline\s+)?\bnamespace\b[^;{}]*|\bextern\s*)\Z"
)
_COMPILER_WORDS: Final = ("GCC", "clang", "nv_", "region", "endregion")
"""What pragmas begin with that speak to one compiler."""
_MAX_BLOCK_MARKS: Final = 2_000
"""Braces and semicolons of a block that may go: a text may open a million and close none."""


def select_needed(
    declarations: Sequence[FlatDeclaration],
    macros: Sequence[Macro],
    roots: Iterable[FlatDeclaration],
    words: Collection[str],
) -> tuple[set[FlatDeclaration], frozenset[str]]:
    """Return the declarations that `roots` and `words` lead to, and all words in them."""
    declarations_by_name: dict[str, list[FlatDeclaration]] = defaultdict(list)
    for declaration in declarations:
        for name in declaration.names:
            declarations_by_name[name].append(declaration)

    macro_names = {macro.name for macro in macros}
    sorted_names = sorted(macro_names | declarations_by_name.keys())
    macro_words: dict[str, set[str]] = defaultdict(set)
    for macro in macros:
        macro_words[macro.name] |= macro.used_names
        macro_words[macro.name] |= find_pastable_names(macro, sorted_names)

    needed: set[FlatDeclaration] = set()
    known_words: set[str] = set()
    pending = list(roots)
    new_words = set(words)
    while pending or new_words:
        needed.update(pending)
        for declaration in pending:
            new_words |= declaration.words

        new_words -= known_words
        known_words |= new_words
        named: dict[FlatDeclaration, None] = {}
        used_names: set[str] = set()
        for word in new_words:
            used_names |= macro_words.get(word, set())
            named.update(dict.fromkeys(declarations_by_name.get(word, ())))

        new_words = used_names - known_words
        pending = [
            declaration
            for declaration in named
            if declaration not in needed and not declaration.is_superfluous
        ]
        # these look at all words: only once nothing else leads further
        if not pending and not new_words:
            pending = [
                declaration
                for declaration in _list_found_by_types(
                    declarations, declarations_by_name, known_words
                )
                if declaration not in needed
            ]

    return needed, frozenset(known_words)


def _list_found_by_types(
    declarations: Sequence[FlatDeclaration],
    declarations_by_name: dict[str, list[FlatDeclaration]],
    words: Collection[str],
) -> list[FlatDeclaration]:
    """Return what is used without its name: `using namespace`, and operators for known types."""
    new_declarations = []
    for declaration in declarations:
        if declaration.is_using:
            new_declarations.append(declaration)
        elif declaration.is_operator and not declaration.is_for_host:
            head = declaration.source.raw[declaration.start : declaration.end]
            head_words = IDENTIFIER.findall(head.partition("{")[0])
            type_words = {word for word in head_words if word in declarations_by_name}
            if type_words.issubset(words):
                new_declarations.append(declaration)

    return new_declarations


def blank_unneeded(
    source: SourceText,
    declarations: Iterable[FlatDeclaration],
    needed: Collection[FlatDeclaration],
    words: Collection[str],
) -> str:
    """Return a flat unit's text with blanks in place of all that is not needed.

    Line ends stay, so that every line keeps its number. Macros stay that `words`, or conditions
    that are left, name.
    """
    kept_ranges = [
        (declaration.start, declaration.end)
        for declaration in declarations
        if declaration in needed or not declaration.has_whole_conditionals
    ]
    dropped_ranges = [
        (declaration.start, declaration.end)
        for declaration in declarations
        if declaration not in needed and declaration.has_whole_conditionals
    ]
    # a comment that begins on the line of a directive may end on one that goes
    text = _blank_outside(source.raw, find_comments(source.raw), kept_ranges)
    text = blank_ranges(text, dropped_ranges)
    text = blank_ranges(text, _list_include_guards(source))
    text = _blank_leftovers(source, text, kept_ranges)
    text = _blank_pragmas(source, text, kept_ranges)
    return blank_unused_macros(source, text, set(words))


def _list_include_guards(source: SourceText) -> list[tuple[int, int]]:
    """Return the directives of include guards, but for the macros that they define.

    A flat text has each file as often as it was entered; of one that was entered again all goes
    that its guard keeps out.
    """
    directive_ranges = find_directive_ranges(source)
    following = dict(pairwise(directive_ranges))
    guards: list[tuple[int, int]] = []
    names: set[str] = set()
    directives = conditional_directives(source.raw, directive_ranges)
    for conditional in conditionals(directives):
        opening, *other_directives = conditional.directives
        name = source.raw[opening.condition : opening.end].strip()
        definition = following.get((opening.start, opening.end))
        if (
            opening.keyword != "ifndef"
            or len(other_directives) != 1
            or definition is None
        ):
            continue

        words = IDENTIFIER.findall(source.raw[slice(*definition)])
        if words[:1] != ["define"] or words[1:] != [name]:
            continue

        closing = other_directives[0]
        if name in names:
            guards.append((opening.start, closing.end))
        else:
            guards += [(opening.start, opening.end), (closing.start, closing.end)]
        names.add(name)

    return guards


def _blank_leftovers(
    source: SourceText, text: str, kept_ranges: Sequence[tuple[int, int]]
) -> str:
    """Blank what stands between declarations but for the openings and ends of scopes.

    It is an explicit instantiation, or a macro that makes one or nothing: libclang shows no
    declaration there. A macro that opens or closes a scope stays.
    """
    scope_macros = {
        macro.name
        for macro in find_macros(source)
        if macro.text.count("{") != macro.text.count("}")
    }
    outside = blank_comments_and_literals(blank_ranges(text, kept_ranges))
    marks = list(iter_structure_marks(outside))
    kept_starts = [start for start, _ in kept_ranges]
    leftovers: list[tuple[int, int]] = []
    start = 0
    for index, mark in enumerate(marks):
        # within a block that goes
        if mark.start < start:
            continue

        leftover = outside[start : mark.start]
        scope = _SCOPE_HEAD.search(leftover) if mark.text == "{" else None
        end = start + scope.start() if scope else mark.start
        words = set(IDENTIFIER.findall(outside, start, end))
        next_start = mark.end
        if words.isdisjoint(scope_macros):
            if words and scope is None and mark.text == "{":
                next_start = _find_end_of_block(marks, index, kept_starts)
            is_whole = mark.text == ";" or next_start > mark.end
            leftovers.append((start, next_start if is_whole else end))

        start = next_start

    words = set(IDENTIFIER.findall(outside, start))
    if words.isdisjoint(scope_macros):
        leftovers.append((start, len(outside)))

    return _blank_outside(text, leftovers, kept_ranges)


def _find_end_of_block(
    marks: Sequence[StructureMark], opening_index: int, kept_starts: Sequence[int]
) -> int:
    """Return the offset behind a block that nothing is kept of; behind its brace where something
    is, or where it has no end.

    It stands in a branch that the compiler left out, in a macro's arguments perhaps.
    """
    opening = marks[opening_index]
    depth = 0
    for mark in islice(marks, opening_index, opening_index + _MAX_BLOCK_MARKS):
        depth += (mark.text == "{") - (mark.text == "}")
        if not depth:
            first = bisect_left(kept_starts, opening.start)
            last = bisect_left(kept_starts, mark.end)
            return mark.end if first == last else opening.end

    return opening.end


def _blank_outside(
    text: str,
    ranges: Iterable[tuple[int, int]],
    kept_ranges: Sequence[tuple[int, int]],
) -> str:
    """Blank ranges, but for what is kept in them."""
    return _restore(text, blank_ranges(text, ranges), kept_ranges)


def _restore(text: str, blanked: str, kept_ranges: Sequence[tuple[int, int]]) -> str:
    """Return a blanked text with what is kept of it as it was."""
    pieces: list[str] = []
    done = 0
    for start, end in kept_ranges:
        pieces += [blanked[done:start], text[start:end]]
        done = end

    pieces.append(blanked[done:])
    return "".join(pieces)


def _blank_pragmas(
    source: SourceText, text: str, kept_ranges: Sequence[tuple[int, int]]
) -> str:
    """Blank the pragmas between declarations that speak to one compiler about its warnings."""
    pragmas = [
        (start, end)
        for start, end in find_directive_ranges(source)
        if _is_for_one_compiler(source, start, end)
    ]
    pragmas = [
        (start, end)
        for start, end in pragmas
        if not any(first <= start < last for first, last in kept_ranges)
    ]
    return blank_ranges(text, pragmas)


def _is_for_one_compiler(source: SourceText, start: int, end: int) -> bool:
    if directive_name(source.raw, start) != "pragma":
        return False

    words = directive_words(source.raw, start, end)
    return len(words) > 1 and words[1].startswith(_COMPILER_WORDS)
