"""Functions that an extension module calls and nothing defines: each becomes one that throws."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

# what GNU ld says
_UNDEFINED: Final = re.compile(r"undefined reference to `([^'\n]+)'")
_FUNCTION: Final = re.compile(r"_Z(?!T|GV)(?!N\w*E\Z)\w+")
"""Of mangled names those of functions: a variable's in a namespace ends behind it.

Source: Itanium C++ ABI, 5.1, `<encoding>`.
"""


def list_unbuilt_functions(messages: str) -> tuple[str, ...]:
    """Return the functions that a linker's `messages`, with mangled names, say are undefined."""
    symbols = dict.fromkeys(_UNDEFINED.findall(messages))
    return tuple(filter(_FUNCTION.fullmatch, symbols))


def render_throwing_functions(symbols: Sequence[str]) -> str:
    """Return C++ that defines `symbols`: who calls one of them gets an exception with its name."""
    lines = ["#include <cxxabi.h>", "#include <stdexcept>", "#include <string>", _THROW]
    for number, symbol in enumerate(symbols):
        name = f"kernelset_unbuilt_{number}"
        lines += [
            f'extern "C" __attribute__((weak)) void {name}() __asm__("{symbol}");',
            f'extern "C" void {name}() {{ throw_unbuilt("{symbol}"); }}',
        ]

    return "\n".join(lines) + "\n"


_THROW: Final = """[[noreturn]] static void throw_unbuilt(const char* symbol) {
  int status = 0;
  const char* name = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  const std::string what = status == 0 ? name : symbol;
  throw std::runtime_error("kernelset: no source that was built has " + what);
}"""
