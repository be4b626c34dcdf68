"""Launches by name, `hipLaunchKernelGGL(kernel, grid, block, shared, stream, …)`, with chevrons.

To HIP it is a macro or a template, as a macro of the source says: only to the latter
`hipLaunchKernelGGL(k<A, B>, …)` has a kernel with two template arguments. Here it has always.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind, join_tokens, tokenize

_NAME: Final = "hipLaunchKernelGGL"
_CONFIGURATION_PARTS: Final = 4
"""Grid, block, shared memory and stream, between the kernel and its arguments."""


def spell_out_launches(tokens: Sequence[Token]) -> list[Token]:
    """Return `tokens` with each launch by name as `kernel<<<…>>>(…)`."""
    spelled: list[Token] = []
    position = 0
    while position < len(tokens):
        end = _find_call_end(tokens, position)
        if end < 0:
            spelled.append(tokens[position])
            position += 1
            continue

        call = tokens[position : end + 1]
        text = _spell_call(call) or join_tokens(call)
        spelled += tokenize(text)
        position = end + 1

    return spelled


def _find_call_end(tokens: Sequence[Token], position: int) -> int:
    """Return the position of the bracket that ends the call which begins at `position`; -1 where
    none does.
    """
    if tokens[position].text != _NAME:
        return -1

    opening = position + 1
    while opening < len(tokens) and tokens[opening].kind is TokenKind.SPACE:
        opening += 1
    if opening >= len(tokens) or tokens[opening].text != "(":
        return -1

    return closing_token(tokens, opening)


def _spell_call(call: Sequence[Token]) -> str:
    opening = next(at for at, token in enumerate(call) if token.text == "(")
    parts = [
        join_tokens(part) for part in split_tokens(call[opening + 1 : -1], angles=True)
    ]
    kernel, *rest = parts
    configuration = rest[:_CONFIGURATION_PARTS]
    if len(configuration) < _CONFIGURATION_PARTS:
        return ""

    arguments = ",".join(rest[_CONFIGURATION_PARTS:])
    # in brackets, as the macro has them: a configuration may hold a comma of its own
    chevrons = ", ".join(f"({part.strip()})" for part in configuration)
    spelled = f"{kernel.strip()}<<<{chevrons}>>>({arguments})"
    # markers of lines behind it keep their meaning
    return spelled + "\n" * (join_tokens(call).count("\n") - spelled.count("\n"))
