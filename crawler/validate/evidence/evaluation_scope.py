"""What the names of host expressions mean while they are evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from crawler.validate.evidence.expressions.expression import parse_expression
from crawler.validate.evidence.expressions.expression_tree import Expression


def refuse_free_variable(text: str, _names: tuple[str, ...]) -> int | float:
    """Refuse to give a free variable a value: raises `ValueError`."""
    raise ValueError(text)


@dataclass(slots=True)
class EvaluationScope:
    """What names mean: definitions of the host's text, what is bound to values, and who gives
    the rest a value.
    """

    resolve_free: Callable[[str, tuple[str, ...]], int | float]
    """Asked with a text and the names that it goes by."""
    resolve_factor: Callable[[str, tuple[str, ...]], int | float] = refuse_free_variable
    """Asked for what is only a factor of what is evaluated."""
    definitions: Mapping[str, str] = field(default_factory=dict)
    bound_values: Mapping[str, int | float] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    """What type names stand for: `scalar_t` → `float`."""
    asked_axes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """The axes of each tensor whose size the host asks for."""
    block_threads: int = 256
    """Of a block: by what `blocks(n)` divides."""
    inexact_divisions: list[tuple[Expression, int]] = field(default_factory=list)
    """Divisions that leave a rest, with their divisors."""
    has_unknown_size: bool = False
    """Whether the size of a type was asked for that is not known."""
    parsed_texts: dict[str, Expression | None] = field(default_factory=dict)
    """Of texts that were parsed before."""
    _names_by_text: dict[str, list[str]] | None = None
    """The names that are defined as a text without blanks."""

    def find_names(self, text: str) -> Sequence[str]:
        """Return the names that are defined as a text without blanks."""
        if self._names_by_text is None:
            self._names_by_text = {}
            for name, definition in self.definitions.items():
                names = self._names_by_text.setdefault(definition.replace(" ", ""), [])
                names.append(name)

        return self._names_by_text.get(text, ())

    def parse_text(self, text: str) -> Expression | None:
        """Return the tree of a text, parsed once."""
        if text in self.parsed_texts:
            return self.parsed_texts[text]

        tree = parse_expression(text)
        self.parsed_texts[text] = tree

        return tree

    def note_division(
        self, dividend: Expression, value: int | float, divisor: int | float
    ) -> None:
        """Note a division of whole numbers that leaves a rest: its dividend may be corrected."""
        if not isinstance(value, int):
            return
        if not isinstance(divisor, int) or divisor == 0:
            return

        rest = value % divisor
        if rest:
            division = (dividend, divisor)
            self.inexact_divisions.append(division)
