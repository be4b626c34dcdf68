"""Functions of mathematics that C lacks, on the CPU: each held against what defines it, also where
a naive formula overflows, or where what is left of a number is lost in its rounding.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from crawler.validate.emulator.launch import (
    Buffer,
    KernelLaunch,
    pointer_argument,
    value_argument,
)
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches

pytestmark = pytest.mark.apt
NAMES = (
    "rsqrt",
    "rcbrt",
    "sinpi",
    "cospi",
    "normcdf",
    "erfinv",
    "erfcinv",
    "normcdfinv",
    "erfcx",
)
INPUTS = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 7.5, 20.0, 30.0, 1e3, 1e8]
INPUTS += [1e-3, 1e-8, 1e-20, 1e-30, 0.1, 0.9, 0.999999, 1.9, 1.999, 1e17, 2.0**52 + 1]
INPUTS += [-value for value in INPUTS if value] + [math.inf, -math.inf, math.nan]
SOURCE = (
    "#include <kernelset/cuda.cuh>\n"
    "__global__ void k(const double* in, double* out, float* narrow, int n) {\n"
    "  int i = threadIdx.x;\n"
    "  if (i >= n) return;\n"
    + "".join(
        f"  out[{len(NAMES)} * i + {place}] = {name}(in[i]);\n"
        f"  narrow[{len(NAMES)} * i + {place}] = {name}f(float(in[i]));\n"
        for place, name in enumerate(NAMES)
    )
    + "}\n"
)


@dataclass(frozen=True)
class Results:
    """What each function gives for each input, in double and in single precision."""

    wide: dict[str, dict[float, float]]
    narrow: dict[str, dict[float, float]]


@pytest.fixture(scope="module")
def results(making: Any) -> Results:
    program = build_cpu_program(making.unit(SOURCE), BuildOptions())
    assert program.executable, program.verdict.message
    content = struct.pack(f"<{len(INPUTS)}d", *INPUTS)
    count = len(INPUTS) * len(NAMES)
    launch = KernelLaunch(
        grid=(1, 1, 1),
        block=(64, 1, 1),
        buffers=(
            Buffer(size=len(content), content=content),
            Buffer(size=8 * count),
            Buffer(size=4 * count),
        ),
        arguments=(
            pointer_argument(0),
            pointer_argument(1),
            pointer_argument(2),
            value_argument(struct.pack("<i", len(INPUTS))),
        ),
    )
    (execution,) = run_launches(program, [launch])
    assert execution.outcome == "done", execution.findings
    wide = struct.unpack(f"<{count}d", execution.buffers[1])
    narrow = struct.unpack(f"<{count}f", execution.buffers[2])
    return Results(sort_by_name(wide), sort_by_name(narrow))


def sort_by_name(values: tuple[float, ...]) -> dict[str, dict[float, float]]:
    return {
        name: dict(zip(INPUTS, values[place :: len(NAMES)], strict=True))
        for place, name in enumerate(NAMES)
    }


def within(low: float, high: float) -> list[float]:
    return [value for value in INPUTS if low < value < high]


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("rsqrt", lambda x: 1 / math.sqrt(x)),
        ("rcbrt", lambda x: 1 / math.cbrt(x)),
        ("normcdf", lambda x: 0.5 * math.erfc(-x / math.sqrt(2))),
    ],
)
def test_a_function_is_what_it_is_called(
    results: Results, name: str, function: Callable[[float], float]
) -> None:
    for value in within(0, math.inf):
        assert results.wide[name][value] == pytest.approx(
            function(value), rel=1e-14, abs=0
        )


@pytest.mark.parametrize("value", within(-100, 100))
def test_sines_of_pi_times_a_number(results: Results, value: float) -> None:
    sine, cosine = math.sin(math.pi * value), math.cos(math.pi * value)
    assert results.wide["sinpi"][value] == pytest.approx(sine, abs=1e-13)
    assert results.wide["cospi"][value] == pytest.approx(cosine, abs=1e-13)
    assert results.narrow["sinpi"][value] == pytest.approx(sine, abs=1e-6)


@pytest.mark.parametrize("value", [1.0, 2.0, 3.0, 1e3, 1e8, 1e17, 2.0**52 + 1])
def test_whole_numbers_have_no_sine_and_a_whole_cosine(
    results: Results, value: float
) -> None:
    for number in (value, -value):
        assert results.wide["sinpi"][number] == 0
        assert results.wide["cospi"][number] == (-1 if value % 2 else 1)


@pytest.mark.parametrize("value", [0.5, 1.5, 7.5, -0.5, -7.5])
def test_halves_have_no_cosine_and_a_whole_sine(results: Results, value: float) -> None:
    assert results.wide["cospi"][value] == 0
    assert results.wide["sinpi"][value] == (1 if math.floor(value) % 2 == 0 else -1)


@pytest.mark.parametrize("value", within(-1, 1))
def test_an_inverse_error_function_leads_back(results: Results, value: float) -> None:
    root = results.wide["erfinv"][value]
    assert math.erf(root) == pytest.approx(value, rel=1e-14, abs=1e-300)
    assert math.copysign(1, root) == math.copysign(1, value)


@pytest.mark.parametrize("value", within(0, 2))
def test_an_inverse_of_what_is_left_leads_back_however_little_that_is(
    results: Results, value: float
) -> None:
    root = results.wide["erfcinv"][value]
    assert math.erfc(root) == pytest.approx(value, rel=1e-12, abs=0)
    narrow = results.narrow["erfcinv"][value]
    assert narrow == pytest.approx(root, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("value", within(0, 1))
def test_a_quantile_of_the_normal_distribution_leads_back(
    results: Results, value: float
) -> None:
    quantile = results.wide["normcdfinv"][value]
    share = 0.5 * math.erfc(-quantile / math.sqrt(2))
    assert share == pytest.approx(value, rel=1e-12, abs=0)


@pytest.mark.parametrize("value", within(-20, 1e9))
def test_a_scaled_remainder_neither_overflows_nor_vanishes(
    results: Results, value: float
) -> None:
    scaled = results.wide["erfcx"][value]
    if value < 20:
        expected = math.exp(value * value) * math.erfc(value)
        assert scaled == pytest.approx(expected, rel=1e-12, abs=0)
        return

    # Abramowitz and Stegun 7.1.13: bounds that close in on it
    low = 2 / math.sqrt(math.pi) / (value + math.sqrt(value * value + 2))
    high = 2 / math.sqrt(math.pi) / (value + math.sqrt(value * value + 4 / math.pi))
    assert low * (1 - 1e-14) <= scaled <= high * (1 + 1e-14)
    assert results.narrow["erfcx"][value] == pytest.approx(scaled, rel=1e-6, abs=0)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("erfinv", 1.0, math.inf),
        ("erfinv", -1.0, -math.inf),
        ("erfinv", 1.5, math.nan),
        ("erfcinv", 0.0, math.inf),
        ("erfcinv", 2.0, -math.inf),
        ("erfcinv", -1.0, math.nan),
        ("erfcinv", 3.0, math.nan),
        ("normcdfinv", 0.0, -math.inf),
        ("normcdfinv", 1.0, math.inf),
        ("normcdfinv", 1.5, math.nan),
        ("erfcx", math.inf, 0.0),
        ("erfcx", -30.0, math.inf),
        ("rsqrt", 0.0, math.inf),
        ("rsqrt", -1.0, math.nan),
        ("normcdf", -math.inf, 0.0),
        ("normcdf", math.inf, 1.0),
        ("sinpi", math.inf, math.nan),
        ("cospi", -math.inf, math.nan),
    ],
)
def test_edges_are_those_of_the_api(
    results: Results, name: str, value: float, expected: float
) -> None:
    for result in (results.wide[name][value], results.narrow[name][value]):
        if math.isnan(expected):
            assert math.isnan(result)
        else:
            assert result == expected


@pytest.mark.parametrize("name", NAMES)
def test_no_number_stays_none(results: Results, name: str) -> None:
    (wide,) = (v for k, v in results.wide[name].items() if math.isnan(k))
    (narrow,) = (v for k, v in results.narrow[name].items() if math.isnan(k))
    assert math.isnan(wide)
    assert math.isnan(narrow)
