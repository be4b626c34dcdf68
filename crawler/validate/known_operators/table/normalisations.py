"""Softmax and normalisations, by the pages of PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from crawler.validate.known_operators.definitions import GRADIENT_WORDS, cite_torch
from crawler.validate.known_operators.known_operator import (
    Array,
    KnownOperator,
    NotDefined,
    Operands,
)

_EPSILONS: Final = (1e-5, 1e-6, 1e-8, 1e-12)
_ROW_NAMES: Final = {
    "r": (
        "rows",
        "row",
        "m",
        "batch",
        "batchsize",
        "numrows",
        "nrows",
        "tokens",
        "numtokens",
    ),
    "c": (
        "cols",
        "col",
        "n",
        "width",
        "dim",
        "hidden",
        "hiddensize",
        "features",
        "ncols",
    ),
}
_CHANNEL_NAMES: Final = {
    "b": ("batch", "batchsize", "n", "num"),
    "c": ("channels", "channel"),
    "s": ("spatial", "hw", "spatialsize", "h", "w", "height", "width"),
}
_LAYER_WORDS: Final = ("layernorm", "layer norm", "layer normalization", "ln")
_RMS_WORDS: Final = ("rmsnorm", "rms norm", "rms")
_BATCH_WORDS: Final = (
    "batchnorm",
    "batch norm",
    "bn",
    "batch normalization",
    "normalize",
)


def _softmax(x: Array) -> Array:
    if not x.size:
        raise NotDefined
    powers = np.exp(x - np.max(x, -1, keepdims=True))
    return np.asarray(powers / np.sum(powers, -1, keepdims=True))


def _log_softmax(x: Array) -> Array:
    if not x.size:
        raise NotDefined
    shifted = x - np.max(x, -1, keepdims=True)
    total = np.sum(np.exp(shifted), -1, keepdims=True)
    return np.asarray(shifted - np.log(total))


def _norm_layers(operands: Operands) -> tuple[Array, ...]:
    """Return what layer norm gives, with the means and the inverse deviations."""
    x = operands[0]
    mean = np.mean(x, 1, keepdims=True)
    variance = np.var(x, 1, keepdims=True)
    inverse = 1.0 / np.sqrt(variance + operands.reals[0])
    result = (x - mean) * inverse
    if len(operands.inputs) > 1:
        result = result * operands[1]
    if len(operands.inputs) > 2:
        result = result + operands[2]

    return result, mean, inverse


def _norm_by_squares(operands: Operands) -> tuple[Array, ...]:
    """Return what RMS norm gives, with the inverse roots."""
    x = operands[0]
    mean_square = np.mean(x * x, 1, keepdims=True)
    inverse = 1.0 / np.sqrt(mean_square + operands.reals[0])
    result = x * inverse
    if len(operands.inputs) > 1:
        result = result * operands[1]

    return result, inverse


def _norm_channels(operands: Operands) -> Array:
    """Return what batch norm gives in inference: input, mean, variance, scale and shift."""
    x, *of_channels = operands.inputs
    mean, variance, *rest = (values[:, None] for values in of_channels)
    result = (x - mean) / np.sqrt(variance + operands.reals[0])
    if rest:
        result = result * rest[0] + rest[1]

    return np.asarray(result)


def _list_row_norms() -> Iterator[KnownOperator]:
    shapes = ("r c", "c", "c")
    for count in (1, 2, 3):
        yield KnownOperator(
            name=f"layer norm with {count - 1} of weight and bias",
            words=_LAYER_WORDS,
            other_words=(*GRADIENT_WORDS, "rms"),
            source=cite_torch("nn.LayerNorm"),
            inputs=shapes[:count],
            output="r c",
            compute=_norm_layers,
            size_names=_ROW_NAMES,
            reals=(_EPSILONS,),
            family="row norm",
        )
    for count in (1, 2):
        yield KnownOperator(
            name=f"RMS norm with {count - 1} weights",
            words=_RMS_WORDS,
            other_words=GRADIENT_WORDS,
            source=cite_torch("nn.RMSNorm"),
            inputs=shapes[:count],
            output="r c",
            compute=_norm_by_squares,
            size_names=_ROW_NAMES,
            reals=((*_EPSILONS, 0.0),),
            family="row norm",
        )


def _list_channel_norms() -> Iterator[KnownOperator]:
    for count in (3, 5):
        yield KnownOperator(
            name=f"batch norm in inference with {count - 1} numbers of a channel",
            words=_BATCH_WORDS,
            other_words=(*GRADIENT_WORDS, "train", "training"),
            source=cite_torch("nn.BatchNorm2d"),
            inputs=("b c s", *("c",) * (count - 1)),
            output="b c s",
            compute=_norm_channels,
            size_names=_CHANNEL_NAMES,
            reals=(_EPSILONS,),
            family="channel norm",
        )


OPERATORS: Final[tuple[KnownOperator, ...]] = (
    KnownOperator(
        name="softmax of each row",
        words=("softmax",),
        other_words=(*GRADIENT_WORDS, "log", "logsoftmax", "col", "column", "columns"),
        source=cite_torch("nn.Softmax"),
        inputs=("r c",),
        output="r c",
        compute=lambda operands: _softmax(operands[0]),
        size_names=_ROW_NAMES,
        family="row norm",
    ),
    KnownOperator(
        name="softmax of all",
        words=("softmax",),
        other_words=(*GRADIENT_WORDS, "log", "logsoftmax", "row", "rows"),
        source=cite_torch("nn.Softmax"),
        inputs=("n",),
        output="n",
        compute=lambda operands: _softmax(operands[0]),
        family="numbers",
    ),
    KnownOperator(
        name="softmax of each column",
        words=("softmax",),
        other_words=(*GRADIENT_WORDS, "log", "logsoftmax", "row", "rows"),
        source=cite_torch("nn.Softmax2d"),
        inputs=("b c s",),
        output="b c s",
        compute=lambda operands: _softmax(operands[0].swapaxes(1, 2)).swapaxes(1, 2),
        size_names=_CHANNEL_NAMES,
        family="channels",
    ),
    KnownOperator(
        name="log softmax of each row",
        words=("logsoftmax", "log softmax"),
        other_words=GRADIENT_WORDS,
        source=cite_torch("nn.LogSoftmax"),
        inputs=("r c",),
        output="r c",
        compute=lambda operands: _log_softmax(operands[0]),
        size_names=_ROW_NAMES,
        family="row norm",
    ),
    KnownOperator(
        name="each row by its norm",
        words=("normalize", "l2 normalize", "l2norm", "normalize rows", "normalise"),
        other_words=GRADIENT_WORDS,
        source=cite_torch("nn.functional.normalize"),
        inputs=("r c",),
        output="r c",
        compute=lambda operands: (
            operands[0]
            / np.maximum(
                np.sqrt(np.sum(operands[0] ** 2, 1, keepdims=True)), operands.reals[0]
            )
        ),
        size_names=_ROW_NAMES,
        reals=((1e-12,),),
        family="row norm",
    ),
    *_list_row_norms(),
    *_list_channel_norms(),
)
