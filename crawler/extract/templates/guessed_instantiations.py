"""Make instantiations of template arguments that no source asks for."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

from crawler.extract.describe.instantiation_labels import make_argument_label
from crawler.model import Instantiation, InstantiationOrigin

MAX_INSTANTIATIONS: Final = 8
"""Instantiations in a default set."""
GuessedSet = tuple[Instantiation, ...]
"""Instantiations to try together."""


def make_guessed_set(
    argument_lists: Iterable[tuple[str, ...]], limit: int = MAX_INSTANTIATIONS
) -> GuessedSet:
    """Return an instantiation for each of the first lists of arguments, `limit` at most."""
    distinct_lists = dict.fromkeys(islice(argument_lists, limit))
    return tuple(
        Instantiation(
            arguments=arguments,
            label=make_argument_label(arguments),
            origin=InstantiationOrigin.DEFAULT,
        )
        for arguments in distinct_lists
    )
