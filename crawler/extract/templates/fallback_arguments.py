"""Default template arguments, by kind of parameter, for kernel templates that a project never
uses.

All type parameters for elements take the same type; other parameters are varied one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator

from crawler.cpp.identifiers import IDENTIFIER
from crawler.extract.templates.argument_choices import (
    ELEMENT_TYPES,
    list_argument_choices,
)
from crawler.extract.templates.guessed_instantiations import (
    GuessedSet,
    make_guessed_set,
)
from crawler.model import KernelFacts

_Choices = dict[str, tuple[str, ...]]
"""What each parameter may be, by its name."""


def make_fallback_instantiations(kernel: KernelFacts) -> GuessedSet:
    """Return the default set of a template; none where a parameter is of no kind that can be
    guessed.
    """
    choices: _Choices = {}
    for parameter in kernel.template_parameters:
        parameter_choices = list_argument_choices(parameter, kernel)
        if not parameter_choices:
            return ()

        choices[parameter.name or f"#{len(choices)}"] = parameter_choices

    return make_guessed_set(_iter_argument_lists(choices))


def _iter_argument_lists(choices: _Choices) -> Iterator[tuple[str, ...]]:
    """Yield the first of every set, then each further element type, then each other parameter's
    further choices.
    """
    element_parameters = frozenset(
        name
        for name, parameter_choices in choices.items()
        if parameter_choices[0] in ELEMENT_TYPES
    )

    varied_together = [element_parameters]
    varied_together += [
        frozenset({name}) for name in choices if name not in element_parameters
    ]

    yield _choose_arguments(choices, frozenset(), 0)
    for names in varied_together:
        # elements have different numbers of types where one of them is an index
        choice_count = min((len(choices[name]) for name in names), default=0)
        for position in range(1, choice_count):
            yield _choose_arguments(choices, names, position)


def _choose_arguments(
    choices: _Choices, varied_names: frozenset[str], position: int
) -> tuple[str, ...]:
    """Return the first choice of each parameter, that at `position` of the varied ones.

    A default that names parameters in front of it is spelled with their arguments.
    """
    arguments: dict[str, str] = {}
    for name, parameter_choices in choices.items():
        text = parameter_choices[position if name in varied_names else 0]
        arguments[name] = IDENTIFIER.sub(
            lambda word: arguments.get(word[0], word[0]), text
        )

    return tuple(arguments.values())
