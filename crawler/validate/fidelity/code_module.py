"""Functions and variables of a module of code, and what an entry leads to among them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CodeItem:
    """A function, a variable or a type of a module."""

    name: str
    head: str
    """Its type, up to the body or the initial value, without its linkage."""
    body: str
    """Between braces, or what it is initialised with; empty for a declaration."""
    is_entry: bool = False
    is_text: bool = False
    """Whether it is an array of initialised bytes, such as a string."""


class CodeModule:
    """A module by the names of its items."""

    def __init__(self, items: Iterable[CodeItem], symbol: re.Pattern[str]) -> None:
        """`symbol` matches a name of an item wherever one stands in a head or a body."""
        self.items: dict[str, CodeItem] = {}
        self._symbol = symbol
        self._named_items: dict[str, tuple[str, ...]] = {}
        for item in items:
            known_item = self.items.get(item.name)
            # a declaration may stand before or behind its definition
            if known_item is None or not known_item.body:
                self.items[item.name] = item

    @property
    def entries(self) -> list[str]:
        """The names of the kernels, in order."""
        return [item.name for item in self.items.values() if item.is_entry]

    def reachable_items(self, entry: str) -> list[CodeItem]:
        """Return an entry and what it leads to, in the order in which it is named."""
        ordered: dict[str, CodeItem] = {entry: self.items[entry]}
        pending = deque([entry])
        while pending:
            item = self.items[pending.popleft()]
            for name in self._list_named_items(item):
                if name not in ordered:
                    ordered[name] = self.items[name]
                    pending.append(name)

        return list(ordered.values())

    def _list_named_items(self, item: CodeItem) -> tuple[str, ...]:
        """Return the names of items in the text of one, which many entries may lead to."""
        if item.name not in self._named_items:
            words = dict.fromkeys(self._symbol.findall(render_item(item)))
            named = tuple(word for word in words if word in self.items)
            self._named_items[item.name] = named

        return self._named_items[item.name]

    def rename_symbols(self, item: CodeItem, new_names: dict[str, str]) -> str:
        """Return an item's text with names replaced."""

        def rename(match: re.Match[str]) -> str:
            name = match[0]
            return new_names.get(name) or self.derive_name(name, item.name, new_names)

        return self._symbol.sub(rename, render_item(item))

    def derive_name(self, name: str, owner: str, new_names: dict[str, str]) -> str:
        """Return what a name that is no item's becomes in the text of the item `owner`."""
        return name


def render_item(item: CodeItem) -> str:
    """Return an item's text."""
    return f"{item.head}\n{item.body}"
