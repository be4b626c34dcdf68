"""What a compiler for CUDA sees of a text, under each choice of the macros that it asks about."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import pytest

from crawler.cpp.directives import BRANCHING, OPENING, with_directives
from crawler.cpp.lexer import TokenKind, drop_blanks_and_comments, tokenize

_CONDITIONAL = OPENING | BRANCHING
_CUDA = ("-D__CUDACC__", "-D__NVCC__", "-D__CUDA_ARCH__=800")
_NO_MACRO = frozenset({"defined", "__CUDACC__", "__NVCC__", "__CUDA_ARCH__"})


def read_preprocessed_tokens(text: str) -> list[list[str]] | None:
    """Return the tokens that are left of a text for each choice; `None` where it is in error."""
    compiler = shutil.which("clang-19") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no preprocessor is installed")

    tokens = []
    for defines in _iter_choices(text):
        preprocessed = subprocess.run(
            [compiler, "-E", "-P", "-nostdinc", *_CUDA, *defines, "-x", "c++", "-"],
            input=text.encode("utf-8", "surrogatepass"),
            capture_output=True,
            check=False,
        )
        if preprocessed.returncode:
            return None
        remaining = tokenize(preprocessed.stdout.decode("utf-8", "replace"))
        tokens.append([token.text for token in drop_blanks_and_comments(remaining)])
    return tokens


def _iter_choices(text: str) -> Iterator[list[str]]:
    """Yield none of the macros that conditions name, each by itself, and all of them."""
    condition_names = {
        token.text
        for token, directive in with_directives(tokenize(text))
        if directive in _CONDITIONAL and token.kind is TokenKind.NAME
    }
    defines = [
        f"-D{name}=1" for name in sorted(condition_names - _CONDITIONAL - _NO_MACRO)
    ]
    yield []
    for define in defines:
        yield [define]
    if len(defines) > 1:
        yield defines
