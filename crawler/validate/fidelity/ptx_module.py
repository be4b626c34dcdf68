"""Read a module of PTX as functions and variables.

PTX has one statement after another at module level: directives, variables, functions
(https://docs.nvidia.com/cuda/parallel-thread-execution/#directives).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.validate.fidelity.code_module import CodeItem, CodeModule

# PTX, as compilers print it: its comments end with their lines, and it has no strings with braces
_COMMENT: Final = re.compile(r"//[^\n]*")
_FUNCTION: Final = re.compile(r"\.(entry|func)\s*(?:\([^)]*\)\s*)?([\w$.]+)")
_VARIABLE: Final = re.compile(r"([\w$.]+)((?:\[\d*\])*)\s*(?:=|\Z)")
_LINKAGE: Final = re.compile(r"\.(?:visible|weak|extern|common)\s*")
_SYMBOL: Final = re.compile(r"(?<![\w$.%])[A-Za-z_$][\w$]*")
# numbers by the order in a module: `$L__BB3_7`, `__local_depot3`, `prototype_3 : .callprototype`
_FUNCTION_NUMBER: Final = re.compile(r"(\$L__BB)\d+(_)|(__local_depot|\bprototype_)\d+")
# lines of PTX that say nothing of a function
_MODULE_DIRECTIVE: Final = re.compile(r"\.(?:version|target|address_size|file)\b[^\n]*")


class PtxModule(CodeModule):
    """A module of PTX by the names of its items."""

    def __init__(self, text: str) -> None:
        super().__init__(_iter_items(text), _SYMBOL)

    def derive_name(self, name: str, owner: str, new_names: dict[str, str]) -> str:
        """A parameter's name begins with its function's."""
        own_prefix = f"{owner}_param_"
        if not name.startswith(own_prefix):
            return name

        new_owner = new_names.get(owner, owner)
        return f"{new_owner}_param_{name.removeprefix(own_prefix)}"


def _iter_items(text: str) -> Iterator[CodeItem]:
    code = _MODULE_DIRECTIVE.sub("", _COMMENT.sub("", text))
    code = _FUNCTION_NUMBER.sub(r"\1\2\3", code)
    for head, body in _split_statements(code):
        function = _FUNCTION.search(head)
        if function:
            yield CodeItem(
                name=function[2],
                head=_normalise_head(head),
                body=_normalise_lines(body),
                is_entry=function[1] == "entry",
            )
            continue

        declaration, _, value = head.partition("=")
        variable = _VARIABLE.search(declaration.strip())
        if variable and declaration.strip().startswith("."):
            yield CodeItem(
                name=variable[1],
                head=_normalise_head(declaration),
                body=" ".join(f"{value}{body}".split()),
                is_text=".b8" in declaration and bool(value or body),
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


def _normalise_head(head: str) -> str:
    return _LINKAGE.sub("", " ".join(head.split()))


def _normalise_lines(body: str) -> str:
    lines = (" ".join(line.split()) for line in body.splitlines())
    return "\n".join(line for line in lines if line)
