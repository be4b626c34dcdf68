"""Encode values as deterministic JSON and decode them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import msgspec

Value = TypeVar("Value")


def _encode_extra(value: object) -> str:
    """Return the JSON form of a value that msgspec does not know."""
    if isinstance(value, Path):
        return str(value)

    name = type(value).__name__
    raise TypeError(f"{name} has no JSON form")


def _decode_extra(value_type: type, value: Any) -> Any:
    return value_type(value)


def encode(value: object) -> bytes:
    """Return `value` as compact JSON with fields in the order of their definition."""
    return msgspec.json.encode(value, enc_hook=_encode_extra)


def decode(encoded: bytes | str, value_type: type[Value]) -> Value:
    """Return the `value_type` that `encoded` holds.

    Raises `msgspec.ValidationError` where it does not fit.
    """
    return msgspec.json.decode(encoded, type=value_type, dec_hook=_decode_extra)


def to_builtins(value: object) -> Any:
    """Return `value` as dictionaries, lists and scalars."""
    return msgspec.to_builtins(value, enc_hook=_encode_extra)
