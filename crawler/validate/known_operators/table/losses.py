"""Losses, by the pages of PyTorch."""

from __future__ import annotations

from typing import Final

import numpy as np

from crawler.validate.known_operators.definitions import (
    GRADIENT_WORDS,
    cite_torch,
    map_pairs,
)
from crawler.validate.known_operators.known_operator import (
    Array,
    KnownOperator,
    NotDefined,
    Operands,
    check_places,
)

_SIZE_NAMES: Final = {
    "r": ("rows", "batch", "batchsize", "n", "b"),
    "c": ("classes", "numclasses", "cols", "v", "vocab", "vocabsize", "outputsize"),
}


def _square_error(operands: Operands) -> Array:
    return np.asarray((operands[0] - operands[1]) ** 2)


def _pick(operands: Operands, rows: Array) -> Array:
    """Return the number of each row at its label, negative."""
    if not rows.size:
        raise NotDefined
    labels = check_places(operands[1], rows.shape[1])
    return np.asarray(-rows[np.arange(labels.size), labels])


def _log_softmax(x: Array) -> Array:
    return np.asarray(x - np.logaddexp.reduce(x, 1, keepdims=True))


OPERATORS: Final[tuple[KnownOperator, ...]] = (
    KnownOperator(
        name="mean squared error",
        words=("mse", "mse loss", "mean squared error"),
        other_words=GRADIENT_WORDS,
        source=cite_torch("nn.MSELoss"),
        inputs=("n", "n"),
        output="",
        compute=lambda operands: np.asarray(np.mean(_square_error(operands))),
        family="reduction of pairs",
        accumulates=True,
    ),
    KnownOperator(
        name="sum of squared errors",
        words=("mse", "mse loss", "sse", "squared error", "squared distance"),
        other_words=GRADIENT_WORDS,
        source=cite_torch("nn.MSELoss"),
        inputs=("n", "n"),
        output="",
        compute=lambda operands: np.asarray(np.sum(_square_error(operands))),
        family="reduction of pairs",
        accumulates=True,
    ),
    KnownOperator(
        name="mean of absolute errors",
        words=("l1 loss", "mae", "mean absolute error"),
        other_words=GRADIENT_WORDS,
        source=cite_torch("nn.L1Loss"),
        inputs=("n", "n"),
        output="",
        compute=lambda operands: np.asarray(np.mean(np.abs(operands[0] - operands[1]))),
        family="reduction of pairs",
        accumulates=True,
    ),
    map_pairs(
        "squared error of each",
        ("mse", "mse loss", "squared error"),
        cite_torch("nn.MSELoss"),
        lambda x, y: (x - y) ** 2,
    ),
    map_pairs(
        "binary cross entropy of each",
        ("bce", "binary cross entropy"),
        cite_torch("nn.BCELoss"),
        lambda x, y: -(y * np.log(x) + (1.0 - y) * np.log(1.0 - x)),
        other_words=(*GRADIENT_WORDS, "logits"),
    ),
    KnownOperator(
        name="cross entropy of probabilities",
        words=("cross entropy", "crossentropy", "nll"),
        other_words=GRADIENT_WORDS,
        source=cite_torch("nn.functional.nll_loss"),
        inputs=("r c", "index r"),
        output="r",
        compute=lambda operands: _pick(operands, np.log(operands[0])),
        size_names=_SIZE_NAMES,
        family="label loss",
    ),
    KnownOperator(
        name="cross entropy of logits",
        words=("cross entropy", "crossentropy"),
        other_words=GRADIENT_WORDS,
        source=cite_torch("nn.CrossEntropyLoss"),
        inputs=("r c", "index r"),
        output="r",
        compute=lambda operands: _pick(operands, _log_softmax(operands[0])),
        size_names=_SIZE_NAMES,
        family="label loss",
    ),
    KnownOperator(
        name="negative log likelihood",
        words=("nll", "nll loss", "neg log likelihood"),
        other_words=GRADIENT_WORDS,
        source=cite_torch("nn.NLLLoss"),
        inputs=("r c", "index r"),
        output="r",
        compute=lambda operands: _pick(operands, operands[0]),
        size_names=_SIZE_NAMES,
        family="label loss",
    ),
)
