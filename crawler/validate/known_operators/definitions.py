"""Where operators are defined, and short forms for the rows of the table."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from crawler.validate.known_operators.known_operator import (
    Array,
    KnownOperator,
    Operands,
)

GRADIENT_WORDS: Final = ("backward", "bwd", "grad", "gradient", "derivative", "prime")
"""With one of these a name means another operator than without."""
_erf: Final = np.vectorize(math.erf, otypes=[np.float64])


def cite_numpy(name: str) -> str:
    """Return the page of a function of NumPy."""
    return f"https://numpy.org/doc/stable/reference/generated/numpy.{name}.html"


def cite_torch(name: str) -> str:
    """Return the page of a function or module of PyTorch."""
    return f"https://docs.pytorch.org/docs/stable/generated/torch.{name}.html"


def cite_blas(name: str) -> str:
    """Return the page of a routine of the reference BLAS."""
    return (
        f"https://www.netlib.org/lapack/explore-html/ (reference BLAS, {name.upper()})"
    )


def map_numbers(
    name: str,
    words: tuple[str, ...],
    source: str,
    function: Callable[[Array], Array],
    *,
    other_words: tuple[str, ...] = GRADIENT_WORDS,
    alias: str = "",
    extends: str = "",
) -> KnownOperator:
    """Return an operator that makes each number of its only input into one."""
    return KnownOperator(
        name=name,
        words=words,
        other_words=other_words,
        source=source,
        inputs=("n",),
        output="n",
        compute=lambda operands: function(operands[0]),
        family="numbers",
        alias=alias,
        extends=extends,
    )


def map_pairs(
    name: str,
    words: tuple[str, ...],
    source: str,
    function: Callable[[Array, Array], Array],
    *,
    other_words: tuple[str, ...] = GRADIENT_WORDS,
    alias: str = "",
) -> KnownOperator:
    """Return an operator that makes one number of each pair of its two inputs."""
    return KnownOperator(
        name=name,
        words=words,
        other_words=other_words,
        source=source,
        inputs=("n", "n"),
        output="n",
        compute=lambda operands: function(operands[0], operands[1]),
        family="pairs",
        alias=alias,
    )


def map_with_reals(
    name: str,
    words: tuple[str, ...],
    source: str,
    reals: tuple[tuple[float, ...], ...],
    compute: Callable[[Operands], Array],
    *,
    input_count: int = 1,
    other_words: tuple[str, ...] = GRADIENT_WORDS,
) -> KnownOperator:
    """Return an operator on each number of its inputs that takes real parameters too."""
    return KnownOperator(
        name=name,
        words=words,
        other_words=other_words,
        source=source,
        inputs=("n",) * input_count,
        output="n",
        compute=compute,
        reals=reals,
        family="numbers" if input_count == 1 else "pairs",
    )


def sigmoid(x: Array) -> Array:
    """Return 1 / (1 + e^-x)."""
    return 1.0 / (1.0 + np.exp(-x))


def softplus(x: Array) -> Array:
    """Return log(1 + e^x) without overflow."""
    return np.logaddexp(0.0, x)


def gelu(x: Array) -> Array:
    """Return x Φ(x), with the error function."""
    return 0.5 * x * (1.0 + error_function(x / math.sqrt(2.0)))


def gelu_by_tanh(x: Array) -> Array:
    """Return the usual approximation of `gelu`."""
    inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1.0 + np.tanh(inner))


def error_function(x: Array) -> Array:
    """Return erf(x)."""
    return np.asarray(_erf(x))
