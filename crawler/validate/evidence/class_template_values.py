"""Read numeric class template arguments by the names of their parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from crawler.cpp.arguments import end_of_template_arguments, split_template_arguments

# The types are a compiler's spelling, and of the source only heads are looked at: no tree of the
# whole source is needed for what are a few words
_CLASS: Final = re.compile(r"(?:[\w~]+::)*(\w+)\s*<")
_LAST_NAME: Final = re.compile(r"(\w+)\s*$")
_TEMPLATE_HEAD: Final = re.compile(r"template\s*<")
_WHOLE_NUMBER: Final = re.compile(r"-?\d{1,12}")
_HEAD_REACH: Final = 1 << 12
"""Characters in front of a class within which its template's head begins."""
_MAX_TYPE_LENGTH: Final = 1 << 16
_MAX_DEFINITIONS: Final = 20
_MAX_HEADS: Final = 4


def read_class_template_values(source: str, types: Sequence[str]) -> dict[str, int]:
    """Return the numbers among the arguments of `types`, by the names of the parameters in
    `source`; the first counts.

    What is a type, a pack, or behind a pack has no name here.
    """
    values: dict[str, int] = {}

    for type_name in types:
        class_name = _CLASS.match(type_name[:_MAX_TYPE_LENGTH])
        if class_name is None or not type_name.endswith(">"):
            continue

        arguments = split_template_arguments(type_name[class_name.end() : -1])
        # `Kernel<Traits<64, 128>>` says what `kBlockM` is by the names in `template <int
        # kBlockM_, …>`
        parameters = _find_parameters(source, class_name[1], len(arguments))

        for parameter, argument in zip(parameters, arguments, strict=False):
            value = parse_template_number(argument)
            if parameter and value is not None:
                values.setdefault(parameter, value)

    return values


def parse_template_number(argument: str) -> int | None:
    """Return the whole number or truth value that a template argument is; `None` for a type."""
    if argument in ("true", "false"):
        return int(argument == "true")
    return int(argument) if _WHOLE_NUMBER.fullmatch(argument) else None


def template_parameter_text(definition: str) -> str:
    """Return, on one line, the template parameters that a definition begins with; empty for
    what is no template.
    """
    head = _TEMPLATE_HEAD.match(definition)
    if head is None:
        return ""

    end = end_of_template_arguments(definition, head.end(), len(definition))
    if end < 0:
        return ""

    return " ".join(definition[head.end() : end - 1].split())


def _find_head_before(source: str, offset: int) -> str:
    """Return what stands between the brackets of `template <…>` right in front of an offset;
    empty where nothing does.
    """
    first = max(0, offset - _HEAD_REACH)
    keyword = offset

    for _ in range(_MAX_HEADS):
        keyword = source.rfind("template", first, keyword)
        if keyword < 0:
            return ""

        opening = source.find("<", keyword, offset)
        if opening < 0 or source[keyword + len("template") : opening].strip():
            continue

        end = end_of_template_arguments(source, opening + 1, offset)
        if end >= 0 and not source[end:offset].strip():
            return source[opening + 1 : end - 1]

    return ""


def _find_parameters(source: str, class_name: str, min_count: int) -> Sequence[str]:
    """Return what the parameters of a class template are called, up to the first pack; nothing
    for an unknown one.
    """
    for number, offset in enumerate(_find_definitions(source, class_name)):
        declarations = split_template_arguments(_find_head_before(source, offset))
        has_pack = any("..." in declaration for declaration in declarations)
        if len(declarations) >= min_count or has_pack:
            return tuple(_iter_parameter_names(declarations))

        # most of these are forward declarations, without names of parameters
        if number == _MAX_DEFINITIONS:
            break

    return ()


def _find_definitions(source: str, class_name: str) -> Iterator[int]:
    # a specialisation, `struct Traits<float>`, has none of the parameters' names
    pattern = rf"\b(?:struct|class)\s+{re.escape(class_name)}\b(?!\s*<)"
    for definition in re.finditer(pattern, source):
        yield definition.start()


def _iter_parameter_names(declarations: Sequence[str]) -> Iterator[str]:
    for declaration in declarations:
        if "..." in declaration:
            return

        without_default = declaration.partition("=")[0].rstrip()
        name = _LAST_NAME.search(without_default)
        yield name[1] if name else ""
