"""Products, running sums, places and windows, each with what is nearly it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.operator_cases import LENGTHS, PLANES, PythonKernel, draw, is_known, reals

MATMUL = (
    ("a", "const float*"),
    ("b", "const float*"),
    ("c", "float*"),
    ("m", "int"),
    ("n", "int"),
    ("k", "int"),
)
EXTENTS = [
    {"m": m, "n": n, "k": k} for m, n, k in ((5, 7, 3), (4, 6, 5), (3, 3, 3), (8, 5, 6))
]


def make_matmul(name: str, b_place: Any, extents: Any = EXTENTS) -> PythonKernel:
    def body(a: Any, b: Any, c: Any, m: int, n: int, k: int) -> None:
        for i in range(m):
            for j in range(n):
                c[i * n + j] = sum(
                    a[i * k + index] * b[b_place(index, j, n, k)] for index in range(k)
                )

    def make(numbers: random.Random, m: int, n: int, k: int) -> dict[str, Any]:
        return {
            "a": reals(numbers, m * k),
            "b": reals(numbers, k * n),
            "c": [None] * (m * n),
        }

    return PythonKernel(name, MATMUL, body, draw(extents, make))


def by_rows(k: int, j: int, n: int, _: int) -> int:
    return k * n + j


def place_transposed(k: int, j: int, _: int, width: int) -> int:
    return j * width + k


@pytest.mark.parametrize(
    ("name", "place", "is_right"),
    [
        ("matmul_naive", by_rows, True),
        ("sgemmShared", by_rows, True),
        ("matmul_naive", place_transposed, False),
        ("gemm_nt", place_transposed, True),
        ("gemm_nt", by_rows, False),
        ("something", by_rows, False),
    ],
)
def test_a_product_is_known_with_the_layout_that_its_name_has(
    name: str, place: Any, is_right: bool
) -> None:
    assert is_known(make_matmul(name, place)) is is_right


def test_square_matrices_of_many_numbers_prove_no_layout() -> None:
    squares = [{"m": n, "n": n, "k": n} for n in (3, 4, 5, 6)]
    assert not is_known(make_matmul("matmul", by_rows, squares))


SCAN = (("in", "const int*"), ("out", "int*"), ("n", "int"))


@pytest.mark.parametrize(
    ("name", "is_exclusive", "is_right"),
    [
        ("inclusive_scan", False, True),
        ("inclusive_scan", True, False),
        ("exclusiveScan", True, True),
        ("exclusiveScan", False, False),
        ("prefix_sum", False, True),
    ],
)
def test_running_sums_are_known_with_or_without_the_last(
    name: str, is_exclusive: bool, is_right: bool
) -> None:
    def body(n: int, out: list[int], **memory: Any) -> None:
        total = 0
        for i, value in enumerate(memory["in"][:n]):
            out[i] = total if is_exclusive else total + value
            total += value

    cases = draw(
        LENGTHS,
        lambda numbers, n: {
            "in": [numbers.randrange(-9, 10) for _ in range(n)],
            "out": [None] * n,
        },
    )
    assert is_known(PythonKernel(name, SCAN, body, cases)) is is_right


SUM = (("x", "const double*"), ("total", "double*"), ("n", "int"))


@pytest.mark.parametrize(("skipped", "is_right"), [(0, True), (1, False)])
def test_a_sum_is_known_with_what_stood_there(skipped: int, is_right: bool) -> None:
    def body(x: list[float], total: list[float], n: int) -> None:
        total[0] += sum(x[: n - skipped])

    cases = draw(
        LENGTHS,
        lambda numbers, n: {"x": reals(numbers, n), "total": reals(numbers, 1)},
    )
    assert is_known(PythonKernel("sum_atomic", SUM, body, cases)) is is_right


GATHER = (
    ("table", "const float*"),
    ("index", "const long*"),
    ("out", "float*"),
    ("n", "int"),
    ("dim", "int"),
)


@pytest.mark.parametrize("offset", [0, 1])
def test_rows_at_places_are_known(offset: int) -> None:
    def body(table: Any, index: Any, out: Any, n: int, dim: int) -> None:
        for i in range(n):
            row = (index[i] + offset) % (len(table) // dim)
            out[i * dim : (i + 1) * dim] = table[row * dim : (row + 1) * dim]

    def make(numbers: random.Random, n: int, dim: int) -> dict[str, Any]:
        return {
            "table": reals(numbers, 11 * dim),
            "index": [numbers.randrange(11) for _ in range(n)],
            "out": [None] * (n * dim),
        }

    sizes = [{"n": size["rows"], "dim": size["cols"]} for size in PLANES]
    kernel = PythonKernel("embedding_forward", GATHER, body, draw(sizes, make))
    assert is_known(kernel) is (offset == 0)


HISTOGRAM = (("data", "const unsigned char*"), ("bins", "unsigned int*"), ("n", "int"))


@pytest.mark.parametrize("ignored", [-1, 3])
def test_counts_are_known(ignored: int) -> None:
    def body(data: Any, bins: Any, n: int) -> None:
        for value in data[:n]:
            bins[value] += value != ignored

    cases = draw(
        LENGTHS,
        lambda numbers, n: {
            "data": [numbers.randrange(16) for _ in range(n)],
            "bins": [0] * 16,
        },
    )
    assert is_known(PythonKernel("histogram", HISTOGRAM, body, cases)) is (ignored < 0)


POOL = (
    ("x", "const float*"),
    ("y", "float*"),
    ("planes", "int"),
    ("height", "int"),
    ("width", "int"),
    ("kernel", "int"),
    ("stride", "int"),
)


@pytest.mark.parametrize("shift", [0, 1])
def test_the_maximum_of_windows_is_known(shift: int) -> None:
    def body(
        *,
        x: Any,
        y: Any,
        planes: int,
        height: int,
        width: int,
        kernel: int,
        stride: int,
    ) -> None:
        rows, cols = (height - kernel) // stride + 1, (width - kernel) // stride + 1
        for i in range(planes * rows * cols):
            plane, row, col = i // cols // rows, i // cols % rows, i % cols
            y[i] = max(
                x[(plane * height + row * stride + a) * width + col * stride + b]
                for a in range(kernel)
                for b in range(kernel - shift)
            )

    def make(numbers: random.Random, **size: int) -> dict[str, Any]:
        rows = (size["height"] - size["kernel"]) // size["stride"] + 1
        cols = (size["width"] - size["kernel"]) // size["stride"] + 1
        return {
            "x": reals(numbers, size["planes"] * size["height"] * size["width"]),
            "y": [None] * (size["planes"] * rows * cols),
        }

    sizes = [
        dict(
            zip(("planes", "height", "width", "kernel", "stride"), extents, strict=True)
        )
        for extents in (
            (2, 6, 8, 2, 2),
            (3, 7, 9, 3, 2),
            (2, 5, 8, 3, 1),
            (4, 9, 6, 2, 3),
        )
    ]
    kernel = PythonKernel("max_pool_forward", POOL, body, draw(sizes, make))
    assert is_known(kernel) is (shift == 0)
