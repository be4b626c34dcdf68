"""Replace launches by name, `hipLaunchKernelGGL(kernel, grid, block, shared, stream, …)`, with
chevrons.

HIP has the name as a macro, and as a template where a source asks for it. The macro takes
`hipLaunchKernelGGL(k<A, B>, …)` for a call with one argument more; the template does not. Here no
such comma counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token, TokenKind, join_tokens, tokenize

_NAME: Final = "hipLaunchKernelGGL"
_MAX_TOKENS: Final = 5000
"""Of one launch: a bound, since its author is a stranger and may close no bracket."""
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
        text = _spell_call(call)
        spelled += tokenize(text) if text else call
        position = end + 1

    return spelled


def _find_call_end(tokens: Sequence[Token], position: int) -> int:
    """Return the position of the bracket that ends the launch which begins at `position`; -1 where
    none begins there.
    """
    if tokens[position].text != _NAME:
        return -1

    opening = position + 1
    while opening < len(tokens) and tokens[opening].kind is TokenKind.SPACE:
        opening += 1
    if opening >= len(tokens) or tokens[opening].text != "(":
        return -1

    return closing_token(tokens, opening, opening + _MAX_TOKENS)


def _spell_call(call: Sequence[Token]) -> str:
    """Return a launch with chevrons; empty for one with too few arguments."""
    opening = next(index for index, token in enumerate(call) if token.text == "(")
    parts = [
        join_tokens(part) for part in split_tokens(call[opening + 1 : -1], angles=True)
    ]
    kernel, *rest = parts
    configuration = rest[:_CONFIGURATION_PARTS]
    if len(configuration) < _CONFIGURATION_PARTS:
        return ""

    arguments = ",".join(rest[_CONFIGURATION_PARTS:])
    # in brackets, as in HIP's macro: a part may hold a comma of its own
    chevrons = ", ".join(f"({part.strip()})" for part in configuration)
    spelled = f"{kernel.strip()}<<<{chevrons}>>>({arguments})"
    # what follows stays on its line, so that line markers keep their meaning
    return spelled + "\n" * (join_tokens(call).count("\n") - spelled.count("\n"))
