"""Find the docstring that says what an operator does.

A bound name is seldom documented itself, while the function or class round it, which users call,
often is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from crawler.extract.describe.prose import summarise_prose

_MAX_DISTANCE: Final = 3
"""Uses between what calls an operator and what is documented."""
_MAX_NESTING: Final = 3
"""Scopes round a definition, its own among them."""
_MAX_USERS: Final = 100
"""Users of a name that are looked at: a bound, since a file's author is a stranger."""
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Documentation:
    """What a project says of a function or a class of its Python code."""

    name: str
    """Of the function or the class, qualified."""
    text: str
    """The beginning of its docstring, in one line: what comes before parameters and examples."""
    distance: int
    """Uses between it and what calls the operator."""


class DocumentedModule:
    """The functions and classes of a Python file, their docstrings, and which name which."""

    def __init__(self, tree: ast.Module) -> None:
        self._definitions: dict[tuple[str, ...], _Definition] = {}
        self._users: dict[str, list[tuple[str, ...]]] = {}
        for statement in tree.body:
            self._add_statement(statement)

    def find_documentation(self, caller: tuple[str, ...]) -> Documentation | None:
        """Return the nearest docstring: that of a caller, of the class round it, or of what uses
        these; `None` without one. `caller` has the names of the scopes round a call.
        """
        levels: list[tuple[str, ...]] = [
            caller[:length] for length in range(len(caller), 0, -1)
        ]
        reached_names = {caller[:1]}
        for distance in range(_MAX_DISTANCE + 1):
            for names in levels:
                text = self._summarise(names)
                if text:
                    return Documentation(".".join(names), text, distance)

            users = (user for names in levels for user in self._users.get(names[0], ()))
            first_users = dict.fromkeys(islice(users, _MAX_USERS))
            levels = [user for user in first_users if user not in reached_names]
            reached_names.update(levels)

        return None

    def _add_statement(self, statement: ast.stmt) -> None:
        definitions: list[tuple[str, ...]] = []
        if isinstance(statement, _Definition):
            definitions.append((statement.name,))
            self._add_definition(statement, ())
        elif isinstance(statement, ast.Assign):
            # `roi_align = RoIAlignFunction.apply` is one more name of the class
            definitions += [
                (target.id,)
                for target in statement.targets
                if isinstance(target, ast.Name)
            ]

        for used_name in dict.fromkeys(_iter_names(statement)):
            self._users.setdefault(used_name, []).extend(definitions)

    def _add_definition(self, definition: _Definition, outer: tuple[str, ...]) -> None:
        names = (*outer, definition.name)
        self._definitions[names] = definition
        for statement in definition.body:
            if isinstance(statement, _Definition) and len(names) < _MAX_NESTING:
                self._add_definition(statement, names)

    def _summarise(self, names: tuple[str, ...]) -> str:
        definition = self._definitions.get(names)
        docstring = ast.get_docstring(definition) if definition else None
        return summarise_prose(docstring) if docstring else ""


def _iter_names(statement: ast.stmt) -> Iterator[str]:
    """Yield each name that a statement reads."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
