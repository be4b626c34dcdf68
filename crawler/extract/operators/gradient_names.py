"""Pair operators with their gradients."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

_PASS_WORDS: Final = (
    ("forward", "backward"),
    ("Forward", "Backward"),
    ("fwd", "bwd"),
    ("Fwd", "Bwd"),
)
_GRADIENT_SUFFIXES: Final = (
    "_backward",
    "_bwd",
    "_grad",
    "_back",
    "Backward",
    "Grad",
)
_FORWARD_SUFFIXES: Final = ("_forward", "_fwd")


def pair_operators(
    names: Collection[str], shown_pairs: Mapping[str, str]
) -> dict[str, str]:
    """Return each operator's gradient, and for a gradient the operator that it belongs to.

    `shown_pairs` are those that Python classes pair; the others are paired by their names.
    """
    twin_by_name = {
        name: twin
        for name, twin in shown_pairs.items()
        if name in names and twin in names
    }

    for name in sorted(names):
        for gradient in _iter_gradient_names(name):
            is_paired = name in twin_by_name or gradient in twin_by_name
            if gradient in names and not is_paired:
                twin_by_name[name] = gradient
                twin_by_name[gradient] = name

    return twin_by_name


def _iter_gradient_names(name: str) -> Iterator[str]:
    """Yield the names that an operator's gradient may have, the likeliest first."""
    for forward_word, backward_word in _PASS_WORDS:
        if forward_word in name:
            yield name.replace(forward_word, backward_word)

    for suffix in _GRADIENT_SUFFIXES:
        yield name + suffix

    for forward_suffix in _FORWARD_SUFFIXES:
        if not name.endswith(forward_suffix):
            continue

        stem = name.removesuffix(forward_suffix)
        for suffix in _GRADIENT_SUFFIXES:
            yield stem + suffix
