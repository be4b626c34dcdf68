"""Render templates: everything is escaped but what we made ourselves."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from workers.status.crawl_status import format_duration
from workers.web.source_views.case_values import describe_tolerances, list_numbers
from workers.web.visible_text import finalize, shorten_line

_FOLDER: Final = Path(__file__).parent / "templates"
STATIC_FOLDER: Final = Path(__file__).parent / "static"
_LIBRARY_STYLE: Final = STATIC_FOLDER / "pico" / "pico.min.css"


@cache
def make_environment() -> Environment:
    """Return the environment of all templates."""
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["moment"] = format_moment
    environment.filters["duration"] = format_duration
    environment.filters["thousands"] = lambda number: f"{number:,}"
    environment.filters["short"] = shorten_line
    environment.filters["address"] = make_address
    environment.globals["list_numbers"] = list_numbers
    environment.globals["describe_tolerances"] = describe_tolerances
    environment.globals["has_library"] = has_component_library()
    return environment


def has_component_library() -> bool:
    """Whether the component library is here: a checkout that nobody set up lacks it."""
    return _LIBRARY_STYLE.is_file()


def render(template: str, values: Mapping[str, Any]) -> str:
    """Return the page that a template makes of values."""
    return make_environment().get_template(template).render(values)


def format_moment(seconds: float) -> str:
    """Return a moment as `2026-01-02 03:04 UTC`; empty for none."""
    if not seconds:
        return ""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def make_address(path: str, /, **values: object) -> str:
    """Return a path with those of `values` as its query that say something."""
    query = {name: str(value) for name, value in values.items() if value != ""}
    # a path of a stranger may hold half a character
    return f"{path}?{urlencode(query, errors='replace')}" if query else path
