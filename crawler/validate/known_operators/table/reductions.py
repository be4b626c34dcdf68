"""What becomes one number: of all, of each row, of each column, of each block's share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from crawler.validate.known_operators.definitions import (
    GRADIENT_WORDS,
    cite_blas,
    cite_numpy,
    cite_torch,
)
from crawler.validate.known_operators.known_operator import (
    Array,
    KnownOperator,
    NotDefined,
    Operands,
)

_ROWS: Final = ("row", "rows", "rowwise")
_COLUMNS: Final = ("col", "cols", "column", "columns", "colwise", "columnwise")
_SCANS: Final = ("prefix", "scan", "cumulative", "cumsum", "exclusive", "inclusive")
_OTHER: Final = (*GRADIENT_WORDS, *_SCANS)
_ROW_NAMES: Final = {
    "r": (
        "rows",
        "row",
        "m",
        "batch",
        "batchsize",
        "n",
        "numrows",
        "nrows",
        "height",
        "h",
    ),
    "c": ("cols", "col", "n", "width", "w", "dim", "hidden", "features", "ncols", "k"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reduction:
    name: str
    words: tuple[str, ...]
    source: str
    reduce: Callable[[Array, int | None], Array]
    accumulates: bool = False
    neutral: float | None = None
    """What a share is filled up with; `None` where blocks have no shares of their own."""


def _norm(x: Array, axis: int | None) -> Array:
    return np.asarray(np.sqrt(np.sum(x * x, axis)))


def _log_sum_exp(x: Array, axis: int | None) -> Array:
    return np.asarray(np.logaddexp.reduce(x, axis))


_REDUCTIONS: Final = (
    _Reduction(
        name="sum",
        words=("sum", "reduce", "reduction", "add", "total", "accumulate"),
        source=cite_numpy("sum"),
        reduce=lambda x, axis: np.asarray(np.sum(x, axis)),
        accumulates=True,
        neutral=0,
    ),
    _Reduction(
        name="mean",
        words=("mean", "average", "avg"),
        source=cite_numpy("mean"),
        reduce=lambda x, axis: np.asarray(np.mean(x, axis)),
    ),
    _Reduction(
        name="maximum",
        words=("max", "maximum", "amax"),
        source=cite_numpy("amax"),
        reduce=lambda x, axis: np.asarray(np.max(x, axis)),
        neutral=-np.inf,
    ),
    _Reduction(
        name="minimum",
        words=("min", "minimum", "amin"),
        source=cite_numpy("amin"),
        reduce=lambda x, axis: np.asarray(np.min(x, axis)),
        neutral=np.inf,
    ),
    _Reduction(
        name="product",
        words=("prod", "product"),
        source=cite_numpy("prod"),
        reduce=lambda x, axis: np.asarray(np.prod(x, axis)),
    ),
    _Reduction(
        name="place of the maximum",
        words=("argmax", "arg max", "amax index", "max index", "max idx"),
        source=cite_numpy("argmax"),
        reduce=lambda x, axis: np.asarray(np.argmax(x, axis)),
    ),
    _Reduction(
        name="place of the minimum",
        words=("argmin", "arg min", "min index", "min idx"),
        source=cite_numpy("argmin"),
        reduce=lambda x, axis: np.asarray(np.argmin(x, axis)),
    ),
    _Reduction(
        name="Euclidean norm",
        words=("norm", "nrm2", "l2norm", "l2 norm", "norms"),
        source=cite_blas("nrm2"),
        reduce=_norm,
    ),
    _Reduction(
        name="sum of squares",
        words=(
            "sum squares",
            "sum of squares",
            "sumsq",
            "sum sq",
            "squared norm",
            "norm",
            "squares",
            "square",
        ),
        source=cite_numpy("square"),
        reduce=lambda x, axis: np.asarray(np.sum(x * x, axis)),
        accumulates=True,
    ),
    _Reduction(
        name="sum of magnitudes",
        words=("asum", "l1 norm", "l1norm", "abs sum", "sum abs"),
        source=cite_blas("asum"),
        reduce=lambda x, axis: np.asarray(np.sum(np.abs(x), axis)),
        accumulates=True,
    ),
    _Reduction(
        name="variance",
        words=("var", "variance"),
        source=cite_numpy("var"),
        reduce=lambda x, axis: np.asarray(np.var(x, axis)),
    ),
    _Reduction(
        name="log of the sum of exponentials",
        words=("logsumexp", "log sum exp", "lse"),
        source=cite_torch("logsumexp"),
        reduce=_log_sum_exp,
    ),
)


def _reduce_all(reduction: _Reduction) -> KnownOperator:
    return KnownOperator(
        name=f"{reduction.name} of all",
        words=reduction.words,
        other_words=(*_OTHER, *_ROWS, *_COLUMNS),
        source=reduction.source,
        inputs=("n",),
        output="",
        compute=lambda operands: reduction.reduce(_require(operands[0]), None),
        family="reduction",
        accumulates=reduction.accumulates,
    )


def _reduce_rows(reduction: _Reduction) -> KnownOperator:
    return KnownOperator(
        name=f"{reduction.name} of each row",
        words=reduction.words + tuple(f"row {word}" for word in reduction.words),
        other_words=(*_OTHER, *_COLUMNS),
        source=reduction.source,
        inputs=("r c",),
        output="r",
        compute=lambda operands: reduction.reduce(_require(operands[0]), 1),
        size_names=_ROW_NAMES,
        family="axis reduction",
        accumulates=reduction.accumulates,
    )


def _reduce_columns(reduction: _Reduction) -> KnownOperator:
    """Return the operator for names that tell of columns: else nobody means these."""
    return KnownOperator(
        name=f"{reduction.name} of each column",
        words=tuple(
            phrase
            for word in reduction.words
            for column in _COLUMNS
            for phrase in (f"{word} {column}", f"{column} {word}")
        ),
        other_words=(*_OTHER, *_ROWS),
        source=reduction.source,
        inputs=("r c",),
        output="c",
        compute=lambda operands: reduction.reduce(_require(operands[0]), 0),
        size_names=_ROW_NAMES,
        family="axis reduction",
        accumulates=reduction.accumulates,
    )


def _reduce_shares(reduction: _Reduction) -> Iterator[KnownOperator]:
    """Yield the first of two steps: one number for each block, of its share of all."""
    shares: tuple[tuple[str, int | None], ...] = (
        ("every 1 times the block", 1),
        ("every 2 times the block", 2),
        ("what each block strides over", None),
    )
    for share, turns in shares:
        yield KnownOperator(
            name=f"{reduction.name} of {share}",
            words=reduction.words,
            other_words=(*_OTHER, *_ROWS, *_COLUMNS),
            source=reduction.source,
            inputs=("n",),
            output="",
            compute=_reduce_by_share(reduction, turns),
            family="shares",
            alias=f"{reduction.name} of shares",
        )


def _reduce_by_share(
    reduction: _Reduction, turns: int | None
) -> Callable[[Operands], Array]:
    def compute(operands: Operands) -> Array:
        x = operands[0]
        blocks, width = operands.block_count, operands.block_size * (turns or 1)
        neutral = reduction.neutral
        assert neutral is not None
        if x.dtype.kind != "f" and not np.isfinite(neutral):
            limits = np.iinfo(x.dtype)
            neutral = limits.min if neutral < 0 else limits.max
        step = blocks * width
        missing = -x.size % step if turns is None else step - x.size
        # more than all blocks together take
        if missing < 0 or missing > 1 << 22:
            raise NotDefined
        filled = np.concatenate([x, np.full(missing, neutral, x.dtype)])
        shares = filled.reshape(-1, blocks, width)

        return reduction.reduce(shares.swapaxes(0, 1).reshape(blocks, -1), 1)

    return compute


def _require(x: Array) -> Array:
    if not x.size:
        raise NotDefined
    return x


OPERATORS: Final[tuple[KnownOperator, ...]] = (
    *(_reduce_all(reduction) for reduction in _REDUCTIONS),
    *(_reduce_rows(reduction) for reduction in _REDUCTIONS),
    *(_reduce_columns(reduction) for reduction in _REDUCTIONS),
    *(
        operator
        for reduction in _REDUCTIONS
        if reduction.neutral is not None
        for operator in _reduce_shares(reduction)
    ),
    KnownOperator(
        name="dot product",
        words=("dot", "dot product", "inner product", "sdot", "ddot"),
        other_words=_OTHER,
        source=cite_blas("dot"),
        inputs=("n", "n"),
        output="",
        compute=lambda operands: np.asarray(np.dot(operands[0], operands[1])),
        family="reduction of pairs",
        accumulates=True,
    ),
    KnownOperator(
        name="dot product of each row",
        words=("dot", "dot product", "inner product"),
        other_words=_OTHER,
        source=cite_numpy("vecdot"),
        inputs=("r c", "r c"),
        output="r",
        compute=lambda operands: np.sum(operands[0] * operands[1], 1),
        size_names=_ROW_NAMES,
        family="reduction of pairs",
        accumulates=True,
    ),
)
