"""Choose `-D` and `-U` flags that reveal the kernels which a project's own macros exclude.

A build sets such macros for a type, a library or a debugging aid, and nobody need have told
that it does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Final

from crawler.cpp.directives import CLOSING, conditional_directives
from crawler.cpp.files.source_text import SourceText, cache_per_source
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.cpp.preprocessor.macros import Macro, find_macros
from crawler.cpp.preprocessor.switch_names import name_companion_switches
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.unit.macro_choices.branch_conditions import (
    MacroChoice,
    choose_macros,
    find_enclosing_branches,
    require_dialect,
)
from crawler.model import CompileCommand, Dialect

# a pattern: names are told apart that a project may not choose
_RESERVED: Final = re.compile(
    r"_[_A-Z]|(?:CUDA|CUDART|HIP|TORCH|GCC|CLANG|NVCC|NDEBUG$|WIN32$|_MSC)(?:_|$|C_|RT_)"
)
"""Macros that compilers, toolkits and libraries set: another choice is another compiler."""
# the line in front of a `#define`, backwards from it
_IFNDEF_BEFORE: Final = re.compile(r"#[ \t]*ifndef[ \t]+(\w+)[^\n]{0,80}\n\s*\Z")
_IFNDEF_DISTANCE: Final = 200
_MAX_FLAGS: Final = 8


def list_variant_commands(
    command: CompileCommand,
    unit_text: UnitText,
    definition_places: Collection[tuple[str, int]],
) -> list[CompileCommand]:
    """Return commands by which definitions at `definition_places` (path, offset) might be seen.

    One is for the compiler of the command's own dialect, and one for that of the other dialect
    where a branch is for the latter alone, as behind `#ifdef __HIP__`.
    """
    dialect = command.dialect or Dialect.CUDA
    other_dialect = Dialect.HIP if dialect is Dialect.CUDA else Dialect.CUDA
    own_places: list[tuple[str, int]] = []
    other_places: list[tuple[str, int]] = []
    for path, offset in definition_places:
        branches = find_enclosing_branches(unit_text.sources[path], offset)
        is_other = any(require_dialect(branch, other_dialect) for branch in branches)
        (other_places if is_other else own_places).append((path, offset))

    variants = []
    own_command = toggle_project_macros(command, unit_text, own_places)
    if own_command is not None:
        variants.append(own_command)

    if other_places:
        other_command = replace(command, dialect=other_dialect)
        toggled_command = toggle_project_macros(other_command, unit_text, other_places)
        variants.append(toggled_command or other_command)

    return variants


def toggle_project_macros(
    command: CompileCommand,
    unit_text: UnitText,
    definition_places: Collection[tuple[str, int]],
) -> CompileCommand | None:
    """Return a command with other choices, by which definitions at `definition_places` (path,
    offset) might be seen.

    `None` where no macro of the project, which no file of the unit sets, decides over one of
    the conditions round them.
    """
    choices: dict[str, int | None] = {}
    for path, offset in definition_places:
        for name, value in _iter_enclosing_choices(
            unit_text.sources[path], offset, command.dialect
        ):
            # the first place wins where two ask for the contrary
            choices.setdefault(name, value)

    toggled = set_project_macros(command, unit_text, choices, may_change=True)
    return None if toggled == command else toggled


def set_project_macros(
    command: CompileCommand,
    unit_text: UnitText,
    choices: Mapping[str, int | None],
    *,
    may_change: bool = False,
) -> CompileCommand:
    """Return a command that makes these choices of a project's macros.

    What a file of the unit sets takes no flag; what the command says of a macro stays, unless
    it `may_change`.
    """
    wanted_choices = dict(choices)
    for name in _find_companion_switches(wanted_choices, command.dialect, unit_text):
        wanted_choices.setdefault(name, 1)

    fixed_names = {
        name
        for path in unit_text.files
        for name in _iter_fixed_macros(unit_text.sources[path])
    }
    if not may_change:
        fixed_names.update(map(_macro_of_flag, command.arguments))

    # what the command has already needs no flag
    changes = {
        name: value
        for name, value in wanted_choices.items()
        if name not in fixed_names and not _has_macro(command, name, value)
    }
    unchanged = [
        argument
        for argument in command.arguments
        if _macro_of_flag(argument) not in changes
    ]
    flags = [
        f"-U{name}" if value is None else f"-D{name}={value}"
        for name, value in islice(changes.items(), _MAX_FLAGS)
    ]
    return replace(command, arguments=(*unchanged, *flags))


def is_project_macro(name: str) -> bool:
    """Tell whether a macro is for a project or its build to choose."""
    return not _RESERVED.match(name)


def _find_companion_switches(
    choices: Mapping[str, int | None], dialect: Dialect | None, unit_text: UnitText
) -> list[str]:
    """Return the switches of device code that go with those which are to be set."""
    chosen_names = (name for name, value in choices.items() if value)
    candidates = name_companion_switches(chosen_names, dialect).difference(choices)
    sources = [unit_text.sources[path] for path in unit_text.files]
    return sorted(
        name
        for name in candidates
        if is_project_macro(name)
        and any(_is_asked_for(name, source) for source in sources)
    )


def _is_asked_for(name: str, source: SourceText) -> bool:
    """Tell whether a condition of a file asks whether a macro is set."""
    return name in source.raw and name in _list_asked_names(source)


@cache_per_source
def _list_asked_names(source: SourceText) -> frozenset[str]:
    """Return the names in the conditions of a file, of all their lines."""
    directives = conditional_directives(source.raw, find_directive_ranges(source))
    return frozenset(
        name
        for directive in directives
        if directive.keyword != CLOSING
        for name in source.names_between(directive.condition, directive.end)
    )


def _iter_fixed_macros(source: SourceText) -> Iterator[str]:
    """Yield the macros that a file sets, whatever a command says."""
    for macro in find_macros(source):
        if not _is_default(macro, source):
            yield macro.name


def _is_default(macro: Macro, source: SourceText) -> bool:
    """Tell whether a macro gets its value only where the command gives it none.

    An include guard is none of these: `#ifndef FILE_H`, `#define FILE_H` has no value.
    """
    has_value = macro.parameters is not None or bool(macro.body.strip())
    begin = max(0, macro.start - _IFNDEF_DISTANCE)
    ifndef = _IFNDEF_BEFORE.search(
        source.raw,
        begin,
        macro.start,
    )

    return ifndef is not None and ifndef[1] == macro.name and has_value


def _has_macro(command: CompileCommand, name: str, value: int | None) -> bool:
    """Tell whether a command sets a macro so; one that need only be set has any value."""
    if value is not None and value != 1:
        return f"-D{name}={value}" in command.arguments

    is_set = any(
        argument.startswith("-D") and _macro_of_flag(argument) == name
        for argument in command.arguments
    )
    return is_set == (value is not None)


def _macro_of_flag(argument: str) -> str:
    """Return `N` for `-DN`, `-DN=1` and `-UN`; nothing for another argument."""
    if not argument.startswith(("-D", "-U")):
        return ""

    return re.split(r"[=(]", argument[2:], maxsplit=1)[0]


def _iter_enclosing_choices(
    source: SourceText, offset: int, dialect: Dialect | None
) -> Iterator[MacroChoice]:
    """Yield the macros whose being set, or not, the branches round a place ask for."""
    for branches in find_enclosing_branches(source, offset):
        yield from choose_macros(branches, dialect, is_project_macro)
