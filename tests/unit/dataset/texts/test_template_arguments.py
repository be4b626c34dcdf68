"""Template arguments as they are written in a parameter's place."""

from __future__ import annotations

import pytest

from crawler.dataset.texts.template_arguments import ArgumentText, spell_argument
from crawler.model import TemplateParameter


def make_parameter(kind: str, type_name: str = "") -> TemplateParameter:
    return TemplateParameter(name="P", kind=kind, type=type_name)


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("float", "float"),
        ("at::Half", "at::Half"),
        ("unsigned int", "unsigned"),
        ("unsigned char", "uint8_t"),
        ("Vec<float>", "Vec<float>"),
    ],
)
def test_a_type_that_is_one_word_stands_for_its_name(argument: str, text: str) -> None:
    spelled = spell_argument(make_parameter("type"), argument, {})
    assert spelled == ArgumentText(text, declaration=f"using P = {argument};")


@pytest.mark.parametrize("argument", ["const float *", "float &", "Map<int, float>"])
def test_another_type_keeps_the_name(argument: str) -> None:
    spelled = spell_argument(make_parameter("type"), argument, {})
    assert spelled == ArgumentText(
        "P", declaration=f"using P = {argument};", keeps_name=True
    )


@pytest.mark.parametrize(
    ("type_name", "argument", "text", "declared_type"),
    [
        ("int", "4", "4", "int"),
        ("unsigned", "4", "4u", "unsigned"),
        ("size_t", "4", "4ul", "size_t"),
        ("const std::size_t", "4", "4ul", "size_t"),
        ("int", "-1", "(-1)", "int"),
        ("Mode", "2", "static_cast<Mode>(2)", "Mode"),
        ("Mode", "Mode::Fast", "Mode::Fast", "Mode"),
        ("bool", "a < b", "(a < b)", "bool"),
        ("", "3", "3", "auto"),
    ],
)
def test_a_value_is_of_its_type(
    type_name: str, argument: str, text: str, declared_type: str
) -> None:
    spelled = spell_argument(make_parameter("value", type_name), argument, {})
    declaration = f"constexpr {declared_type} P = {text};"
    assert spelled == ArgumentText(text, declaration=declaration)


def test_the_type_of_a_value_may_be_an_argument_before_it() -> None:
    parameter = make_parameter("value", "T")
    assert spell_argument(parameter, "4", {"T": "unsigned"}).text == "4u"


def test_a_template_is_named() -> None:
    spelled = spell_argument(make_parameter("template"), "Accumulate", {})
    assert spelled == ArgumentText("Accumulate")
