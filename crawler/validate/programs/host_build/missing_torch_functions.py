"""Functions of PyTorch that a launcher names and our stand-in for it does not have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

# what linkers say
_UNDEFINED: Final = re.compile(
    # GNU ld, and lld
    r"undefined reference to `([^']+)'|undefined symbol: (\S+)"
)
_OF_PYTORCH: Final = re.compile(r"_ZN[VKRO]*(2at|3c10|5torch)\w+")
"""What is mangled so is a function: the headers that declare PyTorch have no variables.

Source: Itanium C++ ABI, 5.1, `<nested-name>`.
"""
_REFUSE: Final = "kernelset_refuse_missing"
"""Defined in `kernelset/torch_calls/missing.h`."""


def list_missing_torch_functions(messages: str) -> tuple[str, ...]:
    """Return the functions of PyTorch that a linker's `messages`, with mangled names, say are
    undefined.
    """
    matches = _UNDEFINED.finditer(messages)
    symbols = dict.fromkeys(matched[1] or matched[2] for matched in matches)
    return tuple(filter(_OF_PYTORCH.fullmatch, symbols))


def render_throwing_definitions(symbols: Sequence[str]) -> str:
    """Return C++ that defines `symbols`: whoever calls one of them gets an exception."""
    lines = [f'extern "C" [[noreturn]] void {_REFUSE}();']
    for number, symbol in enumerate(symbols):
        name = f"kernelset_missing_{number}"
        lines += [
            f'extern "C" void {name}() __asm__("{symbol}");',
            f'extern "C" void {name}() {{ {_REFUSE}(); }}',
        ]

    return "\n".join(lines) + "\n"
