"""Find the docstring that says what an operator does.

A bound name is seldom documented itself, while the function or class round it, which users call,
often is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

_MAX_DISTANCE: Final = 3
"""Uses between what calls an operator and what is documented."""
_MAX_NESTING: Final = 3
"""Scopes round a definition, its own among them."""
_MAX_USERS: Final = 100
"""Users of a name that are looked at: a bound, since a file's author is a stranger."""
_MAX_CHARACTERS: Final = 500
_MIN_WORDS: Final = 3
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
# the line of a docstring that begins a section: `Args:`, `Returns`, `:param x: …`, `>>> f()`
_SECTION: Final = re.compile(
    r"(?i)(?:args|arguments|param(?:eter)?s?|returns?|raises|yields|examples?|notes?|references?"
    r"|shapes?|inputs?|outputs?|usage|see also|attributes|keyword args|todo|warnings?)\s*:?\s*$"
    r"|(?:args|returns?|inputs?|outputs?|parameters|example)\s*:\s"
    r"|:(?:param|return|rtype|raises|type)\b|>>>|@param|@return|-{3,}|={3,}"
)
# a role of reStructuredText: :attr:`src`, :math:`\mathbf{r}`
_ROLE: Final = re.compile(r":[a-z][\w:]*:(?=`)")
# a link of reStructuredText: `node2vec <https://…>`_
_LINK: Final = re.compile(r"`([^`<]+?)\s*<[^`>]*>`_+")
# the end of a sentence within a paragraph
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s|$)")


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
        known = {caller[:1]}
        for distance in range(_MAX_DISTANCE + 1):
            for names in levels:
                text = self._summarise(names)
                if text:
                    return Documentation(".".join(names), text, distance)

            users = (user for names in levels for user in self._users.get(names[0], ()))
            first_users = dict.fromkeys(islice(users, _MAX_USERS))
            levels = [user for user in first_users if user not in known]
            known.update(levels)

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
        return summarise_docstring(docstring) if docstring else ""


def summarise_docstring(docstring: str) -> str:
    """Return the whole sentences with which a docstring begins, in one line; empty where it has
    none, but a list of parameters, for instance.
    """
    text = " ".join(_iter_paragraphs(docstring))
    text = _LINK.sub(r"\1", _ROLE.sub("", text))
    if len(text) > _MAX_CHARACTERS:
        ends = [end.end() for end in _SENTENCE_END.finditer(text, 0, _MAX_CHARACTERS)]
        text = text[: ends[-1]] if ends else ""
    # `…, computed as:` leads to a formula or a list, which is left out
    if text.endswith(":"):
        ends = [end.end() for end in _SENTENCE_END.finditer(text)]
        text = text[: ends[-1]] if ends else ""

    return text if len(text.split()) >= _MIN_WORDS else ""


def _iter_paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs before the first section, without directives and code."""
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        if _SECTION.match(line):
            break
        # no prose: `.. image:: …`, an indented block behind a blank line, a lone `|` for space
        is_block = not lines and line.startswith((" ", "\t"))
        is_prose = line.strip("| ") and not line.startswith(".. ") and not is_block
        if is_prose:
            lines.append(line.strip())
        elif lines:
            yield " ".join(lines)
            lines = []

    if lines:
        yield " ".join(lines)


def _iter_names(statement: ast.stmt) -> Iterator[str]:
    """Yield each name that a statement reads."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
