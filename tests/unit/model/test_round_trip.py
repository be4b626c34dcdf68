"""Whatever a value of the model holds comes back out of its JSON, and a record of an older version
that lacks a field with a default is still read.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler import model
from crawler.codec import decode, encode, to_builtins

TYPES = [
    value
    for name, value in ((name, getattr(model, name)) for name in dir(model))
    # a record holds kernels, units and suites, each of which is drawn by itself
    if isinstance(value, type)
    and is_dataclass(value)
    and value is not model.KernelRecord
]
# what stands in a file of our own, and JSON can say
st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
st.register_type_strategy(int, st.integers(-(1 << 62), 1 << 62))
st.register_type_strategy(str, st.text(max_size=8))
st.register_type_strategy(Path, st.text("ab./", max_size=8).map(Path))


@st.composite
def values(draw: st.DrawFn, value_type: type[Any]) -> Any:
    return draw(st.builds(value_type))


@pytest.mark.parametrize(
    "value_type", TYPES, ids=lambda value_type: value_type.__name__
)
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_value_comes_back_as_it_was(
    value_type: type[Any], data: st.DataObject
) -> None:
    value = data.draw(values(value_type))
    encoded = encode(value)
    assert decode(encoded, value_type) == value
    # the same value has the same bytes, by which it is stored
    assert encode(decode(encoded, value_type)) == encoded
    assert json.loads(encoded) == json.loads(json.dumps(to_builtins(value)))


@pytest.mark.parametrize(
    "value_type", TYPES, ids=lambda value_type: value_type.__name__
)
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_value_of_an_older_version_takes_the_defaults(
    value_type: type[Any], data: st.DataObject
) -> None:
    value = data.draw(values(value_type))
    written = json.loads(encode(value))
    for field in fields(value_type):
        if field.default is MISSING:
            continue
        older = {name: part for name, part in written.items() if name != field.name}
        decoded = decode(json.dumps(older), value_type)
        assert getattr(decoded, field.name) == field.default
        assert decoded == dataclasses.replace(value, **{field.name: field.default})


@pytest.mark.parametrize(
    "value_type", TYPES, ids=lambda value_type: value_type.__name__
)
def test_a_value_is_never_changed(value_type: type[Any]) -> None:
    parameters = value_type.__dataclass_params__
    assert parameters.frozen
    assert hasattr(value_type, "__slots__")


@pytest.mark.parametrize(
    "value_type", TYPES, ids=lambda value_type: value_type.__name__
)
def test_every_field_says_what_it_is(value_type: type[Any]) -> None:
    assert value_type.__doc__
    assert value_type.__name__ not in value_type.__doc__.split("(")[0].split("."), (
        "a docstring, not the signature that a dataclass makes up"
    )
