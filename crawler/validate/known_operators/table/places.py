"""What is taken from places, put at places, or counted by them."""

from __future__ import annotations

from typing import Final

import numpy as np

from crawler.validate.known_operators.definitions import (
    GRADIENT_WORDS,
    cite_numpy,
    cite_torch,
)
from crawler.validate.known_operators.known_operator import (
    MAX_ELEMENTS,
    Array,
    KnownOperator,
    NotDefined,
    Operands,
    check_places,
)

_SIZE_NAMES: Final = {
    "r": ("rows", "vocab", "vocabsize", "numembeddings", "nrows"),
    "c": ("cols", "dim", "hidden", "embeddim", "embeddingdim", "width", "channels"),
    "n": ("num", "count", "numindices", "length", "size", "tokens", "numtokens"),
}


def _count(operands: Operands) -> Array:
    places = check_places(operands[0], operands.sizes["m"])
    return np.bincount(places, minlength=operands.sizes["m"])


def _add_rows(operands: Operands) -> Array:
    places, rows = operands.inputs
    result = np.zeros((operands.sizes["r"], operands.sizes["c"]), rows.dtype)
    np.add.at(result, check_places(places, operands.sizes["r"]), rows)
    return result


def _add_numbers(operands: Operands) -> Array:
    places, values = operands.inputs
    result = np.zeros(operands.sizes["m"], values.dtype)
    np.add.at(result, check_places(places, operands.sizes["m"]), values)
    return result


def _permute(operands: Operands) -> Array:
    """Return numbers put at places that are a permutation: others leave something open."""
    places, values = operands.inputs
    check_places(places, values.size)
    if np.unique(places).size != values.size:
        raise NotDefined
    result = np.empty_like(values)
    result[places] = values
    return result


def _mark(operands: Operands) -> Array:
    rows, columns = operands.sizes["n"], operands.sizes["c"]
    if rows * columns > MAX_ELEMENTS:
        raise NotDefined
    result = np.zeros((rows, columns))
    result[np.arange(rows), check_places(operands[0], columns)] = 1
    return result


OPERATORS: Final[tuple[KnownOperator, ...]] = (
    KnownOperator(
        name="histogram",
        words=("histogram", "hist", "bincount", "histo"),
        source=cite_numpy("bincount"),
        inputs=("index n",),
        output="m",
        compute=_count,
        size_names={"m": ("bins", "nbins", "numbins", "bincount")},
        family="counts",
        accumulates=True,
    ),
    KnownOperator(
        name="rows at places",
        words=(
            "gather",
            "embedding",
            "embedding lookup",
            "index select",
            "lookup",
            "gather rows",
            "take",
            "select",
        ),
        other_words=(*GRADIENT_WORDS, "scatter"),
        source=cite_torch("index_select"),
        inputs=("R c", "index n"),
        output="n c",
        compute=lambda operands: operands[0][
            check_places(operands[1], operands.sizes["R"])
        ],
        size_names=_SIZE_NAMES,
        family="taken",
    ),
    KnownOperator(
        name="numbers at places",
        words=("gather", "take", "index", "permute", "lookup"),
        other_words=(*GRADIENT_WORDS, "scatter"),
        source=cite_numpy("take"),
        inputs=("M", "index n"),
        output="n",
        compute=lambda operands: operands[0][
            check_places(operands[1], operands.sizes["M"])
        ],
        family="taken",
    ),
    KnownOperator(
        name="rows added at places",
        words=(
            "scatter add",
            "index add",
            "embedding backward",
            "embedding grad",
            "scatter",
            "segment sum",
            "unsorted segment sum",
        ),
        source=cite_torch("Tensor.index_add_"),
        inputs=("index n", "n c"),
        output="r c",
        compute=_add_rows,
        size_names=_SIZE_NAMES,
        family="put",
        accumulates=True,
    ),
    KnownOperator(
        name="numbers added at places",
        words=(
            "scatter add",
            "index add",
            "scatter",
            "segment sum",
            "histogram weighted",
            "bincount",
        ),
        source=cite_torch("Tensor.scatter_add_"),
        inputs=("index n", "n"),
        output="m",
        compute=_add_numbers,
        family="put",
        accumulates=True,
    ),
    KnownOperator(
        name="numbers put at places",
        words=("scatter", "permute", "inverse permute"),
        other_words=("add",),
        source=cite_torch("Tensor.scatter_"),
        inputs=("index n", "n"),
        output="n",
        compute=_permute,
        family="put",
    ),
    KnownOperator(
        name="one-hot rows",
        words=("one hot", "onehot"),
        source=cite_torch("nn.functional.one_hot"),
        inputs=("index n",),
        output="n c",
        compute=_mark,
        size_names={
            "c": ("classes", "numclasses", "nclasses", "depth"),
            "n": ("batch", "rows"),
        },
        family="counts",
    ),
)
