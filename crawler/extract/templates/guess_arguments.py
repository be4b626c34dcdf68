"""Guess template arguments from the project's classes, by the members that a kernel asks of
them.

None of it is known to fit: whoever takes a guess has it compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from crawler.cpp.files.identifier_uses import Identifier
from crawler.extract.clang.declarations import Declaration
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.templates.argument_choices import (
    ELEMENT_TYPES,
    list_argument_choices,
)
from crawler.extract.templates.argument_combinations import (
    iter_argument_lists,
    stem_of,
)
from crawler.extract.templates.guessed_instantiations import (
    GuessedSet,
    make_guessed_set,
)
from crawler.extract.templates.project_classes import MAX_CLASSES, ProjectClasses
from crawler.extract.templates.required_members import (
    count_call_arguments,
    find_required_members,
)
from crawler.model import KernelFacts, TemplateParameter

MAX_GUESSES: Final = 48
"""Guesses for one kernel."""
_MAX_CALLABLES: Final = 6
# one argument, as it is written where a class is named
_UNQUALIFIED_NAME: Final = re.compile(r"(?<![\w:.])(?:::)?[A-Za-z_]\w*")
_SCALAR_TYPES: Final = (
    "unsigned int",
    "int",
    "unsigned long",
    "unsigned char",
    "half",
    "__nv_bfloat16",
)
"""What else a type may be that is computed with."""
_VECTOR_TYPES: Final = ("float4", "float2", "float3", "uint4")
_VECTOR_MEMBERS: Final = frozenset("xyzw")
_NUMBERS: Final = ("4", "2", "1", "8", "16", "64", "128", "256")


class ArgumentGuesser:
    """What may be guessed of one unit's declarations."""

    def __init__(self, context: UnitContext) -> None:
        self._context = context
        self._classes = ProjectClasses(context.declarations)

    def guess_for(
        self,
        kernel: KernelFacts,
        declaration: Declaration,
        known_arguments: Sequence[Mapping[str, str]] = (),
    ) -> GuessedSet:
        """Return guesses, the likelier ones first; none where a parameter is of no kind that
        can be guessed.

        Parameters of which something is `known_arguments` are not guessed at first. Those whose
        names differ in their last letter or number take the same class.
        """
        rows = (*known_arguments, {})
        # what is known comes first, but not alone
        guesses_per_row = MAX_GUESSES // len(rows)
        argument_lists = (
            arguments
            for row in rows
            for arguments in islice(
                self._iter_guesses(row, kernel, declaration), guesses_per_row
            )
        )

        return make_guessed_set(argument_lists, MAX_GUESSES)

    def vary_classes(self, fitting_arguments: Iterable[tuple[str, ...]]) -> GuessedSet:
        """Return the first arguments that fitted elsewhere, with one class in them replaced by
        others of its namespace in turn.
        """
        arguments = next(iter(fitting_arguments), ())
        return make_guessed_set(self._classes.vary_names(arguments), MAX_GUESSES)

    def _iter_guesses(
        self,
        known_arguments: Mapping[str, str],
        kernel: KernelFacts,
        declaration: Declaration,
    ) -> Iterator[tuple[str, ...]]:
        choices: list[tuple[str, ...]] = []
        for parameter in kernel.template_parameters:
            if parameter.name in known_arguments:
                choices.append((known_arguments[parameter.name],))
            else:
                choices.append(self._list_choices(parameter, kernel, declaration))

        if all(choices):
            names = [parameter.name for parameter in kernel.template_parameters]
            yield from iter_argument_lists(names, choices)

    def _list_choices(
        self,
        parameter: TemplateParameter,
        kernel: KernelFacts,
        declaration: Declaration,
    ) -> tuple[str, ...]:
        if parameter.default:
            return (qualify_names(parameter.default, declaration, self._context),)
        if parameter.kind == "type":
            return self._list_type_choices(parameter, kernel)

        usual_choice = list_argument_choices(parameter, kernel)[:1]
        # a number that no name tells may be any small one
        if usual_choice and usual_choice[0].isdigit():
            return tuple(dict.fromkeys((*usual_choice, *_NUMBERS)))

        return usual_choice

    def _list_type_choices(
        self, parameter: TemplateParameter, kernel: KernelFacts
    ) -> tuple[str, ...]:
        members = find_required_members(parameter.name, kernel)
        fitting_classes = self._classes.find_fitting(
            stem_of(parameter.name),
            members,
            kernel,
        )

        classes = list(islice(fitting_classes, MAX_CLASSES))
        argument_count = count_call_arguments(parameter.name, kernel)
        if argument_count:
            callables = self._classes.find_callable(argument_count, kernel)
            return (
                *islice(callables, _MAX_CALLABLES),
                *classes,
                _make_function_pointer(argument_count),
            )

        # what has members is no scalar
        if members:
            vectors = _VECTOR_TYPES if members <= _VECTOR_MEMBERS else ()
            return (*classes, *vectors)

        usual_choice = list_argument_choices(parameter, kernel)[:1]

        usual_types = usual_choice or ELEMENT_TYPES[:1]
        return (*usual_types, *classes, *_SCALAR_TYPES, *_VECTOR_TYPES)


def _make_function_pointer(argument_count: int) -> str:
    """Return a type that may be called with so many numbers, and answers with one.

    What is a predicate or gives nothing back may be such a function, too.
    """
    parameters = ", ".join(ELEMENT_TYPES[:1] * argument_count)
    return f"{ELEMENT_TYPES[0]} (*)({parameters})"


def qualify_names(text: str, referrer: Declaration, context: UnitContext) -> str:
    """Return a text that stands in a template's head as it may stand outside of its namespace."""

    def qualify(word: re.Match[str]) -> str:
        name = word[0]
        for declaration in context.scopes.resolve_identifier(
            Identifier(name), referrer
        ):
            if declaration.namespaces:
                return "::".join((*declaration.namespaces, name))

        return name

    return _UNQUALIFIED_NAME.sub(qualify, text)
