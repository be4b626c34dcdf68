"""Choose `-D` and `-U` flags that reveal the kernels which a project's own macros exclude.

A build sets such macros for a type, a library or a debugging aid, and nobody need have told
that it does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from crawler.cpp.directive_ranges import find_directive_ranges
from crawler.cpp.preprocessor.macros import find_macros
from crawler.cpp.source_text import SourceText
from crawler.extract.syntax.unit_text import UnitText
from crawler.model import CompileCommand

_DIRECTIVE: Final = re.compile(
    r"#\s*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b[ \t]*([^\n]{0,200})"
)
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
    opened: list[list[tuple[str, bool] | None]] = []
    for start, end in find_directive_ranges(source):
        if start > offset:
            break
        told = _DIRECTIVE.match(source.raw, start, end)
        if told is None:
            continue
        if told[1] in ("if", "ifdef", "ifndef"):
            opened.append([_asked(told[1], told[2])])
        elif told[1] == "endif":
            del opened[-1:]
        elif opened:
            before = opened[-1][-1]
            is_other = told[1] == "else" and len(opened[-1]) == 1 and before is not None
            opened[-1].append(
                (before[0], not before[1]) if is_other and before else None
            )
    for branches in opened:
        if asked := branches[-1]:
            yield asked


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
