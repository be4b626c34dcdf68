"""What one number for each row, column or channel does to all of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from crawler.validate.known_operators.definitions import (
    GRADIENT_WORDS,
    cite_numpy,
    cite_torch,
    gelu,
    gelu_by_tanh,
)
from crawler.validate.known_operators.known_operator import Array, KnownOperator

_SIZE_NAMES: Final = {
    "r": ("rows", "row", "m", "batch", "batchsize", "numrows"),
    "c": ("cols", "col", "n", "width", "dim", "channels", "channel"),
    "b": ("batch", "batchsize", "n"),
    "s": ("spatial", "hw", "h", "w", "height", "width"),
}


def _combine(
    name: str,
    words: tuple[str, ...],
    source: str,
    function: Callable[[Array, Array], Array],
    shapes: tuple[str, str] = ("r c", "c"),
    alias: str = "",
) -> KnownOperator:
    def compute(x: Array, y: Array) -> Array:
        is_by_column = shapes[1] == shapes[0].split()[-1]
        return function(x, y if is_by_column else y[:, None])

    return KnownOperator(
        name=name,
        words=words,
        other_words=GRADIENT_WORDS,
        source=source,
        inputs=shapes,
        output=shapes[0],
        compute=lambda operands: compute(operands[0], operands[1]),
        size_names=_SIZE_NAMES,
        family=" ".join(shapes),
        alias=alias,
    )


_BIAS: Final = ("bias", "add bias", "bias add", "add row", "add vector", "add")
_SCALE: Final = ("scale", "mul", "multiply", "scale cols", "scale columns")

OPERATORS: Final[tuple[KnownOperator, ...]] = (
    _combine("matrix plus a row", _BIAS, cite_numpy("add"), np.add),
    _combine(
        "matrix less a row", ("sub", "subtract"), cite_numpy("subtract"), np.subtract
    ),
    _combine("columns times a row", _SCALE, cite_numpy("multiply"), np.multiply),
    _combine("columns by a row", ("div", "divide"), cite_numpy("divide"), np.divide),
    _combine(
        "relu of a matrix plus a row",
        ("bias relu", "add bias relu", "relu bias", "bias add relu", "relu"),
        cite_torch("nn.ReLU"),
        lambda x, bias: np.maximum(x + bias, 0),
    ),
    _combine(
        "gelu of a matrix plus a row",
        ("bias gelu", "add bias gelu", "gelu bias", "gelu"),
        cite_torch("nn.GELU"),
        lambda x, bias: gelu(x + bias),
        alias="bias gelu",
    ),
    _combine(
        "gelu by tanh of a matrix plus a row",
        ("bias gelu", "add bias gelu", "gelu bias", "gelu"),
        cite_torch("nn.GELU"),
        lambda x, bias: gelu_by_tanh(x + bias),
        alias="bias gelu",
    ),
    _combine(
        "rows plus a column",
        ("add column", "add col", "add cols", "add"),
        cite_numpy("add"),
        np.add,
        ("r c", "r"),
    ),
    _combine(
        "rows times a column",
        ("scale rows", "scale row", "row scale", "diag mul", "dgmm", "mul"),
        cite_numpy("multiply"),
        np.multiply,
        ("r c", "r"),
    ),
    _combine(
        "rows by a column",
        ("div rows", "divide rows", "normalize rows", "div", "divide"),
        cite_numpy("divide"),
        np.divide,
        ("r c", "r"),
    ),
    _combine(
        "channels plus a number of each",
        ("bias", "add bias", "bias add", "channel add"),
        cite_numpy("add"),
        np.add,
        ("b c s", "c"),
    ),
    _combine(
        "channels times a number of each",
        ("scale", "scale bias", "channel mul", "channel scale", "prelu"),
        cite_numpy("multiply"),
        np.multiply,
        ("b c s", "c"),
    ),
    _combine(
        "prelu",
        ("prelu",),
        cite_torch("nn.PReLU"),
        lambda x, slope: np.where(x > 0, x, slope * x),
        ("b c s", "c"),
    ),
)
