"""Typical values of sizes and scalars by the names of their parameters."""

from __future__ import annotations

import re
from typing import Final

from crawler.conventions.table import NameKind, compile_names, list_conventions

_BLOCK_SIZE: Final = compile_names(NameKind.BLOCK_SIZE)
_WHOLE_NAMES: Final = tuple(
    (convention.expression, int(convention.number))
    for convention in list_conventions(
        NameKind.BLOCK_SIZE, NameKind.SIZE, NameKind.COUNT
    )
)
# names in small letters with underscores
_WORDS: Final = tuple(
    (re.compile(rf"(?:^|_)(?:{convention.pattern})(?:_|$)"), int(convention.number))
    for convention in list_conventions(NameKind.BLOCK_SIZE, NameKind.SIZE)
) + tuple(
    (convention.expression, int(convention.number))
    for convention in list_conventions(NameKind.COUNT_WORD)
)
_REALS: Final = tuple(
    (convention.expression, float(convention.number))
    for convention in list_conventions(NameKind.REAL)
)
_TENSOR_EXTENT: Final = compile_names(NameKind.TENSOR_EXTENT)
_TENSOR_STRIDE: Final = compile_names(NameKind.TENSOR_STRIDE)
_STRIDES_BY_AXIS: Final = {"0": 2048, "1": 256, "2": 32, "-1": 1}
_OTHER_STRIDE: Final = 8
_EXTENTS_BY_AXIS: Final = {"0": 3, "1": 8, "2": 9, "3": 10, "4": 5, "-1": 8, "-2": 9}
_OTHER_SIZE: Final = 6
_ELEMENT_COUNT: Final = 300
_OTHER_REAL: Final = 0.75


def typical_size(names: tuple[str, ...]) -> int:
    """Return an ordinary value of a whole number that goes by `names`, the best known first."""
    for name in names:
        value = _size_by_convention(split_name_words(name))
        if value is not None:
            return value

    for name in names:
        value = _size_by_expression(name)
        if value is not None:
            return value

    return _OTHER_SIZE


def _size_by_convention(words: str) -> int | None:
    for pattern, value in _WHOLE_NAMES:
        if pattern.fullmatch(words):
            return value

    for pattern, value in _WORDS:
        if pattern.search(words):
            return value

    return None


def _size_by_expression(expression: str) -> int | None:
    """Return an ordinary value of what a tensor is asked for, e.g. `x.size(0)`."""
    stride = _TENSOR_STRIDE.search(expression)
    if stride:
        return _STRIDES_BY_AXIS.get(stride[1], _OTHER_STRIDE)

    extent = _TENSOR_EXTENT.search(expression)
    if extent:
        return _EXTENTS_BY_AXIS.get(extent[1], _OTHER_SIZE)
    if expression.endswith(("numel()", "size()")):
        return _ELEMENT_COUNT

    return None


def is_block_size(names: tuple[str, ...]) -> bool:
    """Tell whether what goes by `names` is how many threads a block has."""
    return any(_BLOCK_SIZE.fullmatch(split_name_words(name)) for name in names)


def typical_real(name: str) -> float:
    """Return an ordinary value of a real number that goes by `name`."""
    words = split_name_words(name)

    for pattern, value in _REALS:
        if pattern.search(words):
            return value

    return _OTHER_REAL


def normalise_name(name: str) -> str:
    """Return a name as it is called in any style: `kHeadDim`, `HEAD_DIM` and `head_dim_` are
    one.
    """
    return re.sub(r"^k(?=[A-Z])", "", name).replace("_", "").lower()


def split_name_words(name: str) -> str:
    """Return a name in small letters, its words apart: `inputHeight` is `input_height`."""
    member = re.split(r"[.>:]", name.rstrip("()_"))[-1]
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", member).lower().strip("_")
    if _BLOCK_SIZE.fullmatch(words):
        return words

    # elements of a group are no groups: `elements_per_group` counts elements
    return words.partition("_per_")[0] or words
