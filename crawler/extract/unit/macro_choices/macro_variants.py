"""Choose `-D` and `-U` flags that reveal the kernels which a project's own macros exclude.

A build sets such macros for a type, a library or a debugging aid, and nobody need have told
that it does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Final

from crawler.cpp.directives import Directive, conditional_directives, conditionals
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.cpp.preprocessor.macros import Macro, find_macros
from crawler.cpp.preprocessor.switch_names import name_companion_switches
from crawler.extract.syntax.unit_text import UnitText
from crawler.model import CompileCommand, Dialect

# Patterns: libclang does not show the condition of a directive, and these are for one macro only.
_CONDITION: Final = re.compile(r"[ \t]*([^\n]{0,200})")
_SINGLE_MACRO: Final = re.compile(
    r"(?P<not>!\s*)?(?:defined\s*\(\s*(?P<inside>[A-Za-z_]\w*)\s*\)"
    r"|defined\s+(?P<behind>[A-Za-z_]\w*)"
    r"|(?P<value>[A-Za-z_]\w*))\s*(?:/[/*].*)?"
)
_RESERVED: Final = re.compile(
    r"_[_A-Z]|(?:CUDA|CUDART|HIP|TORCH|GCC|CLANG|NVCC|NDEBUG$|WIN32$|_MSC)(?:_|$|C_|RT_)"
)
"""Macros that compilers, toolkits and libraries set: another choice is another compiler."""
_NO_MACROS: Final = ("true", "false", "defined")
_IFNDEF_BEFORE: Final = re.compile(r"#[ \t]*ifndef[ \t]+(\w+)[^\n]{0,80}\n\s*\Z")
_IFNDEF_DISTANCE: Final = 200
_MAX_FLAGS: Final = 8
_MacroChoice = tuple[str, bool]
"""A macro, and whether it is to be set."""


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
    choices: dict[str, bool] = {}
    for path, offset in definition_places:
        for name, is_set in _iter_enclosing_choices(unit_text.sources[path], offset):
            # the first place wins where two ask for the contrary
            choices.setdefault(name, is_set)

    for name in _find_companion_switches(choices, command.dialect, unit_text):
        choices.setdefault(name, True)

    fixed_names = {
        name
        for path in unit_text.files
        for name in _iter_fixed_macros(unit_text.sources[path])
    }

    defined_names = {
        _macro_of_flag(argument)
        for argument in command.arguments
        if argument.startswith("-D")
    }

    # what the command has already needs no flag; what a file sets takes none
    changes = {
        name: is_set
        for name, is_set in choices.items()
        if is_set != (name in defined_names) and name not in fixed_names
    }

    if not changes:
        return None

    unchanged = [
        argument
        for argument in command.arguments
        if _macro_of_flag(argument) not in changes
    ]

    flags = [
        f"-D{name}=1" if is_set else f"-U{name}"
        for name, is_set in islice(changes.items(), _MAX_FLAGS)
    ]

    return replace(command, arguments=(*unchanged, *flags))


def _find_companion_switches(
    choices: Mapping[str, bool], dialect: Dialect | None, unit_text: UnitText
) -> list[str]:
    """Return the switches of device code that go with those which are to be set."""
    chosen_names = (name for name, is_set in choices.items() if is_set)
    candidates = name_companion_switches(chosen_names, dialect).difference(choices)
    sources = [unit_text.sources[path] for path in unit_text.files]
    return sorted(
        name
        for name in candidates
        if not _RESERVED.match(name)
        and any(_is_asked_for(name, source.raw) for source in sources)
    )


def _is_asked_for(name: str, text: str) -> bool:
    """Tell whether a condition of a file asks whether a macro is set."""
    if name not in text:
        return False
    return re.search(rf"#[ \t]*(?:if|elif)[^\n]*\b{name}\b", text) is not None


def _iter_fixed_macros(source: SourceText) -> Iterator[str]:
    """Yield the macros that a file sets, whatever a command says."""
    for macro in find_macros(source):
        if not _is_default(macro, source):
            yield macro.name


def _is_default(macro: Macro, source: SourceText) -> bool:
    """Tell whether a macro gets its value only where the command gives it none.

    An include guard is none of these: `#ifndef FILE_H`, `#define FILE_H` has no value.
    """
    value = macro.text.partition(macro.name)[2].strip()
    begin = max(0, macro.start - _IFNDEF_DISTANCE)
    ifndef = _IFNDEF_BEFORE.search(
        source.raw,
        begin,
        macro.start,
    )

    return ifndef is not None and ifndef[1] == macro.name and bool(value)


def _macro_of_flag(argument: str) -> str:
    """Return `N` for `-DN`, `-DN=1` and `-UN`; nothing for another argument."""
    if not argument.startswith(("-D", "-U")):
        return ""

    return re.split(r"[=(]", argument[2:], maxsplit=1)[0]


def _iter_enclosing_choices(source: SourceText, offset: int) -> Iterator[_MacroChoice]:
    """Yield the macros whose being set, or not, the branches round a place ask for."""
    ranges_above = takewhile(
        lambda directive_range: directive_range[0] <= offset,
        find_directive_ranges(source),
    )

    directives = conditional_directives(source.raw, ranges_above)
    for conditional in conditionals(directives):
        # one that is closed above the place is not round it
        if conditional.is_closed:
            continue

        choice = _choice_of_last_branch(source.raw, conditional.directives)
        if choice:
            yield choice


def _choice_of_last_branch(
    text: str, directives: Sequence[Directive]
) -> _MacroChoice | None:
    """Return what the last of some branches asks for: that of an `#else` is the contrary of its
    `#if`.
    """
    opening, *branches = directives
    choice = _parse_condition(opening.keyword, _condition_text(text, opening))
    if not branches or choice is None:
        return choice
    # an `#elif` depends on two conditions
    if [branch.keyword for branch in branches] != ["else"]:
        return None

    name, is_set = choice

    return name, not is_set


def _condition_text(text: str, directive: Directive) -> str:
    condition = _CONDITION.match(
        text,
        directive.condition,
        directive.end,
    )
    return condition[1] if condition else ""


def _parse_condition(keyword: str, condition: str) -> _MacroChoice | None:
    """Return the one macro that a condition is of, with whether it is to be set; `None` for any
    other condition.
    """
    match = _SINGLE_MACRO.fullmatch(condition.strip())
    if match is None:
        return None
    # `#ifdef NAME` takes a plain name
    if keyword != "if" and (match["not"] or not match["value"]):
        return None

    name = match["inside"] or match["behind"] or match["value"]
    if _RESERVED.match(name) or name in _NO_MACROS:
        return None

    is_negated = (keyword == "ifndef") != bool(match["not"])

    return name, not is_negated
