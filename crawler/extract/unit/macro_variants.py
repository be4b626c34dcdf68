"""Choose `-D` and `-U` flags that reveal the kernels which a project's own macros exclude.

A build sets such macros for a type, a library or a debugging aid, and nobody need have told
that it does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Final

from crawler.cpp.directives import Directive, conditional_directives, conditionals
from crawler.cpp.preprocessor.macros import find_macros
from crawler.cpp.source_text import SourceText
from crawler.cpp.structure_marks import find_directive_ranges
from crawler.extract.syntax.unit_text import UnitText
from crawler.model import CompileCommand

_CONDITION: Final = re.compile(r"[ \t]*([^\n]{0,200})")
_LONE: Final = re.compile(
    r"(?P<not>!\s*)?(?:defined\s*\(\s*(?P<inside>[A-Za-z_]\w*)\s*\)|defined\s+(?P<behind>[A-Za-z_]\w*)"
    r"|(?P<value>[A-Za-z_]\w*))\s*(?:/[/*].*)?"
)
_RESERVED: Final = re.compile(
    r"_[_A-Z]|(?:CUDA|CUDART|HIP|TORCH|GCC|CLANG|NVCC|NDEBUG$|WIN32$|_MSC)(?:_|$|C_|RT_)"
)
"""Macros that compilers, toolkits and libraries set: another choice is another compiler."""
_UNSET: Final = re.compile(r"#[ \t]*ifndef[ \t]+(\w+)[^\n]{0,80}\n\s*\Z")
_REACH: Final = 200
_MOST: Final = 8


def toggle_project_macros(
    command: CompileCommand,
    unit_text: UnitText,
    definition_places: Collection[tuple[str, int]],
) -> CompileCommand | None:
    """Return a command with other choices, by which definitions at `definition_places` (path,
    offset) might be seen.

    `None` where none of the conditions round them is a plain macro of the project, which no
    file of the unit sets.
    """
    wanted: dict[str, bool] = {}
    for path, offset in definition_places:
        for name, is_set in _round(unit_text.sources[path], offset):
            wanted.setdefault(name, is_set)
    fixed = {
        name for path in unit_text.files for name in _fixed(unit_text.sources[path])
    }
    defined = {
        _macro(argument) for argument in command.arguments if argument.startswith("-D")
    }
    chosen = {
        name: is_set
        for name, is_set in wanted.items()
        if is_set != (name in defined) and name not in fixed
    }
    kept = [one for one in command.arguments if _macro(one) not in chosen]
    words = [
        f"-D{name}=1" if is_set else f"-U{name}"
        for name, is_set in islice(chosen.items(), _MOST)
    ]
    return replace(command, arguments=(*kept, *words)) if words else None


def _fixed(source: SourceText) -> Iterator[str]:
    """Yield the macros that a file sets, whatever a command says: a value where there is none
    is for those without.
    """
    for macro in find_macros(source):
        before = _UNSET.search(source.raw, max(0, macro.start - _REACH), macro.start)
        if (
            before is None
            or before[1] != macro.name
            or not macro.text.partition(macro.name)[2].strip()
        ):
            yield macro.name


def _macro(argument: str) -> str:
    return (
        re.split(r"[=(]", argument[2:], maxsplit=1)[0]
        if argument.startswith(("-D", "-U"))
        else ""
    )


def _round(source: SourceText, offset: int) -> Iterator[tuple[str, bool]]:
    """Yield the macros whose being set, or not, the branches round a place ask for."""
    above = takewhile(
        lambda directive: directive[0] <= offset, find_directive_ranges(source)
    )
    for one in conditionals(conditional_directives(source.raw, above)):
        asked = None if one.is_closed else _choice(source.raw, one.directives)
        if asked:
            yield asked


def _choice(text: str, branches: Sequence[Directive]) -> tuple[str, bool] | None:
    """Return what the last of some branches asks for: that of an `#else` is the contrary of its
    `#if`.
    """
    first, *others = branches
    asked = _asked(first.keyword, _condition(text, first))
    if not others or asked is None:
        return asked
    return (
        (asked[0], not asked[1])
        if [each.keyword for each in others] == ["else"]
        else None
    )


def _condition(text: str, directive: Directive) -> str:
    found = _CONDITION.match(text, directive.condition, directive.end)
    return found[1] if found else ""


def _asked(word: str, condition: str) -> tuple[str, bool] | None:
    """Return the one macro that a condition is of, with whether it is to be set; `None` for any
    other condition.
    """
    found = _LONE.fullmatch(condition.strip())
    if found is None or (word != "if" and (found["not"] or not found["value"])):
        return None
    name = found["inside"] or found["behind"] or found["value"]
    if _RESERVED.match(name) or name in ("true", "false", "defined"):
        return None
    return name, (word != "ifndef") != bool(found["not"])
