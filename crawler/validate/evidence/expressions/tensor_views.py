"""Find the tensor behind a view, and the name by which a host asks for one of its extents."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import Final

_MAX_VIEW_STEPS: Final = 4
# libclang is not asked: the host's text is a fragment, without the types that it names
_VIEW: Final = re.compile(r"accessor|contiguous\s*\(|\.\s*to\s*\(|\.\s*view_as")
_RECEIVER: Final = re.compile(r"\s*(\w+)\s*(?:[.\-(<]|$)")
_EXTENT_METHODS: Final = ("size", "dim", "shape")


def find_viewed_tensor(argument: str, definitions: Mapping[str, str]) -> str:
    """Return the tensor that a view such as `x_acc` or `x.packed_accessor32<float, 4>()` is of;
    empty where none is named.
    """
    text = argument
    name = ""

    for _ in range(_MAX_VIEW_STEPS):
        receiver = _RECEIVER.match(text)
        if receiver is None:
            return name

        name = receiver[1]
        text = definitions.get(name, "")
        if not _VIEW.search(text):
            return name

    return name


def name_extent(tensor: str, axis: int, asked_texts: Container[str]) -> str:
    """Return the expression of a tensor's extent, as the host has asked for it where it has."""
    for method in _EXTENT_METHODS:
        text = f"{tensor}.{method}({axis})"
        if text in asked_texts:
            return text

    return f"{tensor}.size({axis})"
