"""Launch site as a function from values of its free variables to a launch configuration and
scalar arguments.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from crawler.validate.evidence.evaluation import (
    EvaluationScope,
    Value,
    evaluate,
    to_number,
)
from crawler.validate.evidence.expression import (
    Call,
    Expression,
    Name,
    parse_expression,
)
from crawler.validate.evidence.host_assertions import ConditionScope, values_to_satisfy
from crawler.validate.evidence.launch_configuration import (
    MAX_BLOCK_THREADS,
    Dim3,
    LaunchConfiguration,
    ScalarParameter,
    ValueChooser,
    limit_grid,
    to_dim3,
)
from crawler.validate.evidence.names import (
    is_block_size,
    normalise_name,
    typical_real,
    typical_size,
)

_UNASKED: Final = 48 << 10
"""Bytes of shared memory of a block that every device gives."""
_ASKED: Final = 160 << 10
"""Bytes that large devices give where a launch asks for them."""
_LETTER: Final = 2
"""Characters of a name that says nothing: `N` and `n` may well be two."""
_MOST_BLOCKS: Final = 1 << 16
_TURNS: Final = 24
_VIEW: Final = re.compile(r"accessor|contiguous\s*\(|\.\s*to\s*\(|\.\s*view_as")
_RECEIVER: Final = re.compile(r"\s*(\w+)\s*(?:[.\-(<]|$)")


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
    _told: dict[str, int] | None = None
    """The numbers among the template arguments, by plain names."""
    _unknown_shared: int = _UNASKED
    """Bytes of shared memory where nothing tells how much a launch has."""
    _guessed_shared: bool = False
    """Whether what a launch has of it rests on the size of something that is not known."""
    _computed_block: bool = False
    _guessed_block: bool = True
    _trees: dict[str, Expression | None] = field(default_factory=dict)

    @property
    def has_computed_block(self) -> bool:
        """Tell whether the block was computed at the launch."""
        return self._computed_block

    @property
    def has_guessed_block(self) -> bool:
        """Tell whether no more than a name says how many threads a block has, or nothing."""
        return self._guessed_block and not self.template_threads

    def find_template_value(self, names: Sequence[str]) -> int:
        """Return what a template argument says of what goes by `names`, as it goes by one of
        them; 0 for nothing.
        """
        if self._told is None:
            self._told = {
                normalise_name(name): int(value)
                for name, value in self.template_values.items()
                if value > 1 and name[_LETTER:]
            }
        return next(
            (
                self._told[each]
                for each in map(normalise_name, names)
                if each in self._told
            ),
            0,
        )

    def request_more_shared_memory(self, configuration: LaunchConfiguration) -> bool:
        """Give launches more shared memory than `configuration` has, where that is no more than
        a guess; tell if so.
        """
        more = self._guessed_shared and configuration.shared_bytes < _ASKED
        self._unknown_shared = _ASKED if more else self._unknown_shared
        return more

    def configure(
        self,
        scalars: Sequence[ScalarParameter],
        choose_value: ValueChooser,
        max_threads: int,
    ) -> LaunchConfiguration:
        """Return the configuration that `choose_value` leads to, mended until divisions go and
        the grid fits.
        """
        mended: dict[str, int] = {}
        held: dict[str, int] = {}
        tried = _Try(self, scalars, choose_value, mended)
        for _ in range(_TURNS):
            tried = _Try(self, scalars, choose_value, dict(mended))
            if not tried.mend(mended, held, max_threads):
                break
        return tried.configuration(max_threads)

    def parse_text(self, text: str) -> Expression | None:
        """Return the tree of a text, parsed once."""
        if text not in self._trees:
            self._trees[text] = parse_expression(text)
        return self._trees[text]


class _Try:
    """One evaluation of a site."""

    def __init__(
        self,
        site: LaunchSite,
        scalars: Sequence[ScalarParameter],
        choose: ValueChooser,
        mended: Mapping[str, int],
    ) -> None:
        self._site, self._choose, self._mended = site, choose, mended
        self._free: dict[str, int] = {}
        self._touched: list[str] = []
        self._asking = ""
        self._scope = EvaluationScope(
            resolve_free=self._value_of,
            definitions=site.definitions,
            bound_values=site.template_values,
            types=site.template_types,
            parsed_texts=site._trees,
        )
        self.block = self._block()
        self._scope.block_threads = math.prod(self.block)
        self._of_block = tuple(dict.fromkeys(self._touched))
        self._touched = []
        self.grid = self._grid()
        self.of_grid = tuple(dict.fromkeys(self._touched))
        self._touched = []
        self.shared = self._shared_bytes()
        of_shared, self._touched = set(self._touched), []
        self._scalars = {each.name: self._scalar(each) for each in scalars}
        # what the kernel is told nothing of may be anything
        site._guessed_shared |= bool(
            of_shared.difference(self._touched, self.of_grid, self._of_block)
        )

    def configuration(self, most_threads: int) -> LaunchConfiguration:
        """Return what came of it; a grid that no variable can make smaller is cut to so many
        threads.
        """
        x, y, z = (min(max(each, 1), _MOST_BLOCKS) for each in self.grid)
        written = all(self._free[name] <= 1 for name in self.of_grid)
        return LaunchConfiguration(
            grid=limit_grid((x, y, z), most_threads // math.prod(self.block))
            if written
            else (x, y, z),
            block=self.block,
            shared_bytes=self.shared,
            scalars=self._scalars,
            free_variables=self._free,
            grid_variables=self.of_grid,
        )

    def mend(
        self, mended: dict[str, int], held: dict[str, int], most_threads: int
    ) -> bool:
        """Change what breaks a condition, makes a division inexact, or the grid empty or large;
        tell if anything was.

        What the host's conditions ask for is `held`: a grid is not made smaller by it.
        """
        before = dict(mended)
        wanted = self._site.template_threads
        if wanted and math.prod(self.block) != wanted:
            mended.update(
                {name: wanted for name in self._of_block if self._free[name] != wanted}
            )
        if any(each <= 0 for each in self.grid):
            for name in self.of_grid:
                mended[name] = max(2, self._free[name] * 4)
        elif math.prod(self.grid) * math.prod(self.block) > most_threads:
            self._shrink(mended, held)
        else:
            self._divide(mended)
        if mended == before:
            self._assume(mended, held)
        return mended != before

    def _shrink(self, mended: dict[str, int], held: Mapping[str, int]) -> None:
        larger = [name for name in self.of_grid if self._free[name] > held.get(name, 1)]
        largest = max(larger, key=lambda name: self._free[name], default="")
        if largest:
            mended[largest] = max(held.get(largest, 1), self._free[largest] // 2)

    def _assume(self, mended: dict[str, int], held: dict[str, int]) -> None:
        """Change what a condition of the host is broken by."""
        scope = replace(self._scope, resolve_free=self._known, inexact_divisions=[])
        seen = ConditionScope(
            lambda tree: to_number(evaluate(tree, scope)), self._variable_known
        )
        wanted: dict[str, int] = {}
        for condition in self._site.conditions:
            wanted = values_to_satisfy(condition, seen) | wanted
        changed = {
            name: value for name, value in wanted.items() if held.get(name) != value
        }
        mended.update(changed)
        held.update(changed)

    def _known(self, text: str, names: tuple[str, ...]) -> int | float:
        """Return the value of a variable that a launch asks for; a condition on any other is
        nobody's concern.
        """
        told = self._site.find_template_value(names)
        if not told and text not in self._free:
            raise ValueError(text)
        return told or self._free[text]

    def _variable_known(self, tree: Expression) -> str:
        text = self._variable(tree)
        return text if text in self._free else ""

    def _divide(self, mended: dict[str, int]) -> None:
        for tree, divisor in self._scope.inexact_divisions:
            text = self._variable(tree)
            if text in self._free and divisor <= 4096:
                mended[text] = max(1, -(-self._free[text] // divisor)) * divisor

    def _variable(self, tree: Expression) -> str:
        """Return the free variable that an expression is, through the names that it goes by;
        empty for any other.
        """
        for _ in range(8):
            text = tree.text if isinstance(tree, Name | Call) else ""
            if text in self._free or text not in self._site.definitions:
                return text
            further = self._site.parse_text(self._site.definitions[text])
            if further is None:
                return ""
            tree = further
        return ""

    def _value_of(self, text: str, names: tuple[str, ...]) -> int | float:
        known = (*names, self._asking) if self._asking else names
        told = self._site.find_template_value(known)
        if told:
            return told
        self._touched.append(text)
        if text in self._free:
            return self._free[text]
        ordinary = typical_size(known)
        if is_block_size(known):
            value = self._mended.get(text, math.prod(self._site.default_block))
        else:
            value = self._mended.get(text, self._choose(text, known, ordinary))
        self._free[text] = value
        return value

    def _evaluated(self, text: str) -> Value | None:
        return evaluate(self._site.parse_text(text), self._scope) if text else None

    def _block(self) -> Dim3:
        value = self._evaluated(self._site.block)
        block = to_dim3(value)
        known = (
            block is not None
            and 1 <= math.prod(block) <= MAX_BLOCK_THREADS
            and min(block) > 0
        )
        known = known and (isinstance(value, tuple) or not self._is_apart())
        self._site._computed_block = known and not (
            isinstance(self._free.get(self._site.block), int)
        )
        self._site._guessed_block = not known or any(
            is_block_size((name,)) for name in self._touched
        )
        return block if block and known else self._site.default_block

    def _is_apart(self) -> bool:
        """Tell whether the block is a variable that nothing tells of, and that nothing else is
        computed from.
        """
        tree = self._site.parse_text(self._site.block)
        name = self._variable(tree) if tree is not None else ""
        others = (self._site.grid, *self._site.arguments.values())
        return name in self._free and not any(name in text for text in others)

    def _grid(self) -> Dim3:
        grid = to_dim3(self._evaluated(self._site.grid))
        if grid is not None:
            return grid
        total = self._value_of("the grid's work", ("n",))
        return (-(-int(total) // math.prod(self.block)), 1, 1)

    def _shared_bytes(self) -> int:
        """Return the bytes of dynamic shared memory: all that a launch has without asking,
        where nothing tells them.
        """
        site, text = self._site, self._site.shared_bytes
        value = to_number(self._evaluated(text)) if text not in ("", "0") else 0
        tree = site.parse_text(text) if text else None
        if (
            value is None
            or self._scope.has_unknown_size
            or (tree is not None and self._variable(tree) in self._free)
        ):
            site._guessed_shared = True
            return site._unknown_shared
        known = int(value) if 0 <= value <= 1 << 20 else 0
        return (
            max(known, site._unknown_shared)
            if site._unknown_shared > _UNASKED
            else known
        )

    def _scalar(self, scalar: ScalarParameter) -> int | float:
        self._asking = scalar.name
        tree = self._site.parse_text(self._text_of(scalar))
        if scalar.is_real and (tree is None or self._is_free(tree)):
            return typical_real(scalar.name)
        value = to_number(evaluate(tree, self._scope))
        if value is None or (
            value <= 0 and not self._is_free(tree) and self._is_size(scalar.name)
        ):
            value = self._value_of(scalar.name, (scalar.name,))
        if scalar.is_bool:
            return int(bool(value)) if value in (0, 1) else 1
        return value if scalar.is_real else int(value)

    def _text_of(self, scalar: ScalarParameter) -> str:
        """Return the expression of a scalar: of a shape's axis what the host calls it."""
        parameter, _, member = scalar.name.partition(".")
        written = self._site.arguments.get(parameter, "")
        if not member:
            return written or scalar.name
        if not written:
            return f"{parameter}.{member}"
        if scalar.axis < 0 or "x" in member.rpartition(".")[2]:
            return f"{written}.{member}"
        name = self._tensor(written) or parameter
        asked = (f"{name}.{word}({scalar.axis})" for word in ("size", "dim", "shape"))
        return next(
            (text for text in asked if text in self._free),
            f"{name}.size({scalar.axis})",
        )

    def _tensor(self, written: str) -> str:
        """Return the tensor that a view such as `x_acc` or `x.packed_accessor32<float, 4>()` is
        of.
        """
        name = ""
        for _ in range(4):
            found = _RECEIVER.match(written)
            if found is None:
                return name
            name = found[1]
            written = self._site.definitions.get(name, "")
            if not _VIEW.search(written):
                return name
        return name

    @staticmethod
    def _is_size(name: str) -> bool:
        return typical_size((name,)) >= 2

    def _is_free(self, tree: Expression | None) -> bool:
        return (
            isinstance(tree, Name | Call)
            and tree.text not in self._site.definitions
            and self._variable(tree) == tree.text
        )
