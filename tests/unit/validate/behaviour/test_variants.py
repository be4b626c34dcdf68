"""What of a case is run again, and why."""

from __future__ import annotations

import pytest

from crawler.validate.behaviour.variants import MATH_FUNCTION
from crawler.validate.behaviour.verdict_messages import explain_code


@pytest.mark.parametrize(
    "source",
    ["expf(x)", "x = rsqrt (y);", "curand_uniform(&s) + rand_uniform(s)", "tanhf(a)"],
)
def test_devices_round_functions_of_mathematics_otherwise(source: str) -> None:
    assert MATH_FUNCTION.search(source)


@pytest.mark.parametrize("source", ["x * y + z", "int exponent = 3;", "my_log(x)"])
def test_they_round_arithmetic_as_a_cpu(source: str) -> None:
    assert not MATH_FUNCTION.search(source)


def test_a_code_is_explained() -> None:
    assert "the oracle is this very kernel" in explain_code("self-consistent")
    assert explain_code("unheard-of") == "unheard-of"
