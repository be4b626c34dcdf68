"""Running sums."""

from __future__ import annotations

from typing import Final

import numpy as np

from crawler.validate.known_operators.definitions import (
    GRADIENT_WORDS,
    cite_numpy,
    cite_torch,
)
from crawler.validate.known_operators.known_operator import (
    Array,
    KnownOperator,
    NotDefined,
    Operands,
)

_WORDS: Final = ("scan", "prefix", "prefix sum", "cumsum", "cumulative sum", "presum")
_INCLUSIVE: Final = ("inclusive", "incl", "inc", "kogge", "hillis")
_EXCLUSIVE: Final = ("exclusive", "excl", "exc", "blelloch", "prescan", "pre scan")
_OTHER: Final = (*GRADIENT_WORDS, "max", "min", "prod")
_THRUST: Final = "https://nvidia.github.io/cccl/thrust/api/group__prefixsums.html"


def _shift(sums: Array) -> Array:
    """Return running sums without the last of each."""
    shifted = np.zeros_like(sums)
    shifted[..., 1:] = sums[..., :-1]
    return shifted


def _scan_shares(operands: Operands, is_exclusive: bool) -> tuple[Array, Array]:
    """Return the running sums of each block's share, and its sum."""
    x, width = operands[0], operands.block_size
    shares = -(-x.size // width)
    if not x.size or shares > operands.block_count:
        raise NotDefined
    padding = np.zeros(shares * width - x.size, x.dtype)
    filled = np.concatenate([x, padding])
    sums = np.cumsum(filled.reshape(shares, width), 1)
    running = _shift(sums) if is_exclusive else sums

    return running.reshape(-1)[: x.size], sums[:, -1]


def _make_scan(name: str, is_exclusive: bool, shape: str, axis: int) -> KnownOperator:
    def compute(operands: Operands) -> Array:
        sums = np.cumsum(operands[0], axis)
        return _shift(sums) if is_exclusive else np.asarray(sums)

    is_row = shape == "r c"
    return KnownOperator(
        name=name,
        words=_EXCLUSIVE + _WORDS if is_exclusive else _WORDS,
        other_words=(*_OTHER, *(_INCLUSIVE if is_exclusive else _EXCLUSIVE)),
        source=_THRUST if is_exclusive else cite_numpy("cumsum"),
        inputs=(shape,),
        output=shape,
        compute=compute,
        family="axis reduction" if is_row else "numbers",
        alias="",
    )


def _make_share_scan(name: str, is_exclusive: bool) -> KnownOperator:
    return KnownOperator(
        name=name,
        words=_EXCLUSIVE + _WORDS if is_exclusive else _WORDS,
        other_words=(*_OTHER, *(_INCLUSIVE if is_exclusive else _EXCLUSIVE)),
        source=_THRUST,
        inputs=("n",),
        output="n",
        compute=lambda operands: _scan_shares(operands, is_exclusive),
        family="share scan",
    )


OPERATORS: Final[tuple[KnownOperator, ...]] = (
    _make_scan("running sum", False, "n", 0),
    _make_scan("running sum of each row", False, "r c", 1),
    _make_share_scan("running sum of each block's share", False),
    _make_scan("running sum before each", True, "n", 0),
    _make_scan("running sum before each of a row", True, "r c", 1),
    _make_share_scan("running sum before each of a block's share", True),
    KnownOperator(
        name="running product",
        words=("cumprod", "cumulative product", "scan prod"),
        other_words=GRADIENT_WORDS,
        source=cite_numpy("cumprod"),
        inputs=("n",),
        output="n",
        compute=lambda operands: np.cumprod(operands[0]),
        family="numbers",
    ),
    KnownOperator(
        name="running maximum",
        words=("cummax", "scan max", "max scan"),
        other_words=GRADIENT_WORDS,
        source=cite_torch("cummax"),
        inputs=("n",),
        output="n",
        compute=lambda operands: np.maximum.accumulate(operands[0]),
        family="numbers",
    ),
)
