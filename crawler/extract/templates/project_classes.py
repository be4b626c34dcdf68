"""The classes of a project that may be template arguments of its kernels."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import Final

from clang.cindex import CursorKind

from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_queries import list_child_cursors
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.signature import (
    read_template_parameter,
    template_parameter_cursors,
)
from crawler.extract.templates.argument_choices import (
    ELEMENT_TYPES,
    INDEX_TYPES,
    list_argument_choices,
)
from crawler.extract.templates.argument_combinations import stem_of
from crawler.model import KernelFacts, TemplateParameter

MAX_CLASSES: Final = 32
"""Classes that are tried for one parameter, or in place of one class."""
_MAX_FREE_PARAMETERS: Final = 4
"""Parameters without a default of a class template that is taken for a guess."""
_MIN_STEM_LENGTH: Final = 4
# names with scopes within one argument
_QUALIFIED_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:::\w+)+")
_CLASS_KINDS: Final = {CursorKind.STRUCT_DECL, CursorKind.CLASS_DECL}
_CALL_OPERATOR: Final = "operator()"
_UNRELATED: Final = 2
"""Distance of a class that shares no name with a parameter."""


class ProjectClasses:
    """The class templates and the plain classes of one translation unit."""

    def __init__(self, declarations: Iterable[Declaration]) -> None:
        types = [
            declaration
            for declaration in declarations
            if declaration.kind == "type" and not _is_implementation_detail(declaration)
        ]

        self._templates = [
            declaration
            for declaration in types
            if declaration.cursor.kind is CursorKind.CLASS_TEMPLATE
        ]

        self._classes = [
            declaration for declaration in types if _is_plain_class(declaration)
        ]

        self._names_by_namespace: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for declaration in self._classes:
            name = _qualify(declaration, declaration.cursor.spelling)
            self._names_by_namespace[declaration.namespaces].append(name)

    def find_fitting(
        self, stem: str, members: Collection[str], kernel: KernelFacts
    ) -> Iterator[str]:
        """Yield the classes that have some members.

        First those in a namespace that is called like the parameter, then those called so, then
        others. Where no members are asked for, neither the others nor templates fit.
        """
        patterns = [re.compile(rf"\b{re.escape(member)}\b") for member in members]
        fitting = [
            declaration
            for declaration in self._classes
            if _has_members(declaration, patterns)
        ]

        ranked = sorted(
            fitting, key=lambda declaration: _distance_to(declaration, stem)
        )

        names: dict[str, None] = {}
        for declaration in ranked:
            # a class that has to offer nothing needs a name that says it is meant
            if members or _distance_to(declaration, stem) < _UNRELATED:
                names[_qualify(declaration, declaration.cursor.spelling)] = None

        yield from names

        templates = [
            template
            for template in (self._templates if members else ())
            if _has_members(template, patterns)
        ]
        # what holds indices or keys is none of floating-point numbers
        for element_type in (ELEMENT_TYPES[0], INDEX_TYPES[0]):
            for template in templates:
                text = self._instantiate(template, kernel, element_type)
                if text:
                    yield text

    def find_callable(self, argument_count: int, kernel: KernelFacts) -> Iterator[str]:
        """Yield class templates whose objects are called with so many arguments, for a type
        that computes.
        """
        for template in self._templates:
            if _CALL_OPERATOR not in template.raw_text:
                continue

            text = self._instantiate(template, kernel)
            if text and argument_count in _list_call_arities(template.cursor):
                yield text

    def vary_names(self, arguments: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Yield arguments with one class in them replaced by others of its namespace in turn.

        Those that are declared nearest to it come first.
        """
        neighbours: dict[str, list[str]] = {}
        for namespace, names in self._names_by_namespace.items():
            if namespace:
                distinct_names = list(dict.fromkeys(names))
                neighbours.update(dict.fromkeys(distinct_names, distinct_names))

        named_classes: dict[str, None] = {}
        for argument in arguments:
            for name in _QUALIFIED_NAME.findall(argument):
                if name in neighbours:
                    named_classes[name] = None

        replacements = [
            islice(
                _iter_outwards(neighbours[name], neighbours[name].index(name)),
                MAX_CLASSES,
            )
            for name in named_classes
        ]

        # one of each class in turn
        for new_names in zip_longest(*replacements):
            for name, new_name in zip(named_classes, new_names, strict=True):
                if new_name:
                    whole_name = re.compile(rf"(?<![\w:]){re.escape(name)}(?![\w:])")
                    yield tuple(
                        whole_name.sub(new_name, argument) for argument in arguments
                    )

    def _instantiate(
        self,
        template: Declaration,
        kernel: KernelFacts,
        element_type: str = ELEMENT_TYPES[0],
    ) -> str:
        """Return a class template with the usual arguments; nothing where it takes what has
        none.
        """
        parameters = [
            read_template_parameter(cursor, template.source)
            for cursor in template_parameter_cursors(template.cursor)
        ]

        free_parameters = [
            parameter for parameter in parameters if not parameter.default
        ]

        if len(free_parameters) > _MAX_FREE_PARAMETERS:
            return ""

        arguments = [
            self._choose_usual_argument(parameter, kernel, element_type)
            for parameter in free_parameters
        ]

        if not all(arguments):
            return ""

        return _qualify(template, f"{template.cursor.spelling}<{', '.join(arguments)}>")

    def _choose_usual_argument(
        self, parameter: TemplateParameter, kernel: KernelFacts, element_type: str
    ) -> str:
        """Return what a class template of a guess takes: a class of the namespace that its
        parameter is called like, else `element_type`.
        """
        if parameter.kind != "type":
            choices = list_argument_choices(parameter, kernel)
            return choices[0] if choices else ""

        stem = stem_of(parameter.name)
        for namespace, names in self._names_by_namespace.items():
            if stem in namespace[-1:]:
                return names[0]

        return element_type


def _has_members(declaration: Declaration, patterns: Sequence[re.Pattern[str]]) -> bool:
    """Tell whether a class has members of some names, as far as it does not have them of a base."""
    if not patterns:
        return True
    # a quick look at the text, before the cursors
    if not all(pattern.search(declaration.raw_text) for pattern in patterns):
        return False

    members = list_child_cursors(declaration.cursor)
    if any(member.kind is CursorKind.CXX_BASE_SPECIFIER for member in members):
        return True

    names = {member.spelling for member in members}

    return all(any(map(pattern.fullmatch, names)) for pattern in patterns)


def _qualify(declaration: Declaration, text: str) -> str:
    return "::".join((*declaration.namespaces, text))


def _distance_to(declaration: Declaration, stem: str) -> int:
    """Return how little a class has to do with parameters of a stem: 0, 1 or 2."""
    if stem in declaration.namespaces[-1:]:
        return 0

    name = declaration.cursor.spelling.lower()
    if len(stem) >= _MIN_STEM_LENGTH and stem in name:
        return 1

    return _UNRELATED


def _is_plain_class(declaration: Declaration) -> bool:
    """Tell whether a declaration defines a class that is no template."""
    cursor = declaration.cursor
    return bool(
        cursor.kind in _CLASS_KINDS
        and cursor.is_definition()
        and cursor.get_num_template_arguments() < 0
        and cursor.spelling.isidentifier()
    )


def _is_implementation_detail(declaration: Declaration) -> bool:
    return any(name in ("detail", "impl") for name in declaration.namespaces)


def _iter_outwards(names: Sequence[str], center: int) -> Iterator[str]:
    """Yield the names beside one, the nearest first, on the right before on the left."""
    for distance in range(1, len(names)):
        for index in (center + distance, center - distance):
            if 0 <= index < len(names):
                yield names[index]


def _list_call_arities(class_cursor: Cursor) -> set[int]:
    arities = set()
    for member in list_child_cursors(class_cursor):
        if member.spelling == _CALL_OPERATOR:
            parameters = [
                child
                for child in list_child_cursors(member)
                if child.kind is CursorKind.PARM_DECL
            ]
            arities.add(len(parameters))

    return arities
