"""Functions and variables of a PTX module, and what an entry leads to among them.

PTX has one statement after another at module level: directives, variables, functions
(https://docs.nvidia.com/cuda/parallel-thread-execution/#directives).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

# PTX, as compilers print it: its comments end with their lines, and it has no strings with braces
_COMMENT: Final = re.compile(r"//[^\n]*")
_FUNCTION: Final = re.compile(r"\.(entry|func)\s*(?:\([^)]*\)\s*)?([\w$.]+)")
_VARIABLE: Final = re.compile(r"([\w$.]+)((?:\[\d*\])*)\s*(?:=|\Z)")
_SYMBOL: Final = re.compile(r"(?<![\w$.%])[A-Za-z_$][\w$]*")
# numbers by the order in a module: `$L__BB3_7`, `__local_depot3`, `prototype_3 : .callprototype`
_FUNCTION_NUMBER: Final = re.compile(r"(\$L__BB)\d+(_)|(__local_depot|\bprototype_)\d+")
# lines of PTX that say nothing of a function
_MODULE_DIRECTIVE: Final = re.compile(r"\.(?:version|target|address_size|file)\b[^\n]*")


@dataclass(frozen=True, slots=True)
class PtxItem:
    """A function or a variable of a module."""

    name: str
    head: str
    """Its linkage and type, up to the body or the initial value."""
    body: str
    """Between braces, or what it is initialised with; empty for a declaration."""
    is_entry: bool = False
    is_function: bool = False

    @property
    def is_text(self) -> bool:
        """Whether it is an array of initialised bytes, such as a string."""
        return not self.is_function and bool(self.body) and ".b8" in self.head


class PtxModule:
    """A module by the names of its items."""

    def __init__(self, text: str) -> None:
        self.items: dict[str, PtxItem] = {}
        for item in _iter_items(text):
            known_item = self.items.get(item.name)
            # a declaration may stand before or behind its definition
            if known_item is None or not known_item.body:
                self.items[item.name] = item

    @property
    def entries(self) -> list[str]:
        """The names of the kernels, in order."""
        return [item.name for item in self.items.values() if item.is_entry]

    def reachable_items(self, entry: str) -> list[PtxItem]:
        """Return an entry and what it leads to, in the order in which it is named."""
        ordered: dict[str, PtxItem] = {entry: self.items[entry]}
        pending = [entry]
        while pending:
            item = self.items[pending.pop(0)]
            for name in _SYMBOL.findall(f"{item.head}\n{item.body}"):
                if name in self.items and name not in ordered:
                    ordered[name] = self.items[name]
                    pending.append(name)

        return list(ordered.values())


def rename_symbols(item: PtxItem, new_names: dict[str, str]) -> str:
    """Return an item's text with names replaced; a parameter's name begins with its function's."""
    own_prefix = f"{item.name}_param_"
    new_prefix = f"{new_names.get(item.name, item.name)}_param_"

    def rename(match: re.Match[str]) -> str:
        name = match[0]
        if name.startswith(own_prefix):
            return new_prefix + name.removeprefix(own_prefix)
        return new_names.get(name, name)

    return _SYMBOL.sub(rename, f"{item.head}\n{item.body}")


def _iter_items(text: str) -> Iterator[PtxItem]:
    code = _MODULE_DIRECTIVE.sub("", _COMMENT.sub("", text))
    code = _FUNCTION_NUMBER.sub(r"\1\2\3", code)
    for head, body in _split_statements(code):
        function = _FUNCTION.search(head)
        if function:
            yield PtxItem(
                name=function[2],
                head=" ".join(head.split()),
                body=_normalise_lines(body),
                is_entry=function[1] == "entry",
                is_function=True,
            )
            continue

        declaration, _, value = head.partition("=")
        variable = _VARIABLE.search(declaration.strip())
        if variable and declaration.strip().startswith("."):
            yield PtxItem(
                name=variable[1],
                head=" ".join(declaration.split()),
                body=" ".join(f"{value}{body}".split()),
            )


def _split_statements(code: str) -> Iterator[tuple[str, str]]:
    """Yield each statement at module level as what stands before its braces and in them."""
    depth = 0
    start = 0
    body_start = 0
    for match in re.finditer(r"[{};]", code):
        mark, position = match[0], match.start()
        if mark == "{":
            if not depth:
                body_start = position
            depth += 1
        elif mark == "}":
            depth -= 1
            head = code[start:body_start]
            # the value of a variable goes on to its `;`
            if not depth and "=" not in head:
                yield head.strip(), code[body_start + 1 : position]
                start = match.end()
        elif not depth:
            yield code[start:position].strip(), ""
            start = match.end()


def _normalise_lines(body: str) -> str:
    lines = (" ".join(line.split()) for line in body.splitlines())
    return "\n".join(line for line in lines if line)
