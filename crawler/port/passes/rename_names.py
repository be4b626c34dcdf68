"""Rename CUDA's functions, types, constants, macros and namespaces to HIP's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.hip.predefined_macros import HIP_COMPILER_MACROS, NEVER_DEFINED_MACRO
from crawler.port.hip_mentions import mentions_hip
from crawler.port.interface import PortRule, RuleEdit
from crawler.port.tables import (
    RENAMED_NAMES,
    RENAMED_NAMESPACES,
    SAME_NAME_TYPES,
    TOOLKIT_MACROS,
    libraries,
)

_MEMBER_ACCESS: Final = frozenset({".", "->"})


class _Renaming(NamedTuple):
    rule: str
    new_name: str


class _RenameNames:
    name = "rename_names"
    order = 40
    keeps_lines = True

    def find_edits(
        self, source: MaskedSource, *, is_whole_file: bool
    ) -> Iterator[RuleEdit]:
        find_renaming = _find_renaming if is_whole_file else _find_renaming_in_unit
        for word in source.words - _names_to_keep(source, is_whole_file=is_whole_file):
            renaming = find_renaming(word)
            if renaming is not None:
                yield from _rename(source, word, renaming)


def _names_to_keep(source: MaskedSource, *, is_whole_file: bool) -> frozenset[str]:
    """Return the types that both dialects have by one name, where the text means HIP's."""
    if not is_whole_file or SAME_NAME_TYPES.isdisjoint(source.words):
        return frozenset()

    return SAME_NAME_TYPES if mentions_hip(source) else frozenset()


def _rename(source: MaskedSource, word: str, renaming: _Renaming) -> Iterator[RuleEdit]:
    for start in source.find_word_offsets(word):
        end = start + len(word)
        _, previous = source.token_before(start)
        # e.g. `allocator.cudaMalloc(n)` calls the project's own member
        if previous in _MEMBER_ACCESS:
            continue
        is_namespace_name = renaming.rule == "namespace"
        if is_namespace_name and not _is_namespace(source, start, end):
            continue

        yield RuleEdit(
            start=start,
            end=end,
            replacement=renaming.new_name,
            rule=renaming.rule,
            before=word,
            after=renaming.new_name,
        )


@lru_cache(maxsize=1 << 16)
def _find_renaming(word: str) -> _Renaming | None:
    if word in RENAMED_NAMESPACES:
        return _Renaming("namespace", RENAMED_NAMESPACES[word])

    if word in RENAMED_NAMES:
        rule, new_name = RENAMED_NAMES[word]
    else:
        rule, new_name = "library", libraries.rename_library_symbol(word)

    return None if new_name == word else _Renaming(rule, new_name)


@lru_cache(maxsize=1 << 16)
def _find_renaming_in_unit(word: str) -> _Renaming | None:
    # A unit holds what CUDA's compiler saw, so code for HIP's compilers may be incomplete in it.
    if HIP_COMPILER_MACROS.fullmatch(word):
        return _Renaming("branch", NEVER_DEFINED_MACRO)
    if word in TOOLKIT_MACROS:
        return _Renaming("compiler", TOOLKIT_MACROS[word])

    return _find_renaming(word)


def _is_namespace(source: MaskedSource, start: int, end: int) -> bool:
    """Tell whether the name at a place names a namespace.

    It does in `cub::Sum`, `return ::cub::Sum`, `using namespace cub` and `namespace c = ::cub`;
    in `mine::cub::Sum` it is another one's.
    """
    if source.has_qualifier(start):
        return False

    previous_start, previous = source.token_before(start)
    if previous == "::":
        previous_start, previous = source.token_before(previous_start)
    if source.token_start_after(end) == "::" or previous == "namespace":
        return True
    if previous != "=":
        return False

    alias_start, _ = source.token_before(previous_start)
    _, keyword = source.token_before(alias_start)
    return keyword == "namespace"


PLUGIN: Final[PortRule] = _RenameNames()
