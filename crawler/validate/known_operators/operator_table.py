"""The whole table of known operators."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from crawler.validate.known_operators import table
from crawler.validate.known_operators.known_operator import KnownOperator


@cache
def list_operators() -> tuple[KnownOperator, ...]:
    """Return all known operators, topic by topic."""
    operators: list[KnownOperator] = []
    for info in pkgutil.iter_modules(table.__path__):
        module = importlib.import_module(f"{table.__name__}.{info.name}")
        operators += module.OPERATORS

    return tuple(operators)
