"""Parse Starlark, and what the interpreter makes of its functions and calls."""

from __future__ import annotations

import ast
import warnings
from collections import ChainMap
from dataclasses import dataclass
from typing import Any, Final

from crawler.builds.bazel.starlark_values import Unsupported

MAX_FILE_CHARS: Final = 2 << 20
MACRO_PREFIX: Final = "def "
"""What the name of a macro's own call begins with; it comes after the calls inside."""


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A macro, and the scope that it was defined in."""

    node: ast.FunctionDef
    scope: ChainMap[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of something that is not written in Starlark: a rule, or a function of the tool."""

    name: str
    positional: list[Any]
    named: dict[str, Any]


def parse_starlark(text: str) -> ast.Module:
    """Return the syntax tree of a file, of which Starlark's is a subset.

    Raises `Unsupported` where it is no Python either, or too large.
    """
    if len(text) > MAX_FILE_CHARS:
        raise Unsupported

    try:
        with warnings.catch_warnings():
            # e.g. an invalid escape sequence in a string of the project's
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unsupported from error
