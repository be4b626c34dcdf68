"""Operators on each number: what real kernels compute is known, and what is nearly it is not."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from tests.operator_cases import LENGTHS, PythonKernel, draw, is_known, reals

ONE = (("x", "const float*"), ("y", "float*"), ("n", "int"))
TWO = (("a", "const float*"), ("b", "const float*"), ("y", "float*"), ("n", "int"))
Function = Callable[..., float]


def make_map(name: str, function: Function, low: float = -2.0) -> PythonKernel:
    def body(x: list[float], y: list[float], n: int) -> None:
        y[:n] = [function(x[i]) for i in range(n)]

    cases = draw(
        LENGTHS, lambda numbers, n: {"x": reals(numbers, n, low), "y": [None] * n}
    )
    return PythonKernel(name, ONE, body, cases)


def make_pairs(name: str, function: Function) -> PythonKernel:
    def body(a: list[float], b: list[float], y: list[float], n: int) -> None:
        y[:n] = [function(a[i], b[i]) for i in range(n)]

    cases = draw(
        LENGTHS,
        lambda numbers, n: {
            "a": reals(numbers, n),
            "b": reals(numbers, n),
            "y": [None] * n,
        },
    )
    return PythonKernel(name, TWO, body, cases)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def gelu_tanh(x: float, cubic: float = 0.044715) -> float:
    return 0.5 * x * (1 + math.tanh(0.7978845608 * (x + cubic * x**3)))


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("relu_kernel", lambda x: max(x, 0), abs),
        (
            "leakyReluForward",
            lambda x: x if x > 0 else 0.01 * x,
            lambda x: x if x > 0 else 0.05 * x,
        ),
        ("sigmoid", sigmoid, lambda x: sigmoid(-x)),
        ("silu_cuda", lambda x: x * sigmoid(x), sigmoid),
        ("gelu_tanh_kernel", gelu_tanh, lambda x: gelu_tanh(x, 0.047)),
        (
            "gelu_forward",
            lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))),
            lambda x: 0.5 * x * math.erf(x),
        ),
        (
            "elu",
            lambda x: x if x > 0 else math.expm1(x),
            lambda x: x if x > 0 else math.exp(x),
        ),
        ("softplus", lambda x: math.log1p(math.exp(x)), lambda x: math.exp(x)),
        ("kernel_tanh_f32", math.tanh, math.sin),
        ("squareArray", lambda x: x * x, lambda x: x + x),
    ],
)
def test_a_map_of_numbers_is_known_by_its_name(
    name: str, right: Function, wrong: Function
) -> None:
    assert is_known(make_map(name, right))
    assert not is_known(make_map(name, wrong))


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("vectorAdd", lambda a, b: a + b, lambda a, b: a + abs(b)),
        ("vecSub", lambda a, b: a - b, lambda a, b: b - a + 0.5),
        ("elementwise_mul", lambda a, b: a * b, lambda a, b: a * a),
        (
            "relu_backward",
            lambda a, b: a if b > 0 else 0,
            lambda a, b: a if b < 1 else 0,
        ),
        ("swiglu", lambda a, b: a * sigmoid(a) * b, lambda a, b: sigmoid(a) * b),
    ],
)
def test_a_map_of_pairs_is_known_by_its_name(
    name: str, right: Function, wrong: Function
) -> None:
    assert is_known(make_pairs(name, right))
    assert not is_known(make_pairs(name, wrong))


def test_a_missing_tail_is_not_known() -> None:
    def body(x: list[float], y: list[float], n: int) -> None:
        y[: n - n % 4] = [max(value, 0) for value in x[: n - n % 4]]

    kernel = make_map("relu", lambda x: max(x, 0))
    whole_fours = PythonKernel(kernel.name, kernel.parameters, body, kernel.cases)
    # memory that is no larger than what was touched hides what is missing
    cut = tuple(
        {
            "n": values["n"],
            "x": values["x"][: values["n"] // 4 * 4],
            "y": values["y"][: values["n"] // 4 * 4],
        }
        for values in kernel.cases
        if values["n"] > 4
    )

    assert not is_known(whole_fours)
    assert not is_known(PythonKernel(kernel.name, kernel.parameters, body, cut))


def test_inputs_that_tell_nothing_apart_prove_nothing() -> None:
    assert not is_known(make_map("relu", lambda x: max(x, 0), low=0.0))


def test_a_number_that_is_the_same_everywhere_proves_nothing() -> None:
    kernel = make_map("relu", lambda x: max(x, 0))
    zeros = tuple({**values, "x": [-1.0] * values["n"]} for values in kernel.cases)
    assert not is_known(PythonKernel(kernel.name, ONE, kernel.body, zeros))


SAXPY = (("n", "int"), ("a", "float"), ("x", "const float*"), ("y", "float*"))


@pytest.mark.parametrize("is_right", [True, False])
def test_a_real_parameter_has_to_be_used(is_right: bool) -> None:
    def body(n: int, a: float, x: list[float], y: list[float]) -> None:
        factor = a if is_right else 0.75
        y[:n] = [factor * x[i] + y[i] for i in range(n)]

    cases = draw(
        LENGTHS,
        lambda numbers, n: {
            "a": 0.75 if n == 61 else reals(numbers, 1)[0],
            "x": reals(numbers, n),
            "y": reals(numbers, n),
        },
    )
    assert is_known(PythonKernel("saxpy", SAXPY, body, cases)) is is_right


def test_whole_numbers_wrap_and_are_compared_exactly() -> None:
    parameters = tuple((name, kind.replace("float", "int")) for name, kind in TWO)

    def body(a: list[int], b: list[int], y: list[int], n: int) -> None:
        y[:n] = [a[i] + b[i] for i in range(n)]

    def body_off_by_one(a: list[int], b: list[int], y: list[int], n: int) -> None:
        y[:n] = [a[i] + b[i] + (i == n - 1) for i in range(n)]

    cases = draw(
        LENGTHS,
        lambda numbers, n: {
            "a": [numbers.randrange(-1000, 1000) for _ in range(n)],
            "b": [numbers.randrange(-1000, 1000) for _ in range(n)],
            "y": [None] * n,
        },
    )
    assert is_known(PythonKernel("add", parameters, body, cases))
    assert not is_known(PythonKernel("add", parameters, body_off_by_one, cases))
