"""Functions that HIP defines for more types than CUDA."""

from __future__ import annotations

import pytest

from crawler.hip.own_overloads import HIP_OVERLOADS, spell_parameter_types


@pytest.mark.parametrize(
    ("parameters", "template_parameter", "types"),
    [
        ("const T & a , const T & b", "T", ("T", "T")),
        ("float * address , const float value", "", ("float*", "float")),
        (
            "unsigned long long int * a , unsigned long long b",
            "",
            ("unsigned long long*", "unsigned long long"),
        ),
        ("int * a , int b", "", ("*", "")),
    ],
)
def test_parameters_are_spelled_by_their_types_alone(
    parameters: str, template_parameter: str, types: tuple[str, ...]
) -> None:
    assert spell_parameter_types(parameters.split(), template_parameter) == types


def test_every_overload_is_spelled_as_it_would_be_read() -> None:
    for overloads in HIP_OVERLOADS.values():
        for types in overloads:
            text = " , ".join(types).replace("*", " *")
            assert spell_parameter_types(text.split(), "T") == types
