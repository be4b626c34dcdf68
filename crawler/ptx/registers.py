"""What rules for PTX instructions work on: operands, and the C++ that stands for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

HELPER_NAMESPACE: Final = "::kernelset::ptx::"
"""Where `<kernelset/hip.h>` has the functions that translations call."""

Words = Sequence[str]
"""The modifiers of an instruction, or its operands."""


class Untranslatable(Exception):
    """No rule says what this is in HIP."""


class RegisterScope(Protocol):
    """The registers that an instruction may name."""

    def format_value(self, source: str, cpp_type: str) -> str:
        """Return a source operand as a C++ type."""
        ...

    def format_variable(self, name: str) -> str:
        """Return the variable of a register or of a numbered operand."""
        ...

    def format_assignment(self, destination: str, value: str) -> str:
        """Return the statement that writes a value into a register."""
        ...

    def format_address(self, operand: str) -> str:
        """Return what stands in square brackets, as a number."""
        ...

    def split_vector(self, operand: str) -> tuple[str, ...]:
        """Return the registers in braces, or the one that stands alone."""
        ...


def call_helper(function: str, *arguments: str) -> str:
    """Return a call of a helper function; `function` has its template arguments."""
    return f"{HELPER_NAMESPACE}{function}({', '.join(arguments)})"


def format_values(sources: Words, cpp_type: str, scope: RegisterScope) -> list[str]:
    """Return several source operands as one C++ type."""
    return [scope.format_value(source, cpp_type) for source in sources]


def format_bool(value: bool) -> str:
    """Return a C++ literal."""
    return "true" if value else "false"
