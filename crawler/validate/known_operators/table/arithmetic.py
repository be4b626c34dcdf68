"""Arithmetic on each number of one or several arrays, by the pages of NumPy and BLAS."""

from __future__ import annotations

from typing import Final

import numpy as np

from crawler.validate.known_operators.definitions import (
    GRADIENT_WORDS,
    cite_blas,
    cite_numpy,
    cite_torch,
    error_function,
    map_numbers,
    map_pairs,
    map_with_reals,
)
from crawler.validate.known_operators.known_operator import Array, KnownOperator

_PARTS: Final = (
    *GRADIENT_WORDS,
    "row",
    "rows",
    "col",
    "cols",
    "column",
    "bias",
    "reduce",
)
_VECTOR_WORDS: Final = (
    "vec",
    "vector",
    "array",
    "matrix",
    "mat",
    "elementwise",
    "arrays",
)


def _name_pairs(*verbs: str) -> tuple[str, ...]:
    """Return the words of an operator on pairs: `add`, `vec add`, `add arrays`."""
    before = tuple(f"{noun} {verb}" for verb in verbs for noun in _VECTOR_WORDS)
    behind = tuple(f"{verb} {noun}" for verb in verbs for noun in _VECTOR_WORDS)
    return (*verbs, *before, *behind)


def _divide(x: Array, y: Array) -> Array:
    if x.dtype.kind != "f" and y.dtype.kind != "f" and not np.all(y):
        raise ZeroDivisionError
    return x / y


OPERATORS: Final[tuple[KnownOperator, ...]] = (
    map_numbers(
        "copy", ("copy", "memcpy", "clone", "identity"), cite_numpy("copy"), lambda x: x
    ),
    map_numbers(
        "negative", ("neg", "negate", "negative"), cite_numpy("negative"), np.negative
    ),
    map_numbers(
        "absolute", ("abs", "fabs", "absolute"), cite_numpy("absolute"), np.abs
    ),
    map_numbers(
        "square", ("square", "sqr", "squared"), cite_numpy("square"), np.square
    ),
    map_numbers("cube", ("cube", "cubed"), cite_numpy("power"), lambda x: x * x * x),
    map_numbers("square root", ("sqrt",), cite_numpy("sqrt"), np.sqrt),
    map_numbers(
        "reciprocal square root",
        ("rsqrt", "inv sqrt"),
        cite_torch("rsqrt"),
        lambda x: 1.0 / np.sqrt(x),
    ),
    map_numbers(
        "reciprocal",
        ("reciprocal", "inverse", "recip"),
        cite_torch("reciprocal"),
        lambda x: 1.0 / x,
    ),
    map_numbers("exponential", ("exp",), cite_numpy("exp"), np.exp),
    map_numbers("exponential less one", ("expm1",), cite_numpy("expm1"), np.expm1),
    map_numbers("natural logarithm", ("log", "ln"), cite_numpy("log"), np.log),
    map_numbers("log of one more", ("log1p",), cite_numpy("log1p"), np.log1p),
    map_numbers("sine", ("sin", "sine"), cite_numpy("sin"), np.sin),
    map_numbers("cosine", ("cos", "cosine"), cite_numpy("cos"), np.cos),
    map_numbers("error function", ("erf",), cite_torch("special.erf"), error_function),
    map_numbers("floor", ("floor",), cite_numpy("floor"), np.floor),
    map_numbers("ceiling", ("ceil",), cite_numpy("ceil"), np.ceil),
    map_numbers("sign", ("sign",), cite_numpy("sign"), np.sign),
    map_numbers(
        "one more", ("increment", "incr", "add one"), cite_numpy("add"), lambda x: x + 1
    ),
    map_numbers("twice", ("double", "twice"), cite_numpy("multiply"), lambda x: x * 2),
    map_with_reals(
        "multiple",
        ("scale", "scal", "sscal", "dscal", "mul scalar", "multiply", "mul"),
        cite_blas("scal"),
        ((),),
        lambda operands: operands.reals[0] * operands[0],
    ),
    map_with_reals(
        "sum with a number",
        (
            "add scalar",
            "add const",
            "add constant",
            "add value",
            "offset",
            "shift",
            "add",
        ),
        cite_numpy("add"),
        ((),),
        lambda operands: operands.reals[0] + operands[0],
    ),
    map_with_reals(
        "power",
        ("pow", "power"),
        cite_numpy("power"),
        ((),),
        lambda operands: np.power(operands[0], operands.reals[0]),
    ),
    map_with_reals(
        "clip",
        ("clamp", "clip"),
        cite_numpy("clip"),
        ((), ()),
        lambda operands: np.clip(operands[0], operands.reals[0], operands.reals[1]),
    ),
    map_pairs(
        "sum of two",
        _name_pairs("add", "sum", "plus"),
        cite_numpy("add"),
        np.add,
        other_words=_PARTS,
    ),
    map_pairs(
        "difference",
        _name_pairs("sub", "subtract", "minus", "diff"),
        cite_numpy("subtract"),
        np.subtract,
        other_words=_PARTS,
    ),
    map_pairs(
        "product of two",
        (*_name_pairs("mul", "multiply", "mult", "times", "prod"), "hadamard"),
        cite_numpy("multiply"),
        np.multiply,
        other_words=_PARTS,
    ),
    map_pairs(
        "quotient",
        _name_pairs("div", "divide"),
        cite_numpy("divide"),
        _divide,
        other_words=_PARTS,
    ),
    map_pairs(
        "larger of two",
        (*_name_pairs("max", "maximum"), "fmax"),
        cite_numpy("maximum"),
        np.maximum,
        other_words=_PARTS,
    ),
    map_pairs(
        "smaller of two",
        (*_name_pairs("min", "minimum"), "fmin"),
        cite_numpy("minimum"),
        np.minimum,
        other_words=_PARTS,
    ),
    map_pairs("power of two", ("pow", "power"), cite_numpy("power"), np.power),
    map_pairs("hypotenuse", ("hypot",), cite_numpy("hypot"), np.hypot),
    map_pairs(
        "squared difference",
        ("squared difference", "square diff", "sq diff", "squared error"),
        cite_torch("nn.MSELoss"),
        lambda x, y: (x - y) ** 2,
    ),
    map_with_reals(
        "multiple plus another",
        ("axpy", "saxpy", "daxpy", "haxpy", "triad", "fma", "add scaled", "add"),
        cite_blas("axpy"),
        ((),),
        lambda operands: operands.reals[0] * operands[0] + operands[1],
        input_count=2,
    ),
    map_with_reals(
        "sum of multiples",
        ("axpby", "waxpby", "weighted sum", "add weighted", "blend", "geam"),
        cite_blas("axpby"),
        ((), ()),
        lambda operands: (
            operands.reals[0] * operands[0] + operands.reals[1] * operands[1]
        ),
        input_count=2,
    ),
    map_with_reals(
        "step of gradient descent",
        ("sgd", "gradient descent", "update weights", "sgd step", "sgd update"),
        cite_torch("optim.SGD"),
        ((),),
        lambda operands: operands[0] - operands.reals[0] * operands[1],
        input_count=2,
        other_words=("momentum", "adam"),
    ),
    map_with_reals(
        "linear interpolation",
        ("lerp", "mix", "interpolate"),
        cite_torch("lerp"),
        ((),),
        lambda operands: operands[0] + operands.reals[0] * (operands[1] - operands[0]),
        input_count=2,
    ),
    KnownOperator(
        name="product of two plus a third",
        words=("fma", "mad", "mul add", "multiply add", "muladd", "fused multiply add"),
        source="https://en.cppreference.com/w/cpp/numeric/math/fma",
        inputs=("n", "n", "n"),
        output="n",
        compute=lambda operands: operands[0] * operands[1] + operands[2],
        family="triples",
    ),
    KnownOperator(
        name="sum of three",
        words=("add", "sum", "add three", "add 3"),
        source=cite_numpy("add"),
        inputs=("n", "n", "n"),
        output="n",
        compute=lambda operands: operands[0] + operands[1] + operands[2],
        family="triples",
    ),
    KnownOperator(
        name="choice by a condition",
        words=("where", "select", "masked"),
        source=cite_numpy("where"),
        inputs=("index n", "n", "n"),
        output="n",
        compute=lambda operands: np.where(operands[0] != 0, operands[1], operands[2]),
        family="triples",
    ),
    KnownOperator(
        name="one number throughout",
        words=("fill", "set", "init", "memset", "set value", "constant", "full"),
        source=cite_numpy("full"),
        inputs=(),
        output="n",
        compute=lambda operands: np.full(operands.sizes["n"], operands.reals[0]),
        reals=((),),
        family="made",
    ),
)
