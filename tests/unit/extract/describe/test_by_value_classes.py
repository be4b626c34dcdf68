"""Classes that a kernel takes by value, by their own names."""

from __future__ import annotations

import pytest

from crawler.extract.describe.by_value_classes import (
    extract_class_name,
    find_by_value_classes,
)
from crawler.model import Instantiation, Parameter, TemplateParameter


@pytest.mark.parametrize(
    ("type_name", "class_name"),
    [
        ("Params", "Params"),
        ("lib::Params", "Params"),
        ("lib::Tile<float, 4>", "Tile"),
        ("lib::Tile<(a > b)>", "Tile"),
        ("Outer<int>::Inner", "Inner"),
        ("const Params", "Params"),
        ("float[4]", ""),
        (">", ""),
    ],
)
def test_a_class_without_arguments_and_scope(type_name: str, class_name: str) -> None:
    assert extract_class_name(type_name) == class_name


def test_template_parameters_stand_for_their_arguments() -> None:
    parameters = [
        Parameter(name="a", type="const T"),
        Parameter(name="b", type="T *"),
        Parameter(name="c", type="struct Options"),
        Parameter(name="d", type="int"),
    ]
    template_parameters = [TemplateParameter(name="T", kind="type")]
    instantiations = [
        Instantiation(arguments=(argument,), label=argument)
        for argument in ("lib::Params", "float")
    ]
    names = find_by_value_classes(parameters, template_parameters, instantiations)
    assert names == ("Params", "Options")
