"""Variables and goals of a Makefile's text that ask for device code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from crawler.builds.build_files.build_hints import is_device_switch
from crawler.model import Dialect

_MAX_SWITCHES: Final = 24
_MAX_GOALS: Final = 40
# No two parts beside each other match the same blanks: a line of nothing but blanks would
# take quadratic time.
#
# A tested variable and what it is compared with: `ifdef CUDA`, `else ifeq ($(GPU),cuda)`,
# `ifneq "$(strip $(USE_HIP))" "0"`.
_CONDITION: Final = re.compile(
    r"^[ \t]*(?:else[ \t]+)?if(n?def|n?eq)[ \t]*"
    r"(?:(?:\([ \t]*)?[\"']?\$[({])?(?:strip[ \t]+\$[({])?([A-Za-z]\w{1,60})"
    r"[)}]*[\"']?[ \t]*,?[ \t]*[\"']?([\w]{0,12})",
    re.MULTILINE,
)
# A variable with a value of one word: `CUDA ?= 0  # switch`.
_ASSIGNMENT: Final = re.compile(
    r"^[ \t]*(?:export[ \t]+)?([A-Za-z]\w{1,60})[ \t]*(?:\?=|:?=)[ \t]*+(\w{0,12})"
    r"[ \t]*(?:#.*)?$",
    re.MULTILINE,
)
_RULE_TARGETS: Final = re.compile(
    r"^([A-Za-z0-9_][\w./+-]{0,80}(?:[ \t]+[A-Za-z0-9_][\w./+-]{0,80}){0,8})"
    r"[ \t]*::?(?![=:])",
    re.MULTILINE,
)
_NO_BUILD_GOAL: Final = re.compile(
    r"clean|install|help|dist|format|lint|docs?\b|deploy|push|docker|venv|publish|release"
    r"|download|fetch|submodule"
)
_VALUE_WORD: Final = re.compile(
    r"HOME|PATH|PREFIX|ARCHS?|SMS?|GENCODE|LIST|ROOT|DIR|FLAGS?|\w*FLAGS|OPTS?|DEVICES?"
    r"|LIBS?|LIBRARY|LIBRARIES|INCS?|INCLUDES?|SRCS?|SOURCES?|OBJS?|OBJECTS?|OBJ|CC|CXX"
    r"|COMPILER|NVCC|HIPCC|BIN|EXE|TARGETS?|FILES?|CAPABILITY|CPPFLAGS"
)
_OPPOSITES: Final = {
    "0": "1",
    "no": "yes",
    "off": "on",
    "false": "true",
    "n": "y",
    "": "1",
}
_TRUE_VALUES: Final = frozenset({"1", "yes", "on", "true", "y"})
# within the name of a variable
_DIALECT_NAME: Final = re.compile(r"cuda|hip", re.IGNORECASE)


def choose_switches(text: str) -> list[tuple[str, ...]]:
    """Return the assignments that ask for CUDA, and those that ask for HIP.

    They are chosen by the names of the variables that `text` tests. One empty set is returned
    where no variable is about a device.
    """
    # Of several assignments the last one counts, as for make.
    defaults: dict[str, str] = {}
    for name, value in _ASSIGNMENT.findall(text):
        defaults[name] = value.lower()

    distinct_sets: dict[tuple[str, ...], None] = {}

    for dialect in (Dialect.CUDA, Dialect.HIP):
        values = _choose_values(text, defaults, dialect)
        assignments = [f"{name}={value}" for name, value in values.items()]
        if not assignments:
            continue

        first_assignments = tuple(assignments[:_MAX_SWITCHES])
        distinct_sets[first_assignments] = None

    return list(distinct_sets) or [()]


def _choose_values(
    text: str, defaults: Mapping[str, str], dialect: Dialect
) -> dict[str, str]:
    """Map each tested variable to the value that asks for a dialect, where there is one."""
    values: dict[str, str] = {}
    for condition, name, operand in _CONDITION.findall(text):
        default = defaults.get(name, "")
        names_dialect = _DIALECT_NAME.fullmatch(operand) is not None

        if names_dialect and condition.endswith("eq"):
            # `ifeq ($(BACKEND),cuda)`; a default of "hip" is left to whoever wrote it.
            is_requested = operand.lower() == dialect.value
            if is_requested and not _DIALECT_NAME.fullmatch(default):
                values[name] = operand

            continue

        if is_device_switch(name, dialect) and not is_value_variable(name):
            value = _choose_true_value(condition, operand, default)
            values.setdefault(name, value)

    return {name: value for name, value in values.items() if value}


def _choose_true_value(condition: str, operand: str, default: str) -> str:
    """Return the word for yes that a Makefile expects of a switch.

    It is empty where the variable is compared with something else than yes and no.
    """
    if not condition.endswith("eq") or not operand:
        # `ifdef CUDA` or `ifneq ($(CUDA),)`: any value does, so the default names the word.
        value = _OPPOSITES.get(default, default)
        return value if value in _TRUE_VALUES else "1"

    # `ifeq ($(CUDA),yes)` expects this very word.
    if operand.lower() in _TRUE_VALUES:
        return operand

    # `ifneq ($(CUDA),no)` or `ifeq ($(CUDA),0)`: what it is compared with means off.
    return _OPPOSITES.get(operand.lower(), "")


def is_value_variable(name: str) -> bool:
    """Tell whether a variable's words say that it holds a path, an architecture or flags."""
    words = name.upper().split("_")
    return any(_VALUE_WORD.fullmatch(word) for word in words)


def list_goals(text: str) -> tuple[str, ...]:
    """Return the targets of a Makefile's rules that may build something, in their order."""
    # The keys are the names, each once, in the order of the text.
    names: dict[str, None] = {}
    for targets in _RULE_TARGETS.findall(text):
        names.update(dict.fromkeys(targets.split()))

    goals = [name for name in names if not _NO_BUILD_GOAL.search(name)]

    return tuple(goals[:_MAX_GOALS])
