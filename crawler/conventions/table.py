"""The table of naming conventions, and lookups in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

TABLE: Final = Path(__file__).with_name("parameter_names.toml")
# Case counts at a word's edge even where it does not in the word
_WORD_EDGE: Final = (
    r"(?-i:(?<![A-Za-z])|(?![A-Za-z])|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]))"
)


class NameKind(StrEnum):
    """What a convention tells of what goes by a name."""

    BLOCK_SIZE = "block-size"
    """A number: the threads of a block."""
    SIZE = "size"
    """A number with an ordinary value, by a whole name or a word of it."""
    COUNT = "count"
    """A number of all elements, by a whole name."""
    COUNT_WORD = "count-word"
    """A number of all elements, by a word of a name."""
    REAL = "real"
    """A real number with an ordinary value, by a part of a name."""
    TENSOR_EXTENT = "tensor-extent"
    """An expression for the extent of a tensor's axis; group 1 is the axis."""
    TENSOR_STRIDE = "tensor-stride"
    """An expression for the stride of a tensor's axis; group 1 is the axis."""
    OWNED_TENSOR_STRIDE = "owned-tensor-stride"
    """The same with the tensor: group 1 is the tensor, group 2 the axis."""
    NUMBERED_STRIDE = "numbered-stride"
    """A stride that ends in the number of its axis, which is group 1."""
    STRIDE = "stride"
    """A distance between rows."""
    STRIDE_TYPE = "stride-type"
    """The type of strides."""
    OFFSET = "offset"
    """Where a second array in one buffer begins."""
    GROUP_LENGTH = "group-length"
    """How many elements a group has."""
    SHAPE = "shape"
    """A member with the extents of axes."""
    SHAPE_OF_LENGTHS = "shape-of-lengths"
    """A member with the extents of axes, if strides stand beside it."""
    AXIS_STRIDE = "axis-stride"
    """A member with the strides of axes."""
    RANK = "rank"
    """A member that says how many axes are in use."""
    AXIS_ARRAY = "axis-array"
    """A member with a number for each axis, be it an array or not."""
    DIVISOR_MULTIPLIER = "divisor-multiplier"
    """The multiplier of a division by an invariant integer."""
    DIVISOR_SHIFT = "divisor-shift"
    """The shift of a division by an invariant integer."""
    DIVISOR_RIGHT_SHIFT = "divisor-right-shift"
    """A shift of the product's upper word alone, without the number added to it."""
    DIVISOR = "divisor"
    """The divisor itself."""
    ASCENDING_CONTENTS = "ascending-contents"
    """A buffer of ascending positions."""
    COUNT_CONTENTS = "count-contents"
    """A buffer of counts."""
    LINK_CONTENTS = "link-contents"
    """A buffer of indices of other elements."""
    LOCK = "lock"
    """A buffer of locks."""


class Sighting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place in public code where a name has the meaning of its convention."""

    project: str
    """`owner/repository` on GitHub."""
    file: str
    name: str


class Convention(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What names that match a pattern mean."""

    kind: NameKind
    pattern: str
    meaning: str
    seen_in: tuple[Sighting, ...]
    value: int | float | None = None
    """An ordinary value of a number that goes by such a name."""
    ignore_case: bool = False
    whole_words: bool = False
    """Whether the pattern is to match words of a name from their beginning to their end."""

    @property
    def search_pattern(self) -> str:
        """Return the pattern as it is searched for in a name."""
        if not self.whole_words:
            return self.pattern
        return f"{_WORD_EDGE}(?:{self.pattern}){_WORD_EDGE}"

    @property
    def expression(self) -> re.Pattern[str]:
        """Return the compiled pattern, which is to be searched unless its kind says otherwise."""
        flags = re.IGNORECASE if self.ignore_case else 0
        return re.compile(self.search_pattern, flags)

    @property
    def number(self) -> int | float:
        """Return the ordinary value of a convention of numbers.

        Raises `ValueError` for one of another kind.
        """
        if self.value is None:
            raise ValueError(f"a convention of kind {self.kind} has no value")

        return self.value


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of the file."""

    convention: tuple[Convention, ...]


@cache
def load_conventions() -> tuple[Convention, ...]:
    """Return every convention, in the order in which they are tried."""
    table = msgspec.toml.decode(TABLE.read_bytes(), type=_Table)
    return table.convention


def list_conventions(*kinds: NameKind) -> tuple[Convention, ...]:
    """Return the conventions of some kinds, in the order in which they are tried."""
    return tuple(row for row in load_conventions() if row.kind in kinds)


def compile_names(kind: NameKind) -> re.Pattern[str]:
    """Return one pattern that finds the names of every convention of a kind.

    Raises `ValueError` where conventions of one kind differ in whether case matters.
    """
    conventions = list_conventions(kind)
    case_rules = {convention.ignore_case for convention in conventions}
    if len(case_rules) != 1:
        raise ValueError(f"conventions of kind {kind} differ in whether case matters")

    (ignores_case,) = case_rules
    flags = re.IGNORECASE if ignores_case else 0
    pattern = _join_alternatives(conventions)
    return re.compile(pattern, flags)


def _join_alternatives(conventions: Iterable[Convention]) -> str:
    # no group around each: those of a pattern keep their numbers
    return "|".join(convention.search_pattern for convention in conventions)
