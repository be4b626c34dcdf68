"""Complete expressions of the query language in the shell: fields, and values that kernels have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    from storage.index.query.terms import Field

_MAX_VALUES: Final = 40
"""Of a field, the most frequent ones."""
# the end of a query that is still being typed, which no parser takes
_VALUE: Final = re.compile(
    r"(?P<field>[a-z_]+)(?P<target>\.[\w:+.-]+)?\s*!?=\s*(?:[^\s,]+,)*(?P<start>[^\s,()]*)$"
)
_FIELD: Final = re.compile(r"(?:^|[\s(,-])(?P<start>[a-z_]*)$")
_PLAIN: Final = re.compile(r'[^\s,"*=<>~()|]+')


def complete_expression(context: typer.Context, incomplete: str) -> list[str]:
    """Return what the expression may go on as; nothing where it cannot be told."""
    value = _VALUE.search(incomplete)
    if value:
        start = value["start"]
        before = incomplete[: len(incomplete) - len(start)]
        # a shell that waits must not see an error of ours
        with suppress(Exception):
            name = value["field"] + (value["target"] or "")
            return [before + text for text in _list_values(context, name, start)]
        return []

    field = _FIELD.search(incomplete)
    if field is None:
        return []

    before = incomplete[: field.start("start")]
    return [f"{before}{name}=" for name in _list_fields(field["start"])]


def complete_fields(incomplete: str) -> list[str]:
    """Return what a list of fields with commas may go on as."""
    before, comma, start = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in _list_fields(start)]


def complete_view(incomplete: str) -> list[str]:
    """Return the views whose names begin so."""
    from crawler.dataset.choice import list_views

    return [view.name for view in list_views() if view.name.startswith(incomplete)]


def _list_fields(start: str) -> list[str]:
    from storage.index.query.fields import FIELDS

    return sorted(name for name in FIELDS if name.startswith(start))


def _list_values(context: typer.Context, name: str, start: str) -> list[str]:
    from storage.index.query.parser import parse_field

    field, _ = parse_field(name)
    values: Iterable[str] = field.choices or _iter_indexed_values(context, field, name)
    fitting = (value for value in values if value.startswith(start))
    return [
        _quote(value) for value, _ in zip(fitting, range(_MAX_VALUES), strict=False)
    ]


def _iter_indexed_values(
    context: typer.Context, field: Field, name: str
) -> Iterator[str]:
    """Yield the values that kernels have, the most frequent first."""
    from storage.index.query.terms import FieldKind
    from workers.cli.options import context_settings
    from workers.config.configured_storage import open_configured_storage

    if field.kind is FieldKind.FLAG:
        yield from ("true", "false")
        return

    settings = context_settings(context)
    # a completion makes no database
    if not settings.database and not (settings.home / "kernelset.db").is_file():
        return

    with open_configured_storage(settings) as storage:
        for count in storage.index.count_values(name):
            yield count.value


def _quote(value: str) -> str:
    """Return a value as an expression has it."""
    if _PLAIN.fullmatch(value):
        return value
    from storage.index.query.quoting import quote_value

    return quote_value(value)
