"""What a C++ file defines, as far as a call graph wants it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from crawler.model import Span


@dataclass(frozen=True, slots=True)
class OutlinedFunction:
    """A function definition."""

    name: str
    span: Span
    body_words: frozenset[str]
    """Names in its body."""

    @property
    def call_name(self) -> str:
        """What calls of it are written with: the last part of its name.

        For a functor's operator it is the name of the functor.
        """
        return self.name.removesuffix("::operator()").rpartition("::")[2]


@dataclass(frozen=True, slots=True)
class MacroRegistration:
    """A macro used beside functions, which may join a name to a function.

    E.g. `REGISTER(stub, CUDA, stub_cuda);`.
    """

    macro: str
    arguments: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class PythonBinding:
    """A name given to Python, and the words of what it is bound to."""

    name: str
    target_words: tuple[str, ...]
    span: Span
    verb: str
    """`def`, `impl` or `op`."""
    dispatch_key: str = ""
    """The device that it is registered for, such as `CPU`; empty where that is not said."""


@dataclass(frozen=True, slots=True)
class FileOutline:
    """What a file defines."""

    path: str
    functions: tuple[OutlinedFunction, ...]
    registrations: tuple[MacroRegistration, ...]
    python_bindings: tuple[PythonBinding, ...]
    macro_words: Mapping[str, frozenset[str]]
    """The words in the text of each macro that it defines."""

    def find_function_at(self, offset: int) -> OutlinedFunction | None:
        """Return the function that an offset lies in."""
        following = bisect_right(
            self.functions, offset, key=lambda function: function.span.offset
        )
        if following == 0:
            return None

        candidate = self.functions[following - 1]
        return candidate if offset < candidate.span.end_offset else None
