"""Read numeric class template arguments by the names of their parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from crawler.cpp.arguments import end_of_template_arguments, split_template_arguments

_CLASS: Final = re.compile(r"(?:[\w~]+::)*(\w+)\s*<")
_NAME: Final = re.compile(r"(\w+)\s*$")
_HEAD_REACH: Final = 1 << 12
"""Characters in front of a class within which its template's head begins."""
_LONGEST: Final = 1 << 16
_MOST_DEFINITIONS: Final = 20
_MOST_HEADS: Final = 4


def read_class_template_values(source: str, types: Sequence[str]) -> dict[str, int]:
    """Return the numbers among the arguments of `types`, by the names of the parameters in
    `source`; the first counts.

    What is a type, a pack, or behind a pack has no name here.
    """
    found: dict[str, int] = {}
    for written in types:
        class_ = _CLASS.match(written[:_LONGEST])
        if class_ is None or not written.endswith(">"):
            continue
        arguments = split_template_arguments(written[class_.end() : -1])
        for name, argument in zip(
            _parameters(source, class_[1], len(arguments)), arguments, strict=False
        ):
            value = _number(argument)
            if name and value is not None:
                found.setdefault(name, value)
    return found


def template_parameter_text(definition: str) -> str:
    """Return, on one line, the template parameters that a definition begins with; empty for
    what is no template.
    """
    found = re.match(r"template\s*<", definition)
    if found is None:
        return ""
    end = end_of_template_arguments(definition, found.end(), len(definition))
    return " ".join(definition[found.end() : end - 1].split()) if end >= 0 else ""


def _head_before(source: str, place: int) -> str:
    """Return what stands between the brackets of `template <…>` right in front of a place;
    empty where nothing does.
    """
    begin = max(0, place - _HEAD_REACH)
    at = place
    for _ in range(_MOST_HEADS):
        at = source.rfind("template", begin, at)
        if at < 0:
            return ""
        opens = source.find("<", at, place)
        ends = (
            end_of_template_arguments(source, opens + 1, place)
            if opens >= 0 and not source[at + 8 : opens].strip()
            else -1
        )
        if ends >= 0 and not source[ends:place].strip():
            return source[opens + 1 : ends - 1]
    return ""


def _parameters(source: str, name: str, least: int) -> Sequence[str]:
    """Return what the parameters of a class template are called, up to the first pack; nothing
    for an unknown one.
    """
    for number, place in enumerate(_definitions(source, name)):
        parts = split_template_arguments(_head_before(source, place))
        if len(parts) >= least or any("..." in each for each in parts):
            return tuple(_named(parts))
        if number == _MOST_DEFINITIONS:
            break
    return ()


def _definitions(source: str, name: str) -> Iterator[int]:
    for found in re.finditer(
        rf"\b(?:struct|class)\s+{re.escape(name)}\b(?!\s*<)", source
    ):
        yield found.start()


def _named(parts: Sequence[str]) -> Iterator[str]:
    for each in parts:
        if "..." in each:
            return
        found = _NAME.search(each.partition("=")[0].rstrip())
        yield found[1] if found else ""


def _number(argument: str) -> int | None:
    if argument in ("true", "false"):
        return int(argument == "true")
    return int(argument) if re.fullmatch(r"-?\d{1,12}", argument) else None
