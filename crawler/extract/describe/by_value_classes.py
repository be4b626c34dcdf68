"""Names of the classes that a kernel takes by value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from crawler.model import Instantiation, Parameter, TemplateParameter

_QUALIFIER: Final = re.compile(r"\b(?:const|volatile|typename|struct|class)\b")
_LAST: Final = re.compile(r"(?:^|::|\s)([^\W\d]\w*)$")
_NUMBERS: Final = frozenset(
    {"bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned"}
)


def find_by_value_classes(
    parameters: Sequence[Parameter],
    template_parameters: Sequence[TemplateParameter],
    instantiations: Sequence[Instantiation],
) -> tuple[str, ...]:
    """Return the names of the classes that a kernel is passed by value, without what they stand
    in.
    """
    return tuple(
        dict.fromkeys(_structures(parameters, template_parameters, instantiations))
    )


def _structures(
    parameters: Sequence[Parameter],
    template_parameters: Sequence[TemplateParameter],
    instantiations: Sequence[Instantiation],
) -> Iterator[str]:
    names = [each.name for each in template_parameters]
    for parameter in parameters:
        if "*" in parameter.type or "&" in parameter.type:
            continue
        written = _QUALIFIER.sub(" ", parameter.type).strip()
        meant = (
            dict(zip(names, each.arguments, strict=False)).get(written, written)
            for each in instantiations
        )
        yield from (
            name
            for name in map(extract_class_name, meant)
            if name and name not in _NUMBERS
        )


def extract_class_name(type_name: str) -> str:
    """Return a class's own name: without its template arguments, and without what it stands in."""
    while type_name.endswith(">"):
        type_name = type_name[: _opening(type_name)].rstrip()
    found = _LAST.search(type_name)
    return found[1] if found else ""


def _opening(type_: str) -> int:
    """Return where the last bracket of a type is opened; 0 where it is not."""
    depth = rounds = 0
    for at in range(len(type_) - 1, -1, -1):
        rounds += (type_[at] == ")") - (type_[at] == "(")
        if not rounds:
            depth += (type_[at] == ">") - (type_[at] == "<")
        if not depth and not rounds:
            return at
    return 0
