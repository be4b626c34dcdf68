"""Leave out the macros of a unit that its compiler does not expand.

Tables of macros (`FOR_EACH_1`, `FOR_EACH_2`, …) are taken along whole, since which of their entries
are used is known to the preprocessor alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from clang import cindex

from crawler.cpp.files.source_text import SourceText
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.preprocessor.macros import find_macros
from crawler.extract.clang.cursor import ClangUnit
from crawler.extract.ladder.unit_check import UNIT_PATH
from crawler.model import Closure

UNUSED_MACROS_FLAG: Final = "-Wunused-macros"
_Value = TypeVar("_Value")
_MIN_MACROS: Final = 64
"""Macros of a unit above which it is asked which of them it uses."""


def has_many_macros(closure: Closure) -> bool:
    """Tell whether it is worth a parse to leave macros out of a closure."""
    return sum(map(_is_macro, closure.fragments)) > _MIN_MACROS


def drop_unused_macros(
    closure: Closure,
    source: str,
    clang_unit: ClangUnit,
    arguments: Sequence[str] = (),
) -> Closure:
    """Return a closure without what the parse of `source`, made of it, calls unused macros.

    Those that its code or the `arguments` of instantiations name stay, with what they lead to:
    another compiler may see the branch of an `#if` that they stand in.
    """
    unused_names = _list_unused_macros(source, clang_unit)
    text_by_macro = {
        _read_name(fragment): fragment
        for fragment in closure.fragments
        if _is_macro(fragment)
    }
    code_texts = [text for text in closure.fragments if not _is_macro(text)]
    code = "\n".join((*code_texts, *arguments))
    named_in_code = set(IDENTIFIER.findall(code)) & unused_names
    dropped_names = unused_names - _follow_names(named_in_code, text_by_macro)
    return _drop_fragments(closure, dropped_names)


def _list_unused_macros(source: str, clang_unit: ClangUnit) -> set[str]:
    lines = {
        diagnostic.location.line
        for diagnostic in clang_unit.diagnostics
        if diagnostic.severity == cindex.Diagnostic.Warning
        and diagnostic.option == UNUSED_MACROS_FLAG
    }
    text = SourceText(UNIT_PATH, source.encode("latin-1", "replace"))
    macros = find_macros(text)
    return {
        macro.name for macro in macros if text.line_number(macro.name_offset) in lines
    }


def _follow_names(names: Collection[str], text_by_macro: dict[str, str]) -> set[str]:
    """Return some macros and all that their texts lead to."""
    reached = set(names)
    pending = list(names)
    while pending:
        text = text_by_macro.get(pending.pop(), "")
        further_names = set(IDENTIFIER.findall(text)) & text_by_macro.keys() - reached
        reached |= further_names
        pending += further_names

    return reached


def _drop_fragments(closure: Closure, names: Collection[str]) -> Closure:
    is_kept = [
        not (_is_macro(fragment) and _read_name(fragment) in names)
        for fragment in closure.fragments
    ]

    def keep(values: tuple[_Value, ...]) -> tuple[_Value, ...]:
        # a closure may say nothing of its fragments' origins
        if len(values) != len(is_kept):
            return values
        return tuple(
            value for value, is_wanted in zip(values, is_kept, strict=True) if is_wanted
        )

    return replace(
        closure,
        fragments=keep(closure.fragments),
        origins=keep(closure.origins),
        dependencies=tuple(
            name for name in closure.dependencies if name.removeprefix("#") not in names
        ),
    )


def _is_macro(fragment: str) -> bool:
    """Tell whether a fragment is one `#define` and nothing else."""
    *first_lines, _ = fragment.strip().split("\n")
    is_one_directive = all(line.rstrip("\r").endswith("\\") for line in first_lines)
    return fragment.lstrip().startswith("#define") and is_one_directive


def _read_name(macro_text: str) -> str:
    words = IDENTIFIER.findall(macro_text.partition("define")[2])
    return words[0] if words else ""
