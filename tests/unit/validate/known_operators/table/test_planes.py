"""Operators on rows and columns: an axis that is mistaken is not known."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from tests.operator_cases import PLANES, PythonKernel, draw, is_known, reals

PLANE = (("x", "const float*"), ("y", "float*"), ("rows", "int"), ("cols", "int"))
REDUCED = (("rows", "int"), ("x", "const float*"), ("cols", "int"), ("y", "float*"))


def list_rows(x: list[float], rows: int, cols: int) -> list[list[float]]:
    return [x[row * cols : (row + 1) * cols] for row in range(rows)]


def list_columns(x: list[float], rows: int, cols: int) -> list[list[float]]:
    return [x[col::cols][:rows] for col in range(cols)]


def softmax(row: list[float]) -> list[float]:
    powers = [math.exp(value - max(row)) for value in row]
    return [power / sum(powers) for power in powers]


def layer_norm(row: list[float], eps: float = 1e-5) -> list[float]:
    mean = sum(row) / len(row)
    variance = sum((value - mean) ** 2 for value in row) / len(row)
    return [(value - mean) / math.sqrt(variance + eps) for value in row]


def make_row_map(name: str, function: Any, by_columns: bool = False) -> PythonKernel:
    def body(x: list[float], y: list[float], rows: int, cols: int) -> None:
        if by_columns:
            for col, values in enumerate(list_columns(x, rows, cols)):
                y[col::cols] = function(values)
        else:
            y[:] = [v for row in list_rows(x, rows, cols) for v in function(row)]

    cases = draw(
        PLANES,
        lambda numbers, rows, cols: {
            "x": reals(numbers, rows * cols),
            "y": [None] * (rows * cols),
        },
    )
    return PythonKernel(name, PLANE, body, cases)


def make_reduction(name: str, function: Any, by_columns: bool = False) -> PythonKernel:
    def body(rows: int, x: list[float], cols: int, y: list[float]) -> None:
        lines = list_columns if by_columns else list_rows
        y[:] = [function(line) for line in lines(x, rows, cols)]

    cases = draw(
        PLANES,
        lambda numbers, rows, cols: {
            "x": reals(numbers, rows * cols),
            "y": [None] * (cols if by_columns else rows),
        },
    )
    return PythonKernel(name, REDUCED, body, cases)


def test_softmax_and_layer_norm_are_known_along_rows() -> None:
    assert is_known(make_row_map("softmax_forward", softmax))
    assert not is_known(make_row_map("row_softmax", softmax, by_columns=True))
    assert is_known(make_row_map("layernorm_kernel", layer_norm))
    assert not is_known(make_row_map("layernorm_kernel", layer_norm, by_columns=True))


@pytest.mark.parametrize("eps", [1e-2, 0.1])
def test_another_epsilon_is_not_known(eps: float) -> None:
    kernel = make_row_map("layer_norm", lambda row: layer_norm(row, eps))
    assert not is_known(kernel)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("row_sum", sum),
        ("rowwise_max", max),
        ("reduce_min_rows", min),
        ("mean_rows", lambda row: sum(row) / len(row)),
        ("row_prod", math.prod),
        ("row_norm_l2", lambda row: math.sqrt(sum(v * v for v in row))),
    ],
)
def test_a_reduction_is_known_along_the_axis_that_it_is_named_after(
    name: str, function: Any
) -> None:
    assert is_known(make_reduction(name, function))
    assert not is_known(make_reduction(name, function, by_columns=True))


def test_columns_are_known_where_a_name_tells_of_them() -> None:
    assert is_known(make_reduction("column_sum", sum, by_columns=True))
    assert not is_known(make_reduction("column_sum", sum))


def test_the_place_of_the_maximum_is_a_whole_number() -> None:
    kernel = make_reduction("argmax", lambda row: row.index(max(row)))
    parameters = tuple(
        (name, "int*" if name == "y" else kind) for name, kind in REDUCED
    )
    places = PythonKernel("argmax", parameters, kernel.body, kernel.cases)
    assert is_known(places)


TRANSPOSED = (("in", "const float*"), ("out", "float*"), ("w", "int"), ("h", "int"))


def test_a_transposed_matrix_is_no_copy_of_it() -> None:
    def transpose(*, w: int, h: int, out: list[float], **memory: Any) -> None:
        out[:] = [memory["in"][row * w + col] for col in range(w) for row in range(h)]

    def copy(*, out: list[float], **memory: Any) -> None:
        out[:] = memory["in"]

    def make(numbers: random.Random, w: int, h: int) -> dict[str, Any]:
        return {"in": reals(numbers, w * h), "out": [None] * (w * h)}

    sizes = [{"w": size["cols"], "h": size["rows"]} for size in PLANES]
    cases = draw(sizes, make)
    assert is_known(PythonKernel("transposeNaive", TRANSPOSED, transpose, cases))
    assert not is_known(PythonKernel("transposeNaive", TRANSPOSED, copy, cases))
    # squares tell no width from a height
    squares = draw([{"w": size, "h": size} for size in (4, 5, 6, 7)], make)
    assert not is_known(PythonKernel("transpose", TRANSPOSED, transpose, squares))


NORM = (
    ("x", "const float*"),
    ("mean", "const float*"),
    ("var", "const float*"),
    ("gamma", "const float*"),
    ("beta", "const float*"),
    ("y", "float*"),
    ("eps", "float"),
    ("n", "int"),
    ("c", "int"),
    ("hw", "int"),
)


@pytest.mark.parametrize("is_right", [True, False])
def test_batch_norm_is_known_with_the_numbers_of_its_channels(is_right: bool) -> None:
    def body(**of: Any) -> None:
        channels, width = of["c"], of["hw"]
        for i, x in enumerate(of["x"]):
            channel = (i // width) % channels if is_right else i % channels
            scale = of["gamma"][channel] / math.sqrt(of["var"][channel] + of["eps"])
            of["y"][i] = (x - of["mean"][channel]) * scale + of["beta"][channel]

    def make(numbers: random.Random, n: int, c: int, hw: int) -> dict[str, Any]:
        return {
            "x": reals(numbers, n * c * hw),
            "y": [None] * (n * c * hw),
            "mean": reals(numbers, c),
            "var": reals(numbers, c, 0.5),
            "gamma": reals(numbers, c),
            "beta": reals(numbers, c),
            "eps": 0.125,
        }

    sizes = [
        {"n": n, "c": c, "hw": s}
        for n, c, s in ((2, 3, 5), (3, 4, 7), (1, 2, 9), (2, 5, 4))
    ]
    assert (
        is_known(PythonKernel("batchnorm", NORM, body, draw(sizes, make))) is is_right
    )
