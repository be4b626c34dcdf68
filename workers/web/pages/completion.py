"""Page `/completion`: what may follow in the box of the query language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from storage.index.query.fields import FIELDS
from storage.index.query.quoting import quote_value
from storage.index.query.terms import Field, FieldKind
from storage.interfaces import KernelIndex
from workers.web.answers import answer_json
from workers.web.context import get_context

ROUTER: Final = APIRouter()
_MAX_WORDS: Final = 12
_COUNTED_KERNELS: Final = 2000
_MAX_END_CHARACTERS: Final = 300
"""Of a query that are looked at: searching its end takes as long as the square of them."""
# the end of what stands in the box, which no parser takes
_VALUE: Final = re.compile(
    r"(?<![A-Za-z_])([A-Za-z_]+)(?:\.([\w:+.\-]+))?\s*(?:!=|=|~)\s*(\S*)$"
)
_NAME: Final = re.compile(r"(?<![A-Za-z_])[A-Za-z_]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What may stand in place of the end of a query."""

    start: int
    """Where that end begins, from 0."""
    words: tuple[str, ...]


@ROUTER.get("/completion", response_model=Completion)
def complete_query(
    request: Request,
    q: Annotated[str, Query(max_length=4096, description="The query so far.")] = "",
) -> Response:
    """Return fields, or values of the field that was begun, that fit the end of a query."""
    return answer_json(make_completion(get_context(request).storage.index, q))


def make_completion(index: KernelIndex, query: str) -> Completion:
    """Return what may follow a query."""
    begin = max(0, len(query) - _MAX_END_CHARACTERS)
    end = query[begin:]
    value = _VALUE.search(end)
    if value and value[1] in FIELDS:
        start = begin + value.start(3)
        words = _find_values(index, value)
    else:
        name = _NAME.search(end)
        assert name, "it matches the empty word"
        start = begin + name.start()
        words = _find_fields(name[0].lower())

    return Completion(start=start, words=tuple(words[:_MAX_WORDS]))


def _find_values(index: KernelIndex, value: re.Match[str]) -> list[str]:
    field, target, beginning = value.groups()
    text = beginning.strip('"').lower()
    words = _list_values(index, FIELDS[field], target or "")
    return [word for word in words if text in word.lower()]


def _find_fields(beginning: str) -> list[str]:
    fields = [field for field in sorted(FIELDS) if field.startswith(beginning)]
    return [f"{field} = " for field in fields]


def _list_values(index: KernelIndex, field: Field, target: str) -> list[str]:
    if field.choices:
        return list(field.choices)
    if field.kind is FieldKind.FLAG:
        return ["true", "false"]
    if field.kind is FieldKind.NUMBER:
        return []

    counts = index.count_values(field.name, among=_COUNTED_KERNELS)
    values = [count.value for count in counts if count.target in ("", target)]
    return [quote_value(value) if " " in value else value for value in values]
