"""Find what a lambda's body takes from outside: captured variables, constants, types.

clang gives each captured variable a member without a name; where it is captured, its name stands.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from clang.cindex import CursorKind, TypeKind

from crawler.cpp.identifiers import IDENTIFIER
from crawler.extract.clang.cursor import ClangType, Cursor
from crawler.extract.clang.cursor_kinds import FUNCTION_KINDS
from crawler.extract.clang.cursor_queries import NodeBudget, collect_descendants
from crawler.extract.clang.parse import file_location
from crawler.extract.lambdas.call_operator import (
    CallOperator,
    TypeSpeller,
    declare_variable,
    is_mutable,
)
from crawler.extract.lambdas.constant_values import evaluate_constant

_MAX_NODES: Final = 200_000
_REFERENCE_KINDS: Final = frozenset(
    kind.value for kind in (CursorKind.DECL_REF_EXPR, CursorKind.TYPE_REF)
)
_ALIAS_KINDS: Final = (CursorKind.TYPEDEF_DECL, CursorKind.TYPE_ALIAS_DECL)
_CLASS_KINDS: Final = (CursorKind.STRUCT_DECL, CursorKind.CLASS_DECL)
_CONSTANT_KINDS: Final = (CursorKind.VAR_DECL, CursorKind.ENUM_CONSTANT_DECL)
_REFERENCE_TYPES: Final = (TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE)


class UnwritableLambda(Exception):
    """A lambda that no class with a name can stand for."""


@dataclass(slots=True)
class _OuterReferences:
    """What the body of a lambda refers to."""

    local: dict[tuple[str, int], list[Cursor]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Variables of the functions round it, by the place of each reference."""
    of_class: list[Cursor] = field(default_factory=list)
    """Constants and types of classes."""
    aliases: list[Cursor] = field(default_factory=list)
    """Types of the functions round it."""


def list_members(
    lambda_class: Cursor,
    operator: CallOperator,
    spell_type: TypeSpeller,
) -> list[str]:
    """Return the declarations of a class that make a lambda's body mean the same in it.

    Raises `UnwritableLambda`: what is captured by reference is
    the host's, as is the object of `this`.
    """
    references = _collect_references(operator)
    captures = dict(_iter_captures(lambda_class, operator, references, spell_type))

    members: dict[str, str] = {}
    for cursor in references.aliases:
        members[cursor.spelling] = _declare_alias(cursor, spell_type)

    for places in references.local.values():
        for cursor in places:
            if cursor.spelling not in captures:
                members[cursor.spelling] = _declare_constant(cursor, spell_type)

    for cursor in references.of_class:
        # what a class has may be named by its class as well
        try:
            is_alias = cursor.kind in _ALIAS_KINDS
            declare = _declare_alias if is_alias else _declare_constant
            members.setdefault(cursor.spelling, declare(cursor, spell_type))
        except UnwritableLambda:
            continue

    return [*members.values(), *captures.values()]


def _collect_references(operator: CallOperator) -> _OuterReferences:
    references = _OuterReferences()
    budget = NodeBudget(_MAX_NODES)
    for cursor in collect_descendants(operator.cursor, _REFERENCE_KINDS, budget):
        referenced = cursor.referenced
        if referenced is None or _is_own(referenced, operator):
            continue

        scope = _find_scope(referenced)
        if scope is None:
            continue
        if scope.kind in _CLASS_KINDS:
            if referenced.kind in (*_ALIAS_KINDS, *_CONSTANT_KINDS):
                references.of_class.append(referenced)
        elif scope.kind in FUNCTION_KINDS:
            _add_local(cursor, referenced, references)

    if budget.remaining <= 0:
        raise UnwritableLambda("its body is too large")

    return references


def _is_own(referenced: Cursor, operator: CallOperator) -> bool:
    """Tell whether a lambda itself declares something."""
    parent = referenced.semantic_parent
    if parent is not None and parent == operator.cursor:
        return True

    return operator.has_place(*file_location(referenced.location))


def _find_scope(referenced: Cursor) -> Cursor | None:
    """Return the scope of a declaration; of an enumerator that of its enumeration."""
    scope = referenced.semantic_parent
    if scope is not None and referenced.kind is CursorKind.ENUM_CONSTANT_DECL:
        return scope.semantic_parent

    return scope


def _add_local(
    reference: Cursor, referenced: Cursor, references: _OuterReferences
) -> None:
    """Add what a function round the lambda declares."""
    if referenced.kind in _ALIAS_KINDS:
        references.aliases.append(referenced)
    elif referenced.kind in (*_CLASS_KINDS, CursorKind.ENUM_DECL):
        raise UnwritableLambda("it names a class of the function round it")
    elif referenced.kind in (*_CONSTANT_KINDS, CursorKind.PARM_DECL):
        place = file_location(reference.location)
        references.local[place].append(referenced)


def _iter_captures(
    lambda_class: Cursor,
    operator: CallOperator,
    references: _OuterReferences,
    spell_type: TypeSpeller,
) -> Iterator[tuple[str, str]]:
    """Yield the name and the declaration of each captured variable, in order."""
    seen_names: set[str] = set()
    for capture in lambda_class.type.get_canonical().get_fields():
        if capture.type.kind in _REFERENCE_TYPES:
            raise UnwritableLambda("a variable that is captured by reference")

        name = _name_capture(capture, operator, references, seen_names)
        spelled = spell_type(capture.type)
        if spelled is None:
            raise UnwritableLambda(f"the type of {name} has no name")

        # a class with a member that is const cannot be assigned to
        if not is_mutable(operator.cursor) and capture.type.is_const_qualified():
            spelled = spelled.removeprefix("const ").removesuffix(" const")

        seen_names.add(name)
        yield name, f"{declare_variable(spelled, name)};"


def _name_capture(
    capture: Cursor,
    operator: CallOperator,
    references: _OuterReferences,
    seen_names: set[str],
) -> str:
    place = file_location(capture.location)
    candidates = [
        cursor.spelling
        for cursor in references.local.get(place, ())
        if cursor.spelling not in seen_names
    ]
    if candidates:
        return candidates[0]

    # in the brackets of the lambda
    file_name, offset = place
    word = IDENTIFIER.match(operator.source.raw, offset)
    if file_name != operator.file_name or word is None or word[0] == "this":
        raise UnwritableLambda("it captures `this`, or what a macro makes")

    # in a body that nothing instantiates clang may not say what a name means
    is_generic = operator.cursor.kind is CursorKind.FUNCTION_TEMPLATE
    is_pointer = capture.type.kind is TypeKind.POINTER
    if operator.has_place(*place) and (is_pointer or not is_generic):
        raise UnwritableLambda("it captures `this`")

    return word[0]


def _declare_alias(alias: Cursor, spell_type: TypeSpeller) -> str:
    spelled = spell_type(alias.underlying_typedef_type)
    if spelled is None:
        raise UnwritableLambda(f"the type {alias.spelling} has no name")

    return f"using {alias.spelling} = {spelled};"


def _declare_constant(constant: Cursor, spell_type: TypeSpeller) -> str:
    value = ""
    if constant.kind in _CONSTANT_KINDS:
        value = evaluate_constant(constant)

    spelled = _spell_constant_type(constant, spell_type)
    if not value or not spelled:
        raise UnwritableLambda(f"{constant.spelling} is no constant that is a number")

    return f"static constexpr {spelled} {constant.spelling} = {value};"


def _spell_constant_type(constant: Cursor, spell_type: TypeSpeller) -> str:
    if constant.kind is CursorKind.ENUM_CONSTANT_DECL:
        return "int"

    spelled = spell_type(constant.type.get_canonical()) or ""
    return spelled.removeprefix("const ")


def bind_template_parameters(
    names: Collection[str], arguments: Sequence[tuple[Cursor, str]]
) -> list[str]:
    """Return what declares the template parameters among some names, each with its argument."""
    lines: list[str] = []
    for parameter, argument in arguments:
        name = parameter.spelling
        if name not in names:
            continue
        if parameter.kind is CursorKind.TEMPLATE_TYPE_PARAMETER:
            lines.append(f"using {name} = {argument};")
        elif parameter.kind is CursorKind.TEMPLATE_NON_TYPE_PARAMETER:
            lines.append(
                f"static constexpr {_value_type(parameter.type)} {name} = {argument};"
            )
        else:
            raise UnwritableLambda(f"{name} is a template")

    return lines


def _value_type(parameter_type: ClangType) -> str:
    canonical = parameter_type.get_canonical().spelling
    is_dependent = "type-parameter-" in canonical or "auto" in canonical
    return "auto" if is_dependent else canonical.removeprefix("const ")
