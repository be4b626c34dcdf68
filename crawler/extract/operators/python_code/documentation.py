"""Find the words in which a project's Python documents what leads to an operator.

What is bound is seldom documented itself: the function or class round it is that users call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_MAX_DISTANCE: Final = 3
"""Uses between what calls an operator and what is documented."""
_MAX_CHARACTERS: Final = 500
_MIN_WORDS: Final = 3
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
# a docstring's line: `Args:`, `Returns`, `:param x: …`, `>>> f()`, `@return …`
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
    """How its docstring begins, in one line: what it does, before parameters and examples."""
    distance: int
    """Uses between it and what calls the operator."""


class DocumentedModule:
    """The functions and classes of a Python file, who of them names whom, and their docstrings."""

    def __init__(self, tree: ast.Module) -> None:
        self._definitions: dict[tuple[str, ...], _Definition] = {}
        self._users: dict[str, list[tuple[str, ...]]] = {}
        for statement in tree.body:
            self._add_statement(statement)

    def find_documentation(self, caller: tuple[str, ...]) -> Documentation | None:
        """Return what the file says of a caller, of the class that it is in, or of what uses
        these, the nearest first; `caller` has the names of the scopes round a call.
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

            users = [user for names in levels for user in self._users.get(names[0], ())]
            levels = [user for user in dict.fromkeys(users) if user not in known]
            known.update(levels)

        return None

    def _add_statement(self, statement: ast.stmt) -> None:
        names: list[tuple[str, ...]] = []
        if isinstance(statement, _Definition):
            names.append((statement.name,))
            self._add_definition(statement, ())
        elif isinstance(statement, ast.Assign):
            # `roi_align = RoIAlignFunction.apply` is one more name of the class
            names += [
                (target.id,)
                for target in statement.targets
                if isinstance(target, ast.Name)
            ]

        for used_name in dict.fromkeys(_iter_names(statement)):
            self._users.setdefault(used_name, []).extend(names)

    def _add_definition(self, definition: _Definition, outer: tuple[str, ...]) -> None:
        names = (*outer, definition.name)
        self._definitions[names] = definition
        for statement in definition.body:
            if isinstance(statement, _Definition) and len(names) < _MAX_DISTANCE:
                self._add_definition(statement, names)

    def _summarise(self, names: tuple[str, ...]) -> str:
        definition = self._definitions.get(names)
        docstring = ast.get_docstring(definition) if definition else None
        return summarise_docstring(docstring) if docstring else ""


def summarise_docstring(docstring: str) -> str:
    """Return what a docstring, without its indentation, says first: whole sentences in one line;
    empty where it only lists parameters, or says nothing in words.
    """
    text = " ".join(_iter_paragraphs(docstring))
    text = _LINK.sub(r"\1", _ROLE.sub("", text))
    if len(text) > _MAX_CHARACTERS:
        ends = [end.end() for end in _SENTENCE_END.finditer(text, 0, _MAX_CHARACTERS)]
        text = text[: ends[-1]] if ends else ""
    # what goes on with a formula or a list that is not here: `…, computed as:`
    if text.endswith(":"):
        ends = [end.end() for end in _SENTENCE_END.finditer(text)]
        text = text[: ends[-1]] if ends else ""

    return text if len(text.split()) >= _MIN_WORDS else ""


def _iter_paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs in words up to the first section, without directives and code."""
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        if _SECTION.match(line):
            break
        # no prose: `.. image:: …`, an indented block behind a blank line, one that makes room
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
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
