"""Apply the port rules to a source text and record the changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter, itemgetter

from crawler.cpp.edits import OriginalOffsets, apply_edits
from crawler.cpp.identifiers import is_word_character
from crawler.cpp.masked_source import MaskedSource
from crawler.model import Change
from crawler.port.passes import brace_assignment, duplicate_definitions
from crawler.port.tables import (
    HIP_COMPILER_MACROS,
    NEVER_DEFINED_MACRO,
    RENAMED_HEADER_FOLDERS,
    RENAMED_HEADERS,
    RENAMED_NAMES,
    RENAMED_NAMESPACES,
    SAME_NAME_TYPES,
    TOOLKIT_MACROS,
    libraries,
)
from crawler.ptx import translation

Renaming = tuple[int, int, str, str]
"""Where a name or a header begins and ends, what it becomes, and by which rule."""

_MEMBER_ACCESS = frozenset({".", "->"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteResult:
    """A text in HIP, and what was changed."""

    text: str
    changes: tuple[Change, ...]
    names: frozenset[str]
    """Every name in it, and more."""


def rewrite_to_hip(
    source: MaskedSource, *, is_whole_file: bool = True
) -> RewriteResult:
    """Return a text in HIP; doing it again changes nothing.

    A text that is not `is_whole_file` was cut out of what CUDA's compiler sees: its branches
    for HIP stay shut.
    """
    single, changes = duplicate_definitions.remove_duplicate_definitions(source)
    assigned = (
        ()
        if is_whole_file and _speaks_hip(single)
        else brace_assignment.find_brace_assignments(single)
    )
    translated = sorted(
        [*translation.find_ptx_edits(single), *assigned], key=itemgetter(0)
    )
    edits = [edit for edit, _ in translated]
    offsets = OriginalOffsets(edits)
    assembled = MaskedSource(apply_edits(single.text, edits)) if edits else single
    renamed = sorted([*_headers(assembled), *_names(assembled, whole=is_whole_file)])
    changes += (change for _, change in translated)
    changes += (
        Change(
            rule=rule,
            line=single.line_number(offsets.original(start)),
            before=assembled.text[start:end],
            after=after,
        )
        for start, end, after, rule in renamed
    )
    return RewriteResult(
        text=apply_edits(
            assembled.text, [(start, end, after) for start, end, after, _ in renamed]
        ),
        changes=tuple(sorted(changes, key=attrgetter("line"))),
        names=assembled.words.union(after for _, _, after, _ in renamed),
    )


@lru_cache(maxsize=4096)
def translate_header(text: str) -> str:
    """Return what an included header, with its brackets or quotes, becomes."""
    inner = text[1:-1]
    renamed = RENAMED_HEADERS.get(inner) or next(
        (
            hip
            for folder, hip in RENAMED_HEADER_FOLDERS.items()
            if inner.startswith(folder)
        ),
        "",
    )
    return f"<{renamed}>" if renamed else text


def _headers(seen: MaskedSource) -> Iterator[Renaming]:
    for start, end in seen.header_ranges:
        before = seen.text[start:end]
        after = translate_header(before)
        if after != before:
            yield start, end, after, "header"


def _names(seen: MaskedSource, *, whole: bool) -> Iterator[Renaming]:
    kept = (
        SAME_NAME_TYPES
        if whole and not SAME_NAME_TYPES.isdisjoint(seen.words) and _speaks_hip(seen)
        else frozenset()
    )
    for word in seen.words - kept:
        rule, after = (_renaming if whole else _renaming_in_unit)(word)
        for at in seen.find_word_offsets(word) if rule else ():
            end = at + len(word)
            place, before = seen.token_before(at)
            if before not in _MEMBER_ACCESS and (
                rule != "namespace" or _is_namespace(seen, place, before, end)
            ):
                yield at, end, after, rule


@lru_cache(maxsize=1 << 16)
def _renaming(word: str) -> tuple[str, str]:
    """Return the rule for a name, empty where there is none, and its new name."""
    if word in RENAMED_NAMESPACES:
        return "namespace", RENAMED_NAMESPACES[word]
    rule, after = RENAMED_NAMES.get(word) or (
        "library",
        libraries.rename_library_symbol(word),
    )
    return ("", word) if after == word else (rule, after)


@lru_cache(maxsize=1 << 16)
def _renaming_in_unit(word: str) -> tuple[str, str]:
    if HIP_COMPILER_MACROS.fullmatch(word):
        return "branch", NEVER_DEFINED_MACRO
    return (
        ("compiler", TOOLKIT_MACROS[word])
        if word in TOOLKIT_MACROS
        else _renaming(word)
    )


def _speaks_hip(seen: MaskedSource) -> bool:
    of_hip = ("hip", "__hip", "HIP_")
    return any(word.startswith(of_hip) for word in seen.words) or any(
        seen.text.startswith("hip", start + 1) for start, _ in seen.header_ranges
    )


def _is_namespace(seen: MaskedSource, place: int, before: str, end: int) -> bool:
    if before == "::" and is_word_character(seen.token_before(place)[1][-1:]):
        return False
    if seen.token_start_after(end) == "::" or before == "namespace":
        return True
    return (
        before == "="
        and seen.token_before(seen.token_before(place)[0])[1] == "namespace"
    )
