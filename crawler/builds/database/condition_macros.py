"""Macros in the conditions around kernels and launches of a source."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from crawler.checkout.include_graph import IncludeGraph

# All branches are read, those that a configuration does not take among them, so this is no
# question for a parser: each of them would follow one configuration.
_MARK: Final = re.compile(
    rb"^[ \t]*#[ \t]*"
    rb"(?P<word>if|ifdef|ifndef|elif|elifdef|elifndef|else|endif|define)\b"
    rb"(?P<rest>(?:\\\r?\n|[^\n])*)"
    rb"|(?P<kernel>\b__global__\b|<<<)",
    re.MULTILINE,
)
_NAME: Final = re.compile(rb"[A-Za-z_]\w*")
_MAX_DEPTH: Final = 16
_MAX_NAMES: Final = 64


class ConditionMacros(NamedTuple):
    """Names in the conditions of one file."""

    around_kernels: frozenset[str]
    """Those around kernels and launches."""
    around_defines: tuple[tuple[str, frozenset[str]], ...]
    """Macros that are defined under a condition, with the names in it."""


def find_macros_around_kernels(graph: IncludeGraph, file: str) -> frozenset[str]:
    """Return the macros that decide over device code in what a unit includes.

    Also by way of another macro: `HAS_K` around a kernel, and `SIMPLE` around
    `#define HAS_K`.
    """
    guard_macros: set[str] = set()
    names_by_define: dict[str, set[str]] = defaultdict(set)

    for path in graph.list_reached_files(file):
        guards = read_condition_macros(graph.tree.read_bytes(path))
        guard_macros |= guards.around_kernels

        for macro, enclosing_names in guards.around_defines:
            names_by_define[macro] |= enclosing_names

    pending = list(guard_macros)

    while pending:
        # each macro is followed once
        names = names_by_define.pop(pending.pop(), set())
        new_macros = names - guard_macros
        guard_macros |= new_macros
        pending.extend(new_macros)

    return frozenset(guard_macros)


@lru_cache(maxsize=4096)
def read_condition_macros(content: bytes) -> ConditionMacros:
    """Read the conditions around kernels, launches and defines of one file."""
    if b"#" not in content:
        return ConditionMacros(frozenset(), ())

    conditions = _OpenConditions()
    for match in _MARK.finditer(content):
        word = match["word"]
        if match["kernel"]:
            conditions.enter_kernel()
        elif word == b"endif":
            conditions.close()
        elif word == b"define":
            conditions.add_define(_list_names(match["rest"]))
        elif word.startswith(b"if"):
            conditions.open(_list_names(match["rest"]))
        else:
            conditions.add_branch(_list_names(match["rest"]))

    return ConditionMacros(
        frozenset(conditions.around_kernels), tuple(conditions.around_defines)
    )


def _list_names(line: bytes) -> list[str]:
    names = islice(_NAME.findall(line), _MAX_NAMES)
    return [name.decode() for name in names if name != b"defined"]


class _OpenConditions:
    """The conditions that are open at a place, each with the names in all its branches."""

    def __init__(self) -> None:
        self.around_kernels: set[str] = set()
        self.around_defines: list[tuple[str, frozenset[str]]] = []
        self._open: list[set[str]] = []
        # conditions from the outermost whose names are in `around_kernels` already; without
        # the count thousands of kernels in one deep condition would take quadratic time
        self._collected_count = 0

    def open(self, names: list[str]) -> None:
        self._open.append(set(names))

    def add_branch(self, names: list[str]) -> None:
        """Add the names of an `#elif` or `#else`."""
        if not self._open or len(self._open[-1]) >= _MAX_NAMES:
            return

        condition = self._open[-1]
        condition.update(names)
        if self._collected_count == len(self._open):
            self.around_kernels.update(names)

    def add_define(self, names: list[str]) -> None:
        """Note that a macro, the first of `names`, is defined here."""
        innermost_conditions = self._open[-_MAX_DEPTH:]
        enclosing_names = frozenset[str]().union(*innermost_conditions)
        if not names or not enclosing_names:
            return

        macro = names[0]
        self.around_defines.append((macro, enclosing_names))

    def enter_kernel(self) -> None:
        self.around_kernels.update(*self._open[self._collected_count :])
        self._collected_count = len(self._open)

    def close(self) -> None:
        del self._open[-1:]
        self._collected_count = min(self._collected_count, len(self._open))
