"""Values to JSON and back; the same value always gives the same bytes."""

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


def decode(encoded: bytes | str, kind: type[Value]) -> Value:
    """Return the `kind` that `encoded` holds; raises `msgspec.ValidationError` where it does not fit."""
    return msgspec.json.decode(encoded, type=kind, dec_hook=_from_plain)


def plain(value: object) -> Any:
    """Return `value` as dictionaries, lists and scalars."""
    return msgspec.to_builtins(value, enc_hook=_plain)
