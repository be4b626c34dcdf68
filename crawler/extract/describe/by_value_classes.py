"""Names of the classes that a kernel takes by value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from crawler.model import Instantiation, Parameter, TemplateParameter

# a type as libclang prints it, or as one parameter has it
_QUALIFIER: Final = re.compile(r"\b(?:const|volatile|typename|struct|class)\b")
# a name that may be qualified, without its template arguments
_LAST_NAME: Final = re.compile(r"(?:^|::|\s)([^\W\d]\w*)$")
_ARITHMETIC_WORDS: Final = frozenset(
    {"bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned"}
)


def find_by_value_classes(
    parameters: Sequence[Parameter],
    template_parameters: Sequence[TemplateParameter],
    instantiations: Sequence[Instantiation],
) -> tuple[str, ...]:
    """Return the names of the classes that a kernel is passed by value.

    They are their own names, without the scopes that they stand in.
    """
    class_names = _iter_class_names(parameters, template_parameters, instantiations)
    return tuple(dict.fromkeys(class_names))


def _iter_class_names(
    parameters: Sequence[Parameter],
    template_parameters: Sequence[TemplateParameter],
    instantiations: Sequence[Instantiation],
) -> Iterator[str]:
    template_names = [parameter.name for parameter in template_parameters]
    for parameter in parameters:
        if "*" in parameter.type or "&" in parameter.type:
            continue

        written_type = _QUALIFIER.sub(" ", parameter.type).strip()
        for instantiation in instantiations:
            # `Params` may be a parameter of the template: then each instantiation says its
            # class
            argument_by_name = dict(
                zip(template_names, instantiation.arguments, strict=False)
            )
            resolved_type = argument_by_name.get(written_type, written_type)
            class_name = extract_class_name(resolved_type)

            if class_name and class_name not in _ARITHMETIC_WORDS:
                yield class_name


def extract_class_name(type_name: str) -> str:
    """Return a class's own name: without its template arguments and its scope."""
    while type_name.endswith(">"):
        opening = _find_last_opening(type_name)
        type_name = type_name[:opening].rstrip()

    match = _LAST_NAME.search(type_name)
    return match[1] if match else ""


def _find_last_opening(type_name: str) -> int:
    """Return where the last angle bracket of a type is opened; 0 where it is not."""
    angle_depth = 0
    round_depth = 0

    for position in range(len(type_name) - 1, -1, -1):
        character = type_name[position]
        round_depth += (character == ")") - (character == "(")
        # within round brackets `<` and `>` may be comparisons
        if round_depth:
            continue

        angle_depth += (character == ">") - (character == "<")
        if not angle_depth:
            return position

    return 0
