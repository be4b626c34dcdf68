"""Launch site as a function from values of its free variables to a launch configuration and
scalar arguments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from crawler.validate.evidence.allocations.allocation import UNINITIALISED, Allocation
from crawler.validate.evidence.expressions.expression import parse_expression
from crawler.validate.evidence.expressions.expression_tree import Expression
from crawler.validate.evidence.launch_attempt import LaunchAttempt
from crawler.validate.evidence.launch_configuration import (
    Dim3,
    LaunchConfiguration,
    ScalarParameter,
    ValueChooser,
)
from crawler.validate.evidence.launch_correction import correct_free_variables
from crawler.validate.evidence.names import normalise_name

DEFAULT_SHARED_BYTES: Final = 48 << 10
"""Bytes of shared memory of a block that every device gives."""
_REQUESTED_SHARED_BYTES: Final = 160 << 10
"""Bytes that large devices give where a launch asks for them."""
_TELLING_LENGTH: Final = 3
"""Characters of a name that says something: `N` and `n` may well be two."""
_MAX_ATTEMPTS: Final = 24


@dataclass(slots=True)
class LaunchSite:
    """What is known of how a kernel is launched."""

    grid: str
    block: str
    shared_bytes: str
    arguments: Mapping[str, str]
    """As written, by parameter."""
    definitions: Mapping[str, str]
    """Definitions round the launch."""
    template_values: Mapping[str, int | float] = field(default_factory=dict)
    template_types: Mapping[str, str] = field(default_factory=dict)
    default_block: Dim3 = (256, 1, 1)
    template_threads: int = 0
    """Threads of a block as a template argument has them; 0 where none does."""
    conditions: tuple[Expression, ...] = ()
    """What the host asserts before it launches."""
    allocations: Mapping[str, Allocation] = field(default_factory=dict)
    """The memory that it passes, by parameter, as far as it is known."""
    unknown_shared_bytes: int = DEFAULT_SHARED_BYTES
    """Bytes of shared memory where nothing tells how much a launch has."""
    has_guessed_shared_bytes: bool = False
    """Whether what a launch has of it rests on the size of something that is not known."""
    asked_axes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """The axes of each tensor whose size the host asks for."""
    large_constants: Set[str] = frozenset()
    """Names that the host alone defines as large numbers: sizes of its work."""
    has_computed_grid: bool = False
    """Whether the grid was computed at the launch."""
    has_computed_block: bool = False
    """Whether the block was computed at the launch."""
    is_block_guessed_by_name: bool = True
    """Whether at most the name of a variable says how many threads a block has."""
    parsed_texts: dict[str, Expression | None] = field(default_factory=dict)
    _template_numbers: dict[str, int] | None = None
    """The numbers among the template arguments, by normalised names."""

    @property
    def has_guessed_block(self) -> bool:
        """Tell whether no more than a name says how many threads a block has, or nothing."""
        return self.is_block_guessed_by_name and not self.template_threads

    @property
    def has_requested_shared_bytes(self) -> bool:
        """Tell whether launches ask for more shared memory than every device gives."""
        return self.unknown_shared_bytes > DEFAULT_SHARED_BYTES

    @property
    def fill_bytes(self) -> dict[str, int]:
        """Return what the launcher sets every byte to, by parameter, where it does."""
        return {
            parameter: allocation.fill_byte
            for parameter, allocation in self.allocations.items()
            if allocation.fill_byte is not None
            and allocation.fill_byte != UNINITIALISED
        }

    def find_template_value(self, names: Sequence[str]) -> int:
        """Return what a template argument says of what goes by `names`, as it goes by one of
        them; 0 for nothing.
        """
        # computed once: every free variable of every attempt asks
        if self._template_numbers is None:
            self._template_numbers = {
                normalise_name(name): int(value)
                for name, value in self.template_values.items()
                if value > 1 and len(name) >= _TELLING_LENGTH
            }

        for name in names:
            value = self._template_numbers.get(normalise_name(name))
            if value is not None:
                return value

        return 0

    def request_more_shared_memory(self, configuration: LaunchConfiguration) -> bool:
        """Give launches more shared memory than `configuration` has, where that is no more than
        a guess; tell if so.
        """
        if not self.has_guessed_shared_bytes:
            return False
        if configuration.shared_bytes >= _REQUESTED_SHARED_BYTES:
            return False

        self.unknown_shared_bytes = _REQUESTED_SHARED_BYTES

        return True

    def configure(
        self,
        scalars: Sequence[ScalarParameter],
        choose_value: ValueChooser,
        max_threads: int,
    ) -> LaunchConfiguration:
        """Return the configuration that `choose_value` leads to, corrected until divisions go
        and the grid fits.
        """
        corrections: dict[str, int] = {}
        asserted: dict[str, int] = {}
        attempt = LaunchAttempt(self, scalars, choose_value, corrections)

        # each attempt evaluates all anew, as one variable may stand in block, grid and arguments
        for _ in range(_MAX_ATTEMPTS):
            attempt = LaunchAttempt(self, scalars, choose_value, dict(corrections))
            if not correct_free_variables(attempt, corrections, asserted, max_threads):
                break

        if attempt.is_grid_too_large(max_threads) and self._free_large_constants():
            return self.configure(scalars, choose_value, max_threads)

        return attempt.build_configuration(max_threads)

    def _free_large_constants(self) -> bool:
        """Let the host's large constants have any value; tell whether there were any.

        A grid that is cut leaves the end of what it works on to nobody.
        """
        if not self.large_constants:
            return False

        self.definitions = {
            name: value
            for name, value in self.definitions.items()
            if name not in self.large_constants
        }
        self.large_constants = frozenset()

        return True

    def parse_text(self, text: str) -> Expression | None:
        """Return the tree of a text, parsed once."""
        if text not in self.parsed_texts:
            self.parsed_texts[text] = parse_expression(text)
        return self.parsed_texts[text]
