"""Products of matrices and vectors, by the reference BLAS; and what turns a matrix round.

Rows follow each other in memory. A library whose columns do is served as well: the same memory is
the product of the other two, transposed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from crawler.validate.known_operators.definitions import (
    cite_blas,
    cite_numpy,
    cite_torch,
)
from crawler.validate.known_operators.known_operator import (
    Array,
    KnownOperator,
    NotDefined,
    Operands,
    check_places,
)

_PRODUCT_WORDS: Final = (
    "matmul",
    "mat mul",
    "matrix mul",
    "matrix mult",
    "matrix multiply",
    "matrix multiplication",
    "matrix product",
    "mul matrix",
    "multiply matrices",
    "gemm",
    "sgemm",
    "dgemm",
    "hgemm",
    "mm",
    "gpu mm",
    "mat mult",
)
_TRANSPOSED: Final = (
    "nt",
    "tn",
    "transposed",
    "trans",
    "transpose",
    "transa",
    "transb",
)
_TRANSPOSED_WORDS: Final = {
    "mk,kn": (),
    "mk,nk": ("nt", "transb", "trans b", "transposed b", "bt", "linear", "abt"),
    "km,kn": ("tn", "transa", "trans a", "transposed a", "at", "atb"),
}
_PRODUCT_NAMES: Final = {
    "m": ("rows", "arows", "numarows", "ha", "heighta", "rowsa"),
    "n": ("cols", "bcols", "numbcolumns", "wb", "widthb", "colsb"),
    "k": ("inner", "acols", "numacolumns", "wa", "widtha", "colsa"),
}
_SQUARE_SHAPE: Final = ("n n", "n n")
_SHAPES: Final = {
    "mk,kn": ("m k", "k n"),
    "mk,nk": ("m k", "n k"),
    "km,kn": ("k m", "k n"),
}


def _multiply(form: str, a: Array, b: Array) -> Array:
    return np.asarray(np.einsum(f"{form}->mn", a, b, optimize=True))


def _list_products() -> Iterator[KnownOperator]:
    for form, (left, right) in _SHAPES.items():
        words = _TRANSPOSED_WORDS[form] or _PRODUCT_WORDS
        other_words = () if _TRANSPOSED_WORDS[form] else _TRANSPOSED
        yield _make_product(form, (left, right), words, other_words, reals=0)
        yield _make_product(form, (left, right), words, other_words, reals=1)
        yield _make_product(form, (left, right, "m n"), words, other_words, reals=2)
        yield _make_product(form, _SQUARE_SHAPE, words, other_words, reals=0)


def _make_product(
    form: str,
    shapes: tuple[str, ...],
    words: tuple[str, ...],
    other_words: tuple[str, ...],
    reals: int,
) -> KnownOperator:
    def compute(operands: Operands) -> Array:
        product = _multiply(form, operands[0], operands[1])
        if reals:
            product = operands.reals[0] * product
        if reals == 2:
            product = product + operands.reals[1] * operands[2]
        return product

    square = "square " if shapes == _SQUARE_SHAPE else ""
    scaled = ("", "multiple of ", "multiple of C and ")[reals]
    return KnownOperator(
        name=f"{scaled}product of {square}matrices {form.replace(',', ' and ')}",
        words=words,
        other_words=(*other_words, "batch", "batched"),
        source=cite_blas("gemm"),
        inputs=shapes,
        output="n n" if square else "m n",
        compute=compute,
        size_names={} if square else _PRODUCT_NAMES,
        reals=((),) * reals,
        family=f"{square}product",
        accumulates=reals < 2,
    )


def _multiply_sparse(operands: Operands) -> Array:
    """Return the product of a matrix by compressed rows: begins, columns, values, vector."""
    begins, columns, values, x = operands.inputs
    if begins.size < 2 or operands.sizes["rows"] not in (0, begins.size - 1):
        raise NotDefined
    check_places(begins, columns.size + 1)
    products = values * x[check_places(columns, x.size)]
    sums = np.concatenate([np.zeros(1, products.dtype), np.cumsum(products)])
    # a row that ends before it begins has nothing
    ends = np.maximum(begins[1:], begins[:-1])

    return np.asarray(sums[ends] - sums[begins[:-1]])


OPERATORS: Final[tuple[KnownOperator, ...]] = (
    *_list_products(),
    KnownOperator(
        name="product of each two matrices of a batch",
        words=(
            "bmm",
            "batched matmul",
            "batch matmul",
            "batched gemm",
            "batch gemm",
            "gemm batched",
            "matmul batched",
        ),
        source=cite_torch("bmm"),
        inputs=("b m k", "b k n"),
        output="b m n",
        compute=lambda operands: np.matmul(operands[0], operands[1]),
        size_names={**_PRODUCT_NAMES, "b": ("batch", "batchsize", "batchcount")},
        family="batched product",
    ),
    KnownOperator(
        name="linear layer",
        words=("linear", "fully connected", "fc", "dense"),
        other_words=("backward", "grad", "bwd"),
        source=cite_torch("nn.Linear"),
        inputs=("m k", "n k", "n"),
        output="m n",
        compute=lambda operands: operands[0] @ operands[1].T + operands[2],
        size_names=_PRODUCT_NAMES,
        family="layer",
    ),
    KnownOperator(
        name="linear layer with its weights by input",
        words=("linear", "fully connected", "fc", "dense", "matmul bias", "gemm bias"),
        other_words=("backward", "grad", "bwd"),
        source=cite_torch("addmm"),
        inputs=("m k", "k n", "n"),
        output="m n",
        compute=lambda operands: operands[0] @ operands[1] + operands[2],
        size_names=_PRODUCT_NAMES,
        family="layer",
    ),
    KnownOperator(
        name="product of matrix and vector",
        words=(
            "gemv",
            "sgemv",
            "dgemv",
            "matvec",
            "mat vec",
            "matrix vector",
            "mv",
            "mvm",
        ),
        other_words=("trans", "transposed", "transpose", "t"),
        source=cite_blas("gemv"),
        inputs=("m n", "n"),
        output="m",
        compute=lambda operands: operands[0] @ operands[1],
        family="product with a vector",
        accumulates=True,
    ),
    KnownOperator(
        name="product of transposed matrix and vector",
        words=(
            "gemv t",
            "gemvt",
            "gemv trans",
            "gemv transposed",
            "matvec transposed",
            "vec mat",
            "vecmat",
            "vector matrix",
        ),
        source=cite_blas("gemv"),
        inputs=("m n", "m"),
        output="n",
        compute=lambda operands: operands[0].T @ operands[1],
        family="product with a vector",
        accumulates=True,
    ),
    KnownOperator(
        name="multiple of the product of matrix and vector plus another",
        words=("gemv", "sgemv", "dgemv", "matvec", "mat vec"),
        other_words=("trans", "transposed", "transpose", "t"),
        source=cite_blas("gemv"),
        inputs=("m n", "n", "m"),
        output="m",
        compute=lambda operands: (
            operands.reals[0] * (operands[0] @ operands[1])
            + operands.reals[1] * operands[2]
        ),
        reals=((), ()),
        family="product with a vector",
    ),
    KnownOperator(
        name="outer product",
        words=("outer", "outer product", "ger", "sger"),
        source=cite_numpy("outer"),
        inputs=("m", "n"),
        output="m n",
        compute=lambda operands: np.outer(operands[0], operands[1]),
        family="outer",
        accumulates=True,
    ),
    KnownOperator(
        name="transposed matrix",
        words=("transpose", "transposed", "trans"),
        source=cite_numpy("transpose"),
        inputs=("r c",),
        output="c r",
        compute=lambda operands: operands[0].T,
        size_names={
            "r": ("rows", "height", "h", "m"),
            "c": ("cols", "width", "w", "n"),
        },
        family="layout",
    ),
    KnownOperator(
        name="matrix as it is",
        words=("copy", "copy matrix", "matrix copy"),
        source=cite_numpy("copy"),
        inputs=("r c",),
        output="r c",
        compute=lambda operands: operands[0],
        family="layout",
    ),
    KnownOperator(
        name="reversed row of numbers",
        words=("reverse", "flip"),
        source=cite_numpy("flip"),
        inputs=("n",),
        output="n",
        compute=lambda operands: operands[0][::-1],
        family="numbers",
    ),
    KnownOperator(
        name="product of a matrix by compressed rows and a vector",
        words=("spmv", "csr", "spmv csr", "csr spmv", "csrmv", "sparse matvec"),
        source="https://docs.scipy.org/doc/scipy/reference/generated/scipy.sparse.csr_matrix.html",
        inputs=("index P", "index Z", "Z", "X"),
        output="",
        compute=_multiply_sparse,
        settings={"rows": 0},
        size_names={"rows": ("n", "m", "nrows", "numrows", "nrow", "numnodes")},
        family="sparse",
    ),
)
