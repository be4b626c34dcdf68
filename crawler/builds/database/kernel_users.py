"""Find the names by which translation units use a header's kernels."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from crawler.builds.database.guarded_values import (
    Enumerator,
    find_guarded_values,
    iter_type_aliases,
)
from crawler.builds.database.source_words import SourceWords
from crawler.checkout.include_graph import IncludeGraph
from crawler.cpp.identifiers import IDENTIFIER

_MAX_INCLUDERS: Final = 400
_MAX_DECLARING_HEADERS: Final = 120
_MAX_KERNELS: Final = 16
# A library of templates has thousands of headers, of which the few units to parse are to be
# found: this must be much faster than the parses that it saves.
_TYPE: Final = re.compile(
    r"^(?:struct|class)\s+([A-Za-z_]\w*)\s*(?=[{:<]|final\b)", re.MULTILINE
)
_KERNEL: Final = re.compile(
    r"__global__[^;{}]{0,300}?(?<=[\s*&>])(?!__)([A-Za-z_]\w*)\s*\("
)


@dataclass(frozen=True, slots=True)
class KernelUsers:
    """Names by which a unit uses a kernel: one of `names`, or one of `types` with a value."""

    names: frozenset[str]
    types: frozenset[str] = frozenset()
    values: frozenset[Enumerator] = frozenset()
    """Values of a template parameter, for which alone `types` use the kernel."""


class KernelUserFinder:
    """Follows a header's kernels through the headers between it and the units.

    A unit rarely names a kernel itself: it instantiates `DeviceConv`, whose header has
    `struct DeviceConv`, which launches the kernel.
    """

    def __init__(
        self, graph: IncludeGraph, units: Container[str], words: SourceWords
    ) -> None:
        self._graph = graph
        self._units = units
        self._words = words

        # by header
        self._declared_names: dict[str, frozenset[str]] = {}
        self._users: dict[str, tuple[tuple[str, KernelUsers], ...]] = {}

    def find_users(
        self, header: str, kernel_names: Collection[str] = ()
    ) -> tuple[KernelUsers, ...]:
        """Return what uses the kernels of a header, as far as the headers between say so.

        Uses for some values of a parameter alone come first. Where the header has no kernel,
        its types stand in for one. With `kernel_names` only those kernels count, each with
        its own name at least.
        """
        if header not in self._users:
            self._users[header] = tuple(self._collect_users(header))

        found_kernels: set[str] = set()
        users: dict[KernelUsers, None] = {}

        for kernel, kernel_users in self._users[header]:
            found_kernels.add(kernel)
            if not kernel_names or kernel in kernel_names:
                users[kernel_users] = None

        for kernel in sorted(set(kernel_names) - found_kernels):
            users[KernelUsers(frozenset({kernel}))] = None

        return tuple(users)

    def list_declared_names(self, header: str) -> frozenset[str]:
        """Return the types and kernels of a header and of the headers that include it."""
        if header not in self._declared_names:
            headers = [
                file
                for file, steps in self._graph.iter_including_files(header)
                if steps <= 1 and file not in self._units
            ]

            names: set[str] = set()

            for file in headers[:_MAX_DECLARING_HEADERS]:
                code = self._words.read_code(file)
                names.update(_TYPE.findall(code))
                names.update(_KERNEL.findall(code))

            self._declared_names[header] = frozenset(names)

        return self._declared_names[header]

    def _collect_users(self, header: str) -> Iterator[tuple[str, KernelUsers]]:
        """Yield users with their kernels, those for some values of a parameter first."""
        code = self._words.read_code(header)
        kernels = _KERNEL.findall(code)
        distinct_kernels = dict.fromkeys(kernels)
        direct_users: dict[str, set[str]] = {}

        for kernel in islice(distinct_kernels, _MAX_KERNELS):
            # a kernel may be defined several times, in branches of an `#if`
            definition_count = kernels.count(kernel)
            launching_types = _find_launching_types(kernel, code, definition_count)
            direct_users[kernel] = {kernel, *launching_types}

        if not direct_users:
            types = _TYPE.findall(code)
            direct_users[""] = set(types)

        users: dict[str, frozenset[str]] = {}
        for kernel, names in direct_users.items():
            all_names = self._follow_types(names, header)
            # the kernel's own name is no user of it
            own_name_count = 1 if kernels else 0
            if len(all_names) > own_name_count:
                users[kernel] = all_names

        for kernel, names_of_users in users.items():
            if not kernel:
                continue

            guarded_users = self._find_guarded_users(kernel, names_of_users, header)
            if guarded_users is not None:
                yield kernel, guarded_users

        for kernel, names_of_users in users.items():
            yield kernel, KernelUsers(names_of_users)

    def _follow_types(self, names: set[str], header: str) -> frozenset[str]:
        """Return `names` with the types and aliases of headers that use them, step by step."""
        names = set(names)
        for file in self._list_headers_between(header):
            # the words are cached, the text is not
            if names.isdisjoint(self._words.list_words(file)):
                continue

            code = self._words.read_code(file)
            names.update(_TYPE.findall(code))
            names.update(
                alias
                for alias, meaning in iter_type_aliases(code)
                if not names.isdisjoint(IDENTIFIER.findall(meaning))
            )

        return frozenset(names)

    def _find_guarded_users(
        self, kernel: str, names: frozenset[str], header: str
    ) -> KernelUsers | None:
        """Return what names the values for which alone a kernel is used.

        `None` where it is used for any value.
        """
        values = self._find_guarded_values(kernel, header)
        if not values:
            return None

        aliases: set[str] = set()
        for file in self._list_headers_between(header):
            words = self._words.list_words(file)
            if names.isdisjoint(words) or not has_any_value(words, values):
                continue

            for alias, meaning in iter_type_aliases(self._words.read_code(file)):
                meaning_words = frozenset(IDENTIFIER.findall(meaning))
                if names.isdisjoint(meaning_words):
                    continue

                if has_any_value(meaning_words, values):
                    aliases.add(alias)

        return KernelUsers(frozenset(aliases), names, values)

    def _find_guarded_values(
        self, kernel: str, header: str
    ) -> frozenset[Enumerator] | None:
        """Return the values of the nearest header that uses the kernel, its own one first."""
        for file in (header, *self._list_headers_between(header)):
            if kernel not in self._words.list_words(file):
                continue

            values = find_guarded_values(self._words.read_code(file), kernel)
            if values is not None:
                return values

        return None

    def _list_headers_between(self, header: str) -> list[str]:
        """Return the headers by way of which units include one, the nearest first."""
        all_includers = self._graph.iter_including_files(header)
        headers = []

        for file, steps in islice(all_includers, _MAX_INCLUDERS):
            if steps and file not in self._units:
                headers.append(file)

        return headers


def has_any_value(words: Container[str], values: Iterable[Enumerator]) -> bool:
    """Tell whether an enumeration and one of its enumerators are among `words`."""
    return any(enumeration in words and name in words for enumeration, name in values)


def _find_launching_types(kernel: str, code: str, definition_count: int) -> set[str]:
    """Return the types of a header which may launch its kernel.

    Those are the types behind whose heads it is named, or all where it is named in front of
    them; none where the header only defines it.
    """
    uses = [match.start() for match in re.finditer(rf"\b{kernel}\b", code)]
    if len(uses) <= definition_count:
        return set()

    definitions = {
        match.start(1) for match in _KERNEL.finditer(code) if match[1] == kernel
    }
    type_starts = []
    type_names = []

    for match in _TYPE.finditer(code):
        type_starts.append(match.start())
        type_names.append(match[1])

    launching_types: set[str] = set()
    for use in uses:
        # the last type whose head stands before the use
        position = bisect_left(type_starts, use) - 1
        if use not in definitions and position >= 0:
            launching_types.add(type_names[position])

    return launching_types or set(type_names)
