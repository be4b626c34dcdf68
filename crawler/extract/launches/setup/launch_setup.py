"""Compute what a launch needs of the functions round it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.clang.cursor import Cursor
from crawler.extract.launches.kernel_use import SourcePlace
from crawler.extract.launches.setup.backward_slice import (
    BackwardSlice,
    list_free_names,
)
from crawler.extract.launches.setup.clang_statement import find_body
from crawler.extract.launches.setup.free_variables import (
    list_member_definitions,
    list_outer_variables,
)
from crawler.extract.launches.setup.syntax_statement import (
    find_body_in_text,
    list_parameters_in_text,
    parse_beginning,
)
from crawler.extract.syntax.launch_wrappers import ParameterBindings
from crawler.model import Parameter


@dataclass(frozen=True, slots=True)
class LaunchSetup:
    """What computes a launch."""

    statements: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    inputs: tuple[Parameter, ...] = ()
    open_names: frozenset[str] = frozenset()
    """Names that it reads and no function round it declares: of the project, or of a library."""


@dataclass(slots=True)
class SetupBuilder:
    """Slices the functions round launches of one translation unit."""

    sources: SourceFiles
    functions: Mapping[SourcePlace, Cursor]
    """The function round each use of a kernel and each call of a launching function."""
    has_launch: Callable[[str, int, int], bool]
    """By path and range: whether a kernel is launched there."""
    skipped_ranges: Collection[tuple[str, int, int]] = ()
    """Path, start and end of what the preprocessor left out."""

    def build(
        self,
        place: SourcePlace,
        texts: tuple[str, ...],
        macro_text: str = "",
        bindings: ParameterBindings = (),
        call_place: SourcePlace | None = None,
    ) -> LaunchSetup:
        """Return what computes the expressions `texts` of the launch at a place.

        `macro_text` is what stands in front of the launch in the macro that makes it; `bindings`
        are the arguments of the call at `call_place` of the function that launches.
        """
        names = set().union(*map(list_free_names, texts))
        parts = []
        if macro_text.strip():
            parts.append(_slice_text(macro_text, names))
            names = parts[-1].needed_names

        parts.append(self._slice_function(place, names, dict(bindings)))
        if call_place is not None and bindings:
            names = parts[-1].needed_names
            parts.append(self._slice_function(call_place, names, {}))

        return _join(parts)

    def _slice_function(
        self, place: SourcePlace, names: set[str], arguments: dict[str, str]
    ) -> BackwardSlice:
        """Return a slice of the function round a place, its parameters bound to arguments."""
        path, offset = place
        source = self.sources[path]
        backward_slice = BackwardSlice(
            source, set(names), lambda start, end: self.has_launch(path, start, end)
        )
        function = self.functions.get(place)
        body = find_body(function, source) if function is not None else None
        variables: list[Parameter] = []
        if body is not None and function is not None:
            backward_slice.skipped_ranges = [
                (start, end)
                for skipped_path, start, end in self.skipped_ranges
                if skipped_path == path
            ]
            backward_slice.enter(body, offset)
            variables = list_outer_variables(function)
            for member in reversed(list_member_definitions(function)):
                backward_slice.add_definition(member.name, (member.start, member.end))
        else:
            text_body = find_body_in_text(source, offset)
            if text_body is not None:
                backward_slice.enter(text_body, offset)
                variables = list_parameters_in_text(text_body)

        _bind_arguments(backward_slice, variables, arguments)
        free = [variable for variable in variables if variable.name not in arguments]
        backward_slice.use_inputs(free)
        # the types of members name parameters of the class
        backward_slice.use_inputs(free)
        return backward_slice


def _slice_text(text: str, names: set[str]) -> BackwardSlice:
    source, body, end = parse_beginning(text)
    text_slice = BackwardSlice(source, set(names), lambda _start, _end: False)
    if body is not None:
        text_slice.enter(body, end)
    return text_slice


def _bind_arguments(
    backward_slice: BackwardSlice,
    variables: list[Parameter],
    arguments: dict[str, str],
) -> None:
    """Add what a call passes for the parameters that a slice reads, as declarations of these."""
    for variable in reversed(variables):
        argument = arguments.get(variable.name)
        if argument is None or variable.name not in backward_slice.needed_names:
            continue

        backward_slice.needed_names |= list_free_names(argument)
        # the caller's variable of the same name is meant
        if argument != variable.name:
            backward_slice.needed_names.discard(variable.name)
            backward_slice.statements.append(
                f"{variable.type} {variable.name} = {argument};"
            )


def _join(parts: list[BackwardSlice]) -> LaunchSetup:
    """Return slices of one launch as one, the innermost function's first among `parts`."""
    statements: list[str] = []
    conditions: list[str] = []
    inputs: dict[str, Parameter] = {}
    for part in parts:
        statements += part.statements
        conditions += part.conditions
        for name, variable in part.inputs.items():
            inputs.setdefault(name, variable)

    return LaunchSetup(
        statements=tuple(reversed(statements)),
        conditions=tuple(reversed(conditions)),
        inputs=tuple(inputs.values()),
        open_names=frozenset(parts[-1].needed_names),
    )
