"""One evaluation of a launch site."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from crawler.validate.evidence.allocations.extents import measure_allocations
from crawler.validate.evidence.evaluation import Value, evaluate, to_number
from crawler.validate.evidence.evaluation_scope import EvaluationScope
from crawler.validate.evidence.expressions.expression_tree import Call, Expression, Name
from crawler.validate.evidence.expressions.tensor_views import (
    find_viewed_tensor,
    name_extent,
)
from crawler.validate.evidence.launch_configuration import (
    MAX_BLOCK_THREADS,
    Dim3,
    LaunchConfiguration,
    ScalarParameter,
    ValueChooser,
    clamp_extents,
    limit_grid,
    to_dim3,
)
from crawler.validate.evidence.names import is_block_size, typical_real, typical_size

if TYPE_CHECKING:
    from crawler.validate.evidence.launch_site import LaunchSite

_MAX_SHARED_BYTES: Final = 1 << 20
_MAX_DEFINITION_STEPS: Final = 8


class LaunchAttempt:
    """One evaluation of a site."""

    def __init__(
        self,
        site: LaunchSite,
        scalars: Sequence[ScalarParameter],
        choose_value: ValueChooser,
        corrections: Mapping[str, int],
    ) -> None:
        self.site = site
        self._choose_value = choose_value
        self._corrections = corrections
        self.free_values: dict[str, int] = {}
        self._read_variables: list[str] = []
        self._parameter_name = ""
        self.scope = EvaluationScope(
            resolve_free=self._resolve_free,
            resolve_factor=self._resolve_factor,
            definitions=site.definitions,
            bound_values=site.template_values,
            types=site.template_types,
            parsed_texts=site.parsed_texts,
            asked_axes=site.asked_axes,
        )

        # the block first: `blocks(n)` in the grid divides by its threads
        self.block = self._evaluate_block()
        self.scope.block_threads = math.prod(self.block)
        self.block_variables = tuple(dict.fromkeys(self._take_read_variables()))

        self.grid = self._evaluate_grid()
        self.grid_variables = tuple(dict.fromkeys(self._take_read_variables()))

        self.shared_bytes = self._evaluate_shared_bytes()
        shared_variables = set(self._take_read_variables())

        self._scalars = {
            scalar.name: self._evaluate_scalar(scalar) for scalar in scalars
        }
        self._scalar_variables = frozenset(self._read_variables)
        # what the kernel is told nothing of may be anything
        unexplained = shared_variables.difference(
            self._read_variables, self.grid_variables, self.block_variables
        )
        if unexplained:
            site.has_guessed_shared_bytes = True

    def _take_read_variables(self) -> list[str]:
        """Return the free variables that were asked for since the last call."""
        variables = self._read_variables
        self._read_variables = []
        return variables

    def is_grid_too_large(self, max_threads: int) -> bool:
        """Tell whether a grid has more threads than wanted that no variable can make fewer."""
        has_variables = any(self.free_values[name] > 1 for name in self.grid_variables)
        threads = math.prod(self.grid) * math.prod(self.block)
        return threads > max_threads and not has_variables

    def build_configuration(self, max_threads: int) -> LaunchConfiguration:
        """Return what came of it; a grid that no variable can make smaller is cut to so many
        threads.
        """
        grid = clamp_extents(self.grid)
        if all(self.free_values[name] <= 1 for name in self.grid_variables):
            grid = limit_grid(grid, max_threads // math.prod(self.block))

        return LaunchConfiguration(
            grid=grid,
            block=self.block,
            shared_bytes=self.shared_bytes,
            scalars=self._scalars,
            free_variables=self.free_values,
            grid_variables=self.grid_variables,
            passed_variables=self._scalar_variables,
            extents=measure_allocations(
                self.site, self.scope, self._select_passed_values()
            ),
        )

    def _select_passed_values(self) -> dict[str, int]:
        """Return the free variables that the kernel is told of: it is passed them, or has as many
        blocks; by the grid in any way where it is passed no size.

        What else stands in the grid alone may be any size beside those that are passed.
        """
        passed_variables = self._scalar_variables.union(self.block_variables)
        passed_variables = passed_variables.union(
            name for name in self.grid_variables if self.free_values[name] in self.grid
        )
        if passed_variables <= {*self.grid_variables, *self.block_variables}:
            passed_variables = passed_variables.union(self.grid_variables)

        return {
            name: value
            for name, value in self.free_values.items()
            if name in passed_variables
        }

    def resolve_variable(self, tree: Expression) -> str:
        """Return the free variable that an expression is, through the names that it goes by;
        empty for any other.
        """
        for _ in range(_MAX_DEFINITION_STEPS):
            text = tree.text if isinstance(tree, Name | Call) else ""
            if text in self.free_values or text not in self.site.definitions:
                return text

            definition = self.site.parse_text(self.site.definitions[text])
            if definition is None:
                return ""

            tree = definition

        return ""

    def _resolve_factor(self, text: str, names: tuple[str, ...]) -> int | float:
        """Give a free variable its value that goes by no parameter's name, but by its own."""
        parameter_name, self._parameter_name = self._parameter_name, ""
        value = self._resolve_free(text, names)
        self._parameter_name = parameter_name
        return value

    def _resolve_free(self, text: str, names: tuple[str, ...]) -> int | float:
        """Give a free variable its value, and note that it was asked for."""
        if self._parameter_name:
            names = (*names, self._parameter_name)

        template_value = self.site.find_template_value(names)
        if template_value:
            return template_value

        self._read_variables.append(text)
        if text in self.free_values:
            return self.free_values[text]

        ordinary = typical_size(names)

        if is_block_size(names):
            default = math.prod(self.site.default_block)
            value = self._corrections.get(text, default)
        else:
            chosen = self._choose_value(text, names, ordinary)
            value = self._corrections.get(text, chosen)

        self.free_values[text] = value

        return value

    def _evaluate_text(self, text: str) -> Value | None:
        return evaluate(self.site.parse_text(text), self.scope) if text else None

    def _evaluate_block(self) -> Dim3:
        site = self.site
        value = self._evaluate_text(site.block)
        block = to_dim3(value)
        is_known = (
            block is not None
            and 1 <= math.prod(block) <= MAX_BLOCK_THREADS
            and min(block) > 0
        )

        # `<<<grid, n>>>` where nothing else depends on `n` is a guess as good as any
        if is_known and not isinstance(value, tuple):
            is_known = not self._is_unrelated_block()

        site.has_computed_block = is_known and site.block not in self.free_values
        site.is_block_guessed_by_name = not is_known or any(
            is_block_size((name,)) for name in self._read_variables
        )

        return block if block and is_known else site.default_block

    def _is_unrelated_block(self) -> bool:
        """Tell whether the block is a variable that nothing tells of, and that nothing else is
        computed from.
        """
        tree = self.site.parse_text(self.site.block)
        name = self.resolve_variable(tree) if tree is not None else ""
        if name not in self.free_values:
            return False

        texts = (self.site.grid, *self.site.arguments.values())
        return not any(name in text for text in texts)

    def _evaluate_grid(self) -> Dim3:
        grid = to_dim3(self._evaluate_text(self.site.grid))
        self.site.has_computed_grid = grid is not None
        if grid is not None:
            return grid

        # a grid that cannot be read covers as many elements as an ordinary kernel has
        total = self._resolve_free("the grid's work", ("n",))
        return -(-int(total) // math.prod(self.block)), 1, 1

    def _evaluate_shared_bytes(self) -> int:
        """Return the bytes of dynamic shared memory: all that a launch has without asking,
        where nothing tells them.
        """
        site = self.site
        text = site.shared_bytes
        value = to_number(self._evaluate_text(text)) if text not in ("", "0") else 0
        tree = site.parse_text(text) if text else None
        is_free = tree is not None and self.resolve_variable(tree) in self.free_values
        if value is None or self.scope.has_unknown_size or is_free:
            site.has_guessed_shared_bytes = True
            return site.unknown_shared_bytes

        known_bytes = int(value) if 0 <= value <= _MAX_SHARED_BYTES else 0
        if site.has_requested_shared_bytes:
            return max(known_bytes, site.unknown_shared_bytes)

        return known_bytes

    def _evaluate_scalar(self, scalar: ScalarParameter) -> int | float:
        self._parameter_name = scalar.name
        tree = self.site.parse_text(self._expression_of(scalar))
        is_free = self._is_undefined_variable(tree)
        if scalar.is_real and (tree is None or is_free):
            return typical_real(scalar.name)

        value = to_number(evaluate(tree, self.scope))
        if value is None or self._is_empty_size(scalar, tree, value):
            value = self._resolve_free(scalar.name, (scalar.name,))

        # a flag that is computed as 7 is true
        if scalar.is_bool:
            return int(bool(value)) if value in (0, 1) else 1

        return value if scalar.is_real else int(value)

    def _is_empty_size(
        self, scalar: ScalarParameter, tree: Expression | None, value: int | float
    ) -> bool:
        """Tell whether what counts something was computed to be nothing."""
        # a flag counts nothing: the host passes `false`
        if scalar.is_bool:
            return False
        if value > 0 or self._is_undefined_variable(tree):
            return False
        return typical_size((scalar.name,)) >= 2

    def _is_undefined_variable(self, tree: Expression | None) -> bool:
        return (
            isinstance(tree, Name | Call)
            and tree.text not in self.site.definitions
            and self.resolve_variable(tree) == tree.text
        )

    def _expression_of(self, scalar: ScalarParameter) -> str:
        """Return the expression of a scalar: of a shape's axis what the host calls it."""
        parameter, _, member = scalar.name.partition(".")
        argument = self.site.arguments.get(parameter, "")
        if not member:
            return argument or scalar.name
        if not argument:
            return f"{parameter}.{member}"
        if scalar.axis < 0 or "x" in member.rpartition(".")[2]:
            return f"{argument}.{member}"

        viewed_tensor = find_viewed_tensor(argument, self.site.definitions)
        tensor = viewed_tensor or parameter

        return name_extent(tensor, scalar.axis, self.free_values)
