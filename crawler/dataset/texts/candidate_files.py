"""Names of the files of candidates, as GaAgent's tools have them."""

from __future__ import annotations

from collections.abc import Iterable


def number_candidates(name: str, texts: Iterable[str]) -> dict[str, str]:
    """Return the first candidate under the plain name, and further ones with a number."""
    return {
        name if number == 1 else f"{name}_{number}": text
        for number, text in enumerate(texts, 1)
    }


def number_from_one(name: str, texts: Iterable[str]) -> dict[str, str]:
    """Return each candidate with a number, the first one's included."""
    return {f"{name}_{number}": text for number, text in enumerate(texts, 1)}
