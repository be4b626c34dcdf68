"""Measure the size and branching of a kernel."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from crawler.cpp.lexer import TokenKind, tokenize
from crawler.model import Kernel

_BRANCHES: Final = frozenset({"if", "for", "while", "case", "catch", "?"})
_PAIRS: Final = re.compile(r"&&|\|\|")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Counts over the kernel's own text; those of its unit where it has one, else 0."""

    lines: int
    """From the first line of the definition to the last."""
    code_lines: int
    """Of those, the ones that hold more than a comment."""
    cyclomatic_complexity: int
    """1, and 1 for each `if`, `for`, `while`, `case`, `catch`, `?`, `&&` and `||`; McCabe's
    count for one function.
    """
    nesting: int
    """The deepest level of braces in the body."""
    loops: int
    parameters: int
    template_parameters: int
    dependencies: int
    unit_lines: int


def measure_kernel(kernel: Kernel) -> Measures:
    """Return the measures of a kernel."""
    code = blank_comments(kernel.source)
    words = [
        token.text for token in tokenize(code) if token.kind is not TokenKind.SPACE
    ]
    body = words[words.index("{") :] if "{" in words else words
    branches = sum(word in _BRANCHES for word in body) + len(
        _PAIRS.findall("".join(body))
    )
    unit = kernel.unit
    return Measures(
        lines=kernel.span.end_line - kernel.span.line + 1,
        code_lines=sum(bool(line.strip()) for line in code.splitlines()),
        cyclomatic_complexity=1 + branches,
        nesting=_deepest(body),
        loops=sum(word in ("for", "while") for word in body),
        parameters=len(kernel.parameters),
        template_parameters=len(kernel.template_parameters),
        dependencies=len(unit.dependencies) if unit else 0,
        unit_lines=unit.source.count("\n") if unit else 0,
    )


def blank_comments(text: str) -> str:
    """Return a source with a blank in place of each comment, its lines kept."""
    return _COMMENT.sub(
        lambda match: (
            match.group() if match.group()[0] != "/" else _blank(match.group())
        ),
        text,
    )


# strings and characters are matched so that nothing in them is taken for a comment
_COMMENT: Final = re.compile(
    r"""//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)'""",
    re.DOTALL,
)


def _blank(comment: str) -> str:
    return " " + "\n" * comment.count("\n")


def _deepest(words: list[str]) -> int:
    depth = deepest = 0
    for word in words:
        depth += (word == "{") - (word == "}")
        deepest = max(deepest, depth)
    return deepest
