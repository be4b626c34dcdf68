"""Write texts as values of the query language."""

from __future__ import annotations


def quote_value(text: str) -> str:
    """Return a text as the query language takes it literally."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
