"""Print types, template arguments and symbols with clang's own printer and mangler."""

from __future__ import annotations

import ctypes
import re
from functools import cache
from typing import Any, Final

from clang import cindex

from crawler.cpp.demangle import demangle_symbol, spell_function_arguments
from crawler.cpp.template_argument_text import (
    find_printed_arguments,
    split_template_arguments,
)

_SUPPRESS_UNWRITTEN_SCOPE: Final = 5
_TERSE: Final = 17
_FULLY_QUALIFIED: Final = 25
_STUB: Final = "__device_stub__"
_MANGLED_STUB: Final = re.compile(r"(\d+)__device_stub__")
_ANONYMOUS: Final = "(anonymous namespace)::"
_ENUMERATOR: Final = re.compile(r"[A-Za-z_][\w:]*")
_DEEPEST: Final = 12
_PARAMETERS: Final = frozenset(
    {
        cindex.CursorKind.TEMPLATE_TYPE_PARAMETER,
        cindex.CursorKind.TEMPLATE_NON_TYPE_PARAMETER,
        cindex.CursorKind.TEMPLATE_TEMPLATE_PARAMETER,
    }
)
UNNAMEABLE_TYPE_PATTERN: Final = re.compile(
    r"\(lambda|\(unnamed|\(anonymous|type-parameter-"
)


@cache
def _library() -> Any:
    library = cindex.conf.lib
    library.clang_getCursorPrintingPolicy.argtypes = [cindex.Cursor]
    library.clang_getCursorPrintingPolicy.restype = ctypes.c_void_p
    library.clang_PrintingPolicy_setProperty.argtypes = [
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_uint,
    ]
    library.clang_PrintingPolicy_dispose.argtypes = [ctypes.c_void_p]
    library.clang_getCursorPrettyPrinted.argtypes = [cindex.Cursor, ctypes.c_void_p]
    library.clang_getCursorPrettyPrinted.restype = cindex._CXString
    return library


class _Text(ctypes.Structure):
    _fields_ = (("content", ctypes.c_void_p), ("flags", ctypes.c_uint))


@cache
def _strings() -> tuple[Any, Any, Any]:
    library = ctypes.CDLL(cindex.conf.lib._name)
    library.clang_getCursorSpelling.argtypes = [cindex.Cursor]
    library.clang_getCursorSpelling.restype = _Text
    library.clang_getCString.argtypes = [_Text]
    library.clang_getCString.restype = ctypes.c_char_p
    library.clang_disposeString.argtypes = [_Text]
    return (
        library.clang_getCursorSpelling,
        library.clang_getCString,
        library.clang_disposeString,
    )


def cursor_name(cursor: Any) -> str:
    """Return a cursor's spelling, ten times faster than the bindings: bodies refer to many
    thousand names.
    """
    spelling, content, dispose = _strings()
    text = spelling(cursor)
    found = content(text) or b""
    dispose(text)
    return str(found, "utf-8", "replace")


def print_template_arguments(specialisation: Any) -> tuple[str, ...] | None:
    """Return a function specialisation's template arguments, packs laid out flat; `None` where
    none can be written.
    """
    is_member = (
        specialisation.kind is cindex.CursorKind.CXX_METHOD
    )  # of which libclang does not count them
    if not is_member and specialisation.get_num_template_arguments() < 0:
        return ()
    written = find_printed_arguments(
        _printed(specialisation), str(specialisation.spelling)
    )
    if not is_member and written is not None:
        written = _canonical(specialisation, written)
    if written and any(argument.startswith("&") for argument in written):
        known = (
            find_printed_arguments(
                demangle_symbol(device_symbol(specialisation)),
                str(specialisation.spelling),
            )
            or ()
        )
        written = spell_function_arguments(written, known)
    if is_member:
        written = (*_of_class(specialisation.semantic_parent), *(written or ()))
    if written is None or any(
        UNNAMEABLE_TYPE_PATTERN.search(argument) for argument in written
    ):
        return None
    return written


def _canonical(specialisation: Any, written: tuple[str, ...]) -> tuple[str, ...]:
    """Spell templates among the arguments anew: the printer does not qualify what stands inside
    of them.
    """
    if len(written) != specialisation.get_num_template_arguments():
        return written
    spelled = list(written)
    for at, argument in enumerate(written):
        if (
            "<" in argument
            and _kind(specialisation, at) is cindex.TemplateArgumentKind.TYPE
        ):
            spelled[at] = _in_full(
                specialisation.get_template_argument_type(at), _DEEPEST
            )
    return tuple(argument.replace(_ANONYMOUS, "") for argument in spelled)


def print_qualified_type(clang_type: Any) -> str:
    """Spell a type with all names qualified, also the arguments of an explicit specialisation,
    printed as written.
    """
    return _in_full(clang_type, _DEEPEST).replace(_ANONYMOUS, "")


def _in_full(type_: Any, depth: int) -> str:
    canonical = type_.get_canonical()
    text, made = str(canonical.spelling), canonical.get_declaration()
    head = text.partition("<")[0]
    parts = (
        split_template_arguments(text, len(head) + 1)
        if head.endswith(made.spelling) and text.endswith(">") and depth
        else []
    )
    kinds = [
        _kind(made, at)
        for at in range(min(len(parts), made.get_num_template_arguments()))
    ]
    if not parts or len(kinds) < len(parts) or None in kinds:
        return text
    parameters = _parameters(made)
    return f"{head}<{', '.join(_argument(made, at, part, parameters, depth) for at, part in enumerate(parts))}>"


def _argument(made: Any, at: int, part: str, parameters: list[Any], depth: int) -> str:
    kind = _kind(made, at)
    if kind is cindex.TemplateArgumentKind.TYPE:
        return _in_full(made.get_template_argument_type(at), depth - 1)
    named = kind is cindex.TemplateArgumentKind.INTEGRAL and _ENUMERATOR.fullmatch(part)
    if named and part not in ("true", "false") and len(parameters) > at:
        return f"static_cast<{parameters[at].type.get_canonical().spelling}>({made.get_template_argument_value(at)})"
    return part


def _kind(specialisation: Any, at: int) -> Any:
    """Return the kind of a template argument; `None` for a pack, a template or an expression."""
    try:
        return specialisation.get_template_argument_kind(at)
    except ValueError:
        return None


def _parameters(made: Any) -> list[Any]:
    """Return the parameters of the template that a class was made from."""
    template = cindex.conf.lib.clang_getSpecializedCursorTemplate(made)
    while (
        template is not None
        and template.kind is cindex.CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION
    ):
        template = cindex.conf.lib.clang_getSpecializedCursorTemplate(template)
    return (
        [child for child in template.get_children() if child.kind in _PARAMETERS]
        if template is not None
        else []
    )


def _of_class(owner: Any) -> tuple[str, ...]:
    """Return the template arguments of the class that a member stands in."""
    if owner is None or owner.get_num_template_arguments() <= 0:
        return ()
    return (
        find_printed_arguments(
            str(owner.type.spelling).replace(_ANONYMOUS, ""), str(owner.spelling)
        )
        or ()
    )


def device_symbol(function: Any) -> str:
    """Return a kernel's name in device code, where the host's pass mangles its launch stub."""
    mangled = str(function.mangled_name)
    if mangled.startswith(_STUB):
        return mangled.removeprefix(_STUB)
    return _MANGLED_STUB.sub(
        lambda stub: str(int(stub.group(1)) - len(_STUB)), mangled, count=1
    )


def _printed(cursor: Any) -> str:
    library = _library()
    policy = library.clang_getCursorPrintingPolicy(cursor)
    for option in (_TERSE, _SUPPRESS_UNWRITTEN_SCOPE, _FULLY_QUALIFIED):
        library.clang_PrintingPolicy_setProperty(policy, option, 1)
    text = cindex._CXString.from_result(
        library.clang_getCursorPrettyPrinted(cursor, policy)
    )
    library.clang_PrintingPolicy_dispose(policy)
    return str(text).replace(_ANONYMOUS, "")
