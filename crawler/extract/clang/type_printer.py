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
    split_printed_arguments,
)
from crawler.extract.clang.cursor import ClangType, Cursor
from crawler.extract.clang.cursor_kinds import TYPE_KINDS
from crawler.extract.clang.cursor_queries import (
    get_specialized_template,
    get_template_argument_kind,
)
from crawler.extract.clang.declaration_names import spell_enumerator
from crawler.extract.clang.signature import template_parameter_cursors

# properties of clang's printing policy: `enum CXPrintingPolicyProperty`
_SUPPRESS_UNWRITTEN_SCOPE: Final = 5
_TERSE_OUTPUT: Final = 17
_FULLY_QUALIFIED_NAME: Final = 25

_STUB_PREFIX: Final = "__device_stub__"
# a symbol as clang mangles it
_MANGLED_STUB: Final = re.compile(r"(\d+)__device_stub__")
_ANONYMOUS_NAMESPACE: Final = "(anonymous namespace)::"
# an argument as clang prints it: a name, but for `true`, `false` and `'x'`
_NAMED_CONSTANT: Final = re.compile(r"\b(?!true\b|false\b)[A-Za-z_]\w*(?!')\b")
_MAX_NESTED_TEMPLATES: Final = 12
# clang's own words for types without a name, in an argument that it prints
UNNAMEABLE_TYPE_PATTERN: Final = re.compile(
    r"\(lambda|\(unnamed|\(anonymous|type-parameter-"
)


@cache
def _load_printer() -> Any:
    """Return libclang with the signatures of its printer, which the bindings leave out."""
    library = cindex.conf.lib

    library.clang_getCursorPrintingPolicy.argtypes = [cindex.Cursor]
    library.clang_getCursorPrintingPolicy.restype = ctypes.c_void_p
    property_types = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint]
    library.clang_PrintingPolicy_setProperty.argtypes = property_types
    library.clang_PrintingPolicy_dispose.argtypes = [ctypes.c_void_p]

    library.clang_getCursorPrettyPrinted.argtypes = [cindex.Cursor, ctypes.c_void_p]
    library.clang_getCursorPrettyPrinted.restype = cindex._CXString

    return library


def print_template_arguments(specialisation: Cursor) -> tuple[str, ...] | None:
    """Return a function specialisation's template arguments, packs laid out flat.

    `None` where they cannot be written: a lambda has no name. Those of a member function begin
    with the arguments of its class.
    """
    arguments = print_unchecked_arguments(specialisation)
    if arguments is not None and any(map(UNNAMEABLE_TYPE_PATTERN.search, arguments)):
        return None

    return arguments


def print_unchecked_arguments(specialisation: Cursor) -> tuple[str, ...] | None:
    """Return the same, with what has no name as clang calls it: `(lambda at a.cu:3:9)`."""
    # libclang does not count the template arguments of member functions
    is_member = specialisation.kind is cindex.CursorKind.CXX_METHOD
    if not is_member and specialisation.get_num_template_arguments() < 0:
        return ()

    name = specialisation.spelling
    arguments = find_printed_arguments(_print_declaration(specialisation), name)

    if not is_member and arguments is not None:
        arguments = _qualify_arguments(specialisation, arguments)

    # clang prints a function without its template arguments
    if arguments and any(argument.startswith("&") for argument in arguments):
        demangled = demangle_symbol(device_symbol(specialisation))
        demangled_arguments = find_printed_arguments(demangled, name) or ()
        arguments = spell_function_arguments(arguments, demangled_arguments)

    if is_member:
        class_arguments = _print_class_arguments(specialisation.semantic_parent)
        arguments = (*class_arguments, *(arguments or ()))

    return arguments


def _qualify_arguments(
    specialisation: Cursor, printed_arguments: tuple[str, ...]
) -> tuple[str, ...]:
    """Spell templates among the arguments anew.

    The printer does not qualify what stands inside of them.
    """
    if len(printed_arguments) != specialisation.get_num_template_arguments():
        return printed_arguments

    spelled: list[str] = []
    for index, argument in enumerate(printed_arguments):
        if "<" in argument:
            kind = get_template_argument_kind(specialisation, index)
            if kind is cindex.TemplateArgumentKind.TYPE:
                argument_type = specialisation.get_template_argument_type(index)
                argument = _spell_type(argument_type, _MAX_NESTED_TEMPLATES)

        spelled.append(argument.replace(_ANONYMOUS_NAMESPACE, ""))

    return tuple(spelled)


def print_qualified_type(clang_type: ClangType) -> str:
    """Spell a type with all names qualified.

    clang itself prints the arguments of an explicit specialisation as they are written.
    """
    spelled = _spell_type(clang_type, _MAX_NESTED_TEMPLATES)
    return spelled.replace(_ANONYMOUS_NAMESPACE, "")


def _spell_type(clang_type: ClangType, depth: int) -> str:
    canonical = clang_type.get_canonical()
    text = canonical.spelling
    declaration = canonical.get_declaration()

    head = text.partition("<")[0]
    # an alias or a lambda has arguments that are not its own
    is_specialisation = head.endswith(declaration.spelling) and text.endswith(">")
    if not depth:
        return text
    if not is_specialisation:
        return _spell_derived_type(canonical, declaration, depth)

    printed_arguments = split_printed_arguments(text, len(head) + 1)
    if not printed_arguments:
        return text
    if declaration.get_num_template_arguments() < len(printed_arguments):
        return text

    kinds = [
        get_template_argument_kind(declaration, index)
        for index in range(len(printed_arguments))
    ]
    if None in kinds:
        return text

    parameters = _class_template_parameters(declaration)
    arguments = [
        _spell_argument(declaration, index, printed, parameters, depth)
        for index, printed in enumerate(printed_arguments)
    ]

    return f"{head}<{', '.join(arguments)}>"


def _spell_derived_type(clang_type: ClangType, declaration: Cursor, depth: int) -> str:
    """Spell a class within a class, a pointer, or a reference; another type as clang does."""
    text = clang_type.spelling
    if "<" not in text:
        return text
    if text.endswith(("*", "&")):
        sign = "&&" if text.endswith("&&") else text[-1]
        return f"{_spell_type(clang_type.get_pointee(), depth - 1)} {sign}"

    owner = declaration.semantic_parent
    member = f"::{declaration.spelling}"
    if owner is None or owner.kind not in TYPE_KINDS or not text.endswith(member):
        return text

    qualifier = "const " if clang_type.is_const_qualified() else ""
    return f"{qualifier}{_spell_type(owner.type, depth - 1)}{member}"


def _spell_argument(
    declaration: Cursor,
    index: int,
    printed: str,
    parameters: list[Cursor],
    depth: int,
) -> str:
    kind = get_template_argument_kind(declaration, index)
    if kind is cindex.TemplateArgumentKind.TYPE:
        argument_type = declaration.get_template_argument_type(index)
        return _spell_type(argument_type, depth - 1)

    is_integral = kind is cindex.TemplateArgumentKind.INTEGRAL
    if is_integral and len(parameters) > index:
        enumeration = parameters[index].type.get_canonical()
        enumeration_cursor = enumeration.get_declaration()
        # an explicit specialisation has its enumerators as they are written
        if enumeration_cursor.kind is cindex.CursorKind.ENUM_DECL:
            value = declaration.get_template_argument_value(index)
            enumerator = spell_enumerator(enumeration_cursor, value)
            return enumerator or f"static_cast<{enumeration.spelling}>({value})"
        # and constants, which may stand in a namespace
        if _NAMED_CONSTANT.search(printed):
            value = declaration.get_template_argument_value(index)
            is_truth = enumeration.kind is cindex.TypeKind.BOOL
            return str(bool(value)).lower() if is_truth else str(value)

    return printed


def _class_template_parameters(specialisation: Cursor) -> list[Cursor]:
    """Return the parameters of the template that a class was made from."""
    partial = cindex.CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION
    template = get_specialized_template(specialisation)

    while template is not None and template.kind is partial:
        template = get_specialized_template(template)

    if template is None:
        return []
    return template_parameter_cursors(template)


def _print_class_arguments(owner: Cursor | None) -> tuple[str, ...]:
    """Return the template arguments of the class that a member stands in."""
    if owner is None or owner.get_num_template_arguments() <= 0:
        return ()

    printed = owner.type.spelling.replace(_ANONYMOUS_NAMESPACE, "")
    return find_printed_arguments(printed, owner.spelling) or ()


def device_symbol(function: Cursor) -> str:
    """Return a kernel's name in device code, where the host's pass mangles its launch stub."""
    mangled = function.mangled_name
    if mangled.startswith(_STUB_PREFIX):
        return mangled.removeprefix(_STUB_PREFIX)

    def drop_stub_prefix(match: re.Match[str]) -> str:
        # mangled names begin with their length
        return str(int(match[1]) - len(_STUB_PREFIX))

    return _MANGLED_STUB.sub(drop_stub_prefix, mangled, count=1)


def _print_declaration(cursor: Cursor) -> str:
    library = _load_printer()
    policy = library.clang_getCursorPrintingPolicy(cursor)

    for option in (_TERSE_OUTPUT, _SUPPRESS_UNWRITTEN_SCOPE, _FULLY_QUALIFIED_NAME):
        library.clang_PrintingPolicy_setProperty(policy, option, 1)

    printed = library.clang_getCursorPrettyPrinted(cursor, policy)
    text = str(cindex._CXString.from_result(printed))
    library.clang_PrintingPolicy_dispose(policy)

    return text.replace(_ANONYMOUS_NAMESPACE, "")
