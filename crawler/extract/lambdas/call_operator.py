"""Read the function that a lambda is: its parameters, what it returns, and its body."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.files.source_text import SourceText
from crawler.extract.clang.cursor import ClangType, Cursor
from crawler.extract.clang.cursor_queries import list_child_cursors
from crawler.extract.clang.parse import file_location
from crawler.extract.clang.signature import template_parameter_cursors

_CALL_OPERATOR: Final = "operator()"
_OPERATOR_KINDS: Final = (CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE)
_ATTRIBUTES: Final = {
    CursorKind.CUDAHOST_ATTR: "__host__",
    CursorKind.CUDADEVICE_ATTR: "__device__",
}
# clang has `auto` for the type of a parameter that each call decides, in its spelling alone
_AUTO: Final = re.compile(r"\bauto(?::\d+)?(?!\w)")

TypeSpeller = Callable[[ClangType], str | None]
"""Spells a type wherever it may stand; `None` for one that cannot be written."""


SourceReader = Callable[[str], SourceText | None]
"""Reads a file by the name that clang has for it; `None` for what is not the project's."""


@dataclass(frozen=True, slots=True)
class CallOperator:
    """The call operator of a lambda."""

    cursor: Cursor
    file_name: str
    """The file that its body stands in, as clang opened it."""
    source: SourceText
    body_start: int
    body_end: int

    def has_place(self, file_name: str, offset: int) -> bool:
        """Tell whether a place lies in the body."""
        is_in_range = self.body_start <= offset < self.body_end
        return file_name == self.file_name and is_in_range

    @property
    def body(self) -> str:
        """Its body, one character for each byte."""
        text = self.source.raw[self.body_start : self.body_end]
        return text if text.startswith("{") else f"{{ {text} }}"


def find_call_operator(
    lambda_class: Cursor, read_source: SourceReader
) -> CallOperator | None:
    """Return the call operator of a lambda's class; `None` where a macro makes its body."""
    for operator in list_child_cursors(lambda_class):
        if operator.kind not in _OPERATOR_KINDS or operator.spelling != _CALL_OPERATOR:
            continue

        for body in list_child_cursors(operator):
            if body.kind is CursorKind.COMPOUND_STMT:
                return _locate_body(operator, body, read_source)

    return None


def _locate_body(
    operator: Cursor, body: Cursor, read_source: SourceReader
) -> CallOperator | None:
    located = _locate_range(operator, body, body, read_source)
    if located is None or located.source.raw.startswith("{", located.body_start):
        return located

    # of `{ __VA_ARGS__ }` in a macro, what stands between was written where the macro is used
    statements = list_child_cursors(body)
    if not statements:
        return None

    inner = _locate_range(operator, statements[0], statements[-1], read_source)
    # the macro's own text again
    if inner is None or inner.body_start == located.body_start:
        return None

    end = inner.body_end
    is_ended = inner.source.raw.startswith(";", end)
    return replace(inner, body_end=end + 1) if is_ended else inner


def _locate_range(
    operator: Cursor, first: Cursor, last: Cursor, read_source: SourceReader
) -> CallOperator | None:
    # what is an argument of a macro stands where it was written
    file_name, start = file_location(first.extent.start)
    end_file_name, end = file_location(last.extent.end)
    source = read_source(file_name)
    if source is None or file_name != end_file_name or start >= end:
        return None

    return CallOperator(operator, file_name, source, start, end)


def render_head(operator: Cursor, spell_type: TypeSpeller) -> str | None:
    """Return the head of a call operator as a member of a class: `__device__ void operator()(int
    i) const`.

    `None` where a type in it cannot be written.
    """
    children = list_child_cursors(operator)
    parameters: list[str] = []
    deduced_names: list[str] = []
    for child in children:
        if child.kind is not CursorKind.PARM_DECL:
            continue

        spelled: str | None = child.type.spelling
        if _AUTO.search(child.type.spelling):
            deduced_names.append(f"Argument{len(deduced_names) + 1}")
            spelled = _AUTO.sub(deduced_names[-1], child.type.spelling)
        else:
            spelled = spell_type(child.type)

        if spelled is None:
            return None

        parameters.append(declare_variable(spelled, child.spelling))

    template_names = [
        cursor.spelling
        for cursor in template_parameter_cursors(operator)
        if not _AUTO.match(cursor.spelling)
    ]
    # `[]<int N>(auto x)`: rare, and its head would have to be put together
    if template_names:
        return None

    result = "auto"
    if not deduced_names:
        result = spell_type(operator.result_type) or "auto"

    template_head = ""
    if deduced_names:
        names = ", ".join(f"typename {name}" for name in deduced_names)
        template_head = f"template <{names}> "

    attributes = [
        word
        for kind, word in _ATTRIBUTES.items()
        if any(child.kind is kind for child in children)
    ]
    # a lambda without them is for both where a kernel calls it
    words = " ".join(attributes or _ATTRIBUTES.values())
    qualifier = "" if is_mutable(operator) else " const"

    return f"{template_head}{words} {result} operator()({', '.join(parameters)}){qualifier}"


def is_mutable(operator: Cursor) -> bool:
    """Tell whether a call may change what the lambda has captured by value."""
    return not operator.is_const_method()


def declare_variable(type_text: str, name: str) -> str:
    """Return the declaration of a variable, its type an array or a pointer to a function too."""
    for opening in ("(*", "(&", "["):
        front, mark, back = type_text.partition(opening)
        if not mark:
            continue
        if opening == "[":
            return f"{front.rstrip()} {name}{mark}{back}"

        return f"{front}{mark}{name}{back}"

    gap = "" if type_text.endswith(("*", "&")) else " "
    return f"{type_text}{gap}{name}"
