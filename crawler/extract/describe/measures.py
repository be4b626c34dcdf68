"""Measure the size and branching of a kernel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from crawler.cpp.edits import blank_ranges
from crawler.cpp.lexer import TokenKind, tokenize
from crawler.cpp.masked.opaque_parts import find_opaque_parts
from crawler.model import Kernel

_BRANCH_WORDS: Final = frozenset({"if", "for", "while", "case", "catch", "?"})
_LOOP_WORDS: Final = ("for", "while")
# lines that we have written round a closure
_FRAME_LINE: Final = re.compile(
    r"^(?:[ \t]*#[ \t]*include\b|template __global__ ).*$", re.MULTILINE
)


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
    """How many `for` and `while` its body has."""
    parameters: int
    """How many the kernel takes."""
    template_parameters: int
    """How many its template takes; 0 for a plain kernel."""
    dependencies: int
    """How many declarations of the project its unit carries."""
    unit_lines: int
    """Lines of its unit, prelude's `#include` and instantiations included."""
    closure_lines: int
    """Lines of code that its unit carries for it: neither its own, nor the prelude's `#include`,
    nor instantiations.
    """


def measure_kernel(kernel: Kernel) -> Measures:
    """Return the measures of a kernel."""
    code = blank_comments(kernel.source)
    words = [
        token.text for token in tokenize(code) if token.kind is not TokenKind.SPACE
    ]
    # template heads and attributes hold no branches of the kernel
    body = words[words.index("{") :] if "{" in words else words

    branch_words = sum(word in _BRANCH_WORDS for word in body)
    # the lexer cuts `&&` into two tokens
    joined_words = "".join(body)
    short_circuits = joined_words.count("&&") + joined_words.count("||")
    unit = kernel.unit

    code_lines = _count_code_lines(code)

    return Measures(
        lines=kernel.span.end_line - kernel.span.line + 1,
        code_lines=code_lines,
        cyclomatic_complexity=1 + branch_words + short_circuits,
        nesting=_measure_nesting(body),
        loops=sum(word in _LOOP_WORDS for word in body),
        parameters=len(kernel.parameters),
        template_parameters=len(kernel.template_parameters),
        dependencies=len(unit.dependencies) if unit else 0,
        unit_lines=unit.source.count("\n") if unit else 0,
        closure_lines=_count_closure_lines(unit.source, code_lines) if unit else 0,
    )


def _count_code_lines(code: str) -> int:
    return sum(bool(line.strip()) for line in code.splitlines())


def _count_closure_lines(unit_source: str, kernel_lines: int) -> int:
    """Return the lines of code of a unit beside the kernel and what stands round it."""
    closure = _FRAME_LINE.sub("", blank_comments(unit_source))
    return max(0, _count_code_lines(closure) - kernel_lines)


# all that describes a kernel asks for the same two texts
@lru_cache(maxsize=4)
def blank_comments(text: str) -> str:
    """Return a source with its comments blanked in place; what a string holds is none."""
    comments = (
        (part.start, part.end)
        for part in find_opaque_parts(text)
        if part.kind is TokenKind.COMMENT
    )
    return blank_ranges(text, comments)


def _measure_nesting(words: Sequence[str]) -> int:
    depth = 0
    deepest = 0

    for word in words:
        depth += (word == "{") - (word == "}")
        deepest = max(deepest, depth)

    return deepest
