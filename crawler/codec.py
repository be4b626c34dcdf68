"""Encode values as deterministic JSON and decode them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import msgspec

Value = TypeVar("Value")


def _plain(value: object) -> str:
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _from_plain(kind: type, value: Any) -> Any:
    return kind(value)


def encode(value: object) -> bytes:
    """Return `value` as compact JSON with fields in the order of their definition."""
    return msgspec.json.encode(value, enc_hook=_plain)


def decode(encoded: bytes | str, value_type: type[Value]) -> Value:
    """Return the `value_type` that `encoded` holds; raises `msgspec.ValidationError` where it
    does not fit.
    """
    return msgspec.json.decode(encoded, type=value_type, dec_hook=_from_plain)


def to_builtins(value: object) -> Any:
    """Return `value` as dictionaries, lists and scalars."""
    return msgspec.to_builtins(value, enc_hook=_plain)
