"""What a C++ file defines, as far as a call graph wants it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from crawler.extract.operators.used_names import UsedNames
from crawler.model import Span


@dataclass(frozen=True, slots=True)
class OutlinedFunction:
    """A function definition."""

    name: str
    span: Span
    names: UsedNames
    """Names in its body."""
    is_member: bool = False
    """Whether it may be a member of a class."""
    is_internal: bool = False
    """Whether no other file can call it, unless it includes this one: `static`, `inline`, or of a
    namespace without a name.
    """

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
    macro_names: Mapping[str, UsedNames]
    """The names in the text of each macro that it defines."""
    included_files: frozenset[str] = frozenset()
    """File names, without folders, that it includes."""

    def find_function_at(self, offset: int) -> OutlinedFunction | None:
        """Return the function that an offset lies in."""
        following = bisect_right(
            self.functions, offset, key=lambda function: function.span.offset
        )
        if following == 0:
            return None

        candidate = self.functions[following - 1]
        return candidate if offset < candidate.span.end_offset else None
