"""Gather what prompts tell of the launches of a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from crawler.cpp.brackets import closing_in_code
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.preprocessor.macros import DEFINITION
from crawler.dataset.prompts.kernel_task import TaskLaunch
from crawler.dataset.prompts.launch_definitions import read_definitions
from crawler.dataset.prompts.launch_statements import (
    resolve_variable,
    select_configuring,
    split_statements,
)
from crawler.model import CompanionKind, Kernel, Launch

_MAX_LAUNCHES: Final = 4
"""Ways of launching that one prompt tells of."""
_MAX_STATEMENT_LINES: Final = 60
"""Lines that compute a launch and its arguments; of more, those that grid and block need stay."""
_MAX_DEFINITION_CHARACTERS: Final = 300
_MAX_VARIABLES: Final = 6
# one statement on one line: `const int n = x.size(0);`, `dim3 threads(256);`, `grid.y = 2;`
_VARIABLE_VALUE: Final = re.compile(
    r"(?:[\w:]+(?:<[^<>=;]*>)?[ &*]+)*(\w+)(?:\.\w+)? ?(?:[-+*/|&^]?=(?!=)|[({])"
)
_MAX_VARIABLE_CHARACTERS: Final = 120
_MAX_CONDITION_CHARACTERS: Final = 200
_DEFINITION_KINDS: Final = (
    CompanionKind.MACRO,
    CompanionKind.CONSTANT,
    CompanionKind.FUNCTION,
)
_CUT_ARGUMENT: Final = "…"
"""Stands for the launch in a condition that is a call of, say, a dispatch macro."""


def describe_launches(kernel: Kernel, context: str) -> Iterator[TaskLaunch]:
    """Yield the ways in which a project launches a kernel, each once.

    Each has the definitions of its names, without those that the prompt's code, `context`, shows.
    """
    launches_by_configuration: dict[tuple[str, ...], list[Launch]] = {}
    for launch in kernel.launches:
        launches_by_configuration.setdefault(_resolve(launch), []).append(launch)

    shown_lines: set[str] = set()
    shown_definitions: set[str] = set()
    for launches in islice(launches_by_configuration.values(), _MAX_LAUNCHES):
        first = launches[0]
        statements = _select_statements(first)
        conditions = _find_common_conditions(launches)
        definitions = _list_definitions(kernel, first, statements, context)
        new_definitions = [
            text for text in definitions if text not in shown_definitions
        ]
        shown_definitions.update(new_definitions)
        grid, block, shared_bytes = _resolve(first)
        expressions = " ".join([grid, block, shared_bytes, *conditions])
        yield TaskLaunch(
            launcher=first.enclosing,
            kernel=_find_common_callee(launches),
            conditions=conditions,
            grid=grid,
            block=block,
            shared_bytes=shared_bytes,
            variables=tuple(_list_variables(first, expressions)),
            # sites of one function share most of what they compute
            statements=tuple(line for line in statements if line not in shown_lines),
            definitions=tuple(new_definitions),
        )
        shown_lines.update(line for line in statements if line.strip("{} "))


def _resolve(launch: Launch) -> tuple[str, str, str]:
    """Return grid, block and shared bytes of a launch, local variables replaced by their values."""
    grid, block, shared_bytes = (
        _to_expression(resolve_variable(launch.setup, expression))
        for expression in (launch.grid, launch.block, launch.shared_bytes)
    )
    return grid, block, shared_bytes


def _find_common_callee(launches: Sequence[Launch]) -> str:
    """Return the kernel with its template arguments; empty where launches differ, or for none."""
    callees = {_to_line(launch.callee) for launch in launches}
    callee = callees.pop()
    return callee if not callees and "<" in callee else ""


def _find_common_conditions(launches: Sequence[Launch]) -> tuple[str, ...]:
    """Return the conditions under which each of the launches is reached, outermost first."""
    first, *other_conditions = [
        list(map(_to_line, launch.conditions)) for launch in launches
    ]
    return tuple(
        _to_expression(condition)
        for condition in dict.fromkeys(first)
        if _CUT_ARGUMENT not in condition
        and len(condition) <= _MAX_CONDITION_CHARACTERS
        and all(condition in conditions for conditions in other_conditions)
    )


def _list_variables(launch: Launch, expressions: str) -> Iterator[str]:
    """Yield what gives the local variables in expressions their values, where that is short."""
    setup = select_configuring(launch.setup, expressions)
    needed_names = set(IDENTIFIER.findall(expressions))
    # what only the value of `grid` names is what stood in front of that
    written = f"{launch.grid} {launch.block} {launch.shared_bytes}"
    direct_names = set(IDENTIFIER.findall(" ".join([written, *launch.conditions])))
    declared_lines: dict[str, str] = {}
    lines: list[str] = []
    # those next to the launch are what it is made of, and they name the others
    for statement in reversed(list(split_statements(setup))):
        line = _to_expression(statement)
        variable = _VARIABLE_VALUE.match(line)
        is_needed = variable is not None and variable[1] in needed_names
        if not is_needed or len(line) > _MAX_VARIABLE_CHARACTERS:
            continue

        name = variable[1] if variable else ""
        if not line.startswith(name) and name in declared_lines:
            # another scope has a variable of the same name
            if name in direct_names:
                continue
            lines.remove(declared_lines[name])
        if not line.startswith(name):
            declared_lines[name] = line.removesuffix(";")
        lines.append(line.removesuffix(";"))
        needed_names.update(IDENTIFIER.findall(line))

    yield from reversed(lines[:_MAX_VARIABLES])


def _select_statements(launch: Launch) -> list[str]:
    """Return the lines that compute a launch and its arguments, as they are written."""
    configuration = f"{launch.grid} {launch.block} {launch.shared_bytes}"
    arguments = " ".join(argument for _, argument in launch.argument_map)
    for expressions in (f"{configuration} {arguments}", configuration):
        setup = select_configuring(launch.setup, expressions)
        lines = [line.rstrip() for line in setup.splitlines() if line.strip()]
        if _is_whole(_to_line(setup)) and len(lines) <= _MAX_STATEMENT_LINES:
            return lines

    return []


def _list_definitions(
    kernel: Kernel, launch: Launch, statements: Iterable[str], context: str
) -> Iterator[str]:
    """Yield what the names in a launch configuration and its statements stand for."""
    configuration = f"{launch.grid} {launch.block} {launch.shared_bytes}"
    resolved = " ".join(_resolve(launch))
    words = IDENTIFIER.findall(" ".join([configuration, resolved, *statements]))
    context_names = {macro[1] for macro in DEFINITION.finditer(context)}
    pending = dict.fromkeys(words)
    listed_names: set[str] = set()

    # what the project has beside the kernel, then what only this launch leads to
    texts: dict[str, list[str]] = {}
    for companion in kernel.companions:
        if companion.kind in _DEFINITION_KINDS:
            name = companion.name.rpartition("::")[2]
            texts.setdefault(name, []).append(_to_line(companion.source))
    for name, text in read_definitions(launch.definitions).items():
        texts.setdefault(name, [text])

    while pending:
        name = next(iter(pending))
        del pending[name]
        for text in texts.get(name, ()):
            is_shown = name in listed_names or name in context_names
            if is_shown or len(text) > _MAX_DEFINITION_CHARACTERS:
                continue

            listed_names.add(name)
            yield text
            pending |= dict.fromkeys(IDENTIFIER.findall(text))


def _is_whole(statements: str) -> bool:
    """Tell whether a part of a function consists of whole statements."""
    begins_well = IDENTIFIER.match(statements) is not None
    code = f"({statements})"
    is_balanced = closing_in_code(code, 0) == len(code) - 1
    return begins_well and is_balanced and statements.endswith((";", "}"))


def _to_line(text: str) -> str:
    return " ".join(text.replace("\\\n", " ").split())


def _to_expression(text: str) -> str:
    """Return an expression on one line, without what its line ends leave within brackets."""
    return _to_line(text).replace("( ", "(").replace(" )", ")")
