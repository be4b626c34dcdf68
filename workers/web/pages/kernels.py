"""Page `/kernels`: the query language in one box, facets beside it, results as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from crawler.errors import Misconfigured
from storage.errors import BadQuery
from storage.index.query.conditions import iter_terms
from storage.index.query.fields import FIELDS
from storage.index.query.parser import parse_query
from storage.index.query.quoting import quote_value
from storage.interfaces import KernelRow, Place
from storage.kernel_counts import ValueCount
from workers.cli.kernels.value_hints import iter_value_hints
from workers.reviews.blindness import refuse_review_terms
from workers.web.access.person import Person, get_person
from workers.web.answers import (
    JSON_AND_HTML,
    WITHOUT_NUL,
    answer,
    describe_answers,
)
from workers.web.context import WebContext, get_context
from workers.web.errors import Problem
from workers.web.places import kernel_address, place_of
from workers.web.rendering import make_address

ROUTER: Final = APIRouter()
_FACETS: Final = (
    "review",
    "class",
    "licence_class",
    "dialect",
    "found_by",
    "pass_call",
    "pass_exe",
)
_FACET_VALUES: Final = 6
_FACET_KERNELS: Final = 100
"""Kernels whose values are counted: counting all would take longer the more there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetValue:
    """A value that narrows what is looked for."""

    term: str
    """What is added to the query."""
    kernels: int
    """How many of the first kernels have it."""
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelLine:
    """A kernel among the results."""

    address: str
    """Of its page."""
    row: KernelRow
    """As `kernelset query --json` prints it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelListing:
    """Some kernels that match, in the order of their places."""

    query: str
    crawl: str
    kernels: tuple[KernelLine, ...]
    facets: dict[str, tuple[FacetValue, ...]]
    """Field to its most frequent values, among the first kernels that match."""
    facet_kernels: int
    """Among how many they were counted, at most."""
    next_page: str
    """Address of what follows; empty at the end."""
    problem: str
    """What is wrong with the query, and where; empty where nothing is."""
    hints: tuple[str, ...]
    """Where nothing matches: values of the query that no kernel has, and what is like them."""


@ROUTER.get(
    "/kernels",
    response_model=KernelListing,
    responses=JSON_AND_HTML | describe_answers(400, model=KernelListing | Problem),
)
def list_kernels(
    request: Request,
    q: Annotated[str, Query(max_length=4096, description="The query.")] = "",
    crawl: Annotated[
        str, Query(max_length=100, pattern=WITHOUT_NUL, description="Only of it.")
    ] = "",
    limit: Annotated[int, Query(ge=1, le=100, description="Kernels of a page.")] = 25,
    after: Annotated[
        str, Query(max_length=9000, description="What `next_page` says.")
    ] = "",
) -> Response:
    """Show the kernels that match a query."""
    context = get_context(request)
    place = parse_place(after)
    is_blind = hides_reviews(get_person(request))
    try:
        if is_blind:
            refuse_review_terms(q)
        listing = _make_listing(context, q, crawl, limit, place)
    except BadQuery as error:
        listing = _describe_problem(q, crawl, str(error))
    status = 400 if listing.problem else 200
    return answer(
        request,
        "kernels.html",
        _hide_reviews(listing) if is_blind else listing,
        status=status,
        fields=sorted(FIELDS.keys() - ({"review"} if is_blind else set())),
        is_blind=is_blind,
        is_first=place is None,
    )


def _make_listing(
    context: WebContext, query: str, crawl: str, limit: int, after: Place | None
) -> KernelListing:
    index = context.storage.index
    facets: dict[str, tuple[FacetValue, ...]] = {}
    if after:
        rows = list(index.query(query, crawl=crawl, limit=limit + 1, after=after))
    else:
        rows, counts = index.query_with_facets(
            _FACETS, query, crawl=crawl, limit=limit + 1, among=_FACET_KERNELS
        )
        facets = _describe_facets(counts, query, crawl)
    shown_rows = rows[:limit]

    next_page = ""
    if len(rows) > limit:
        place = format_place(place_of(shown_rows[-1]))
        next_page = make_address(
            "/kernels", q=query, crawl=crawl, limit=limit, after=place
        )
    return KernelListing(
        query=query,
        crawl=crawl,
        kernels=tuple(
            KernelLine(address=kernel_address(place_of(row)), row=row)
            for row in shown_rows
        ),
        facets=facets,
        facet_kernels=_FACET_KERNELS,
        next_page=next_page,
        problem="",
        hints=() if shown_rows or after else _find_hints(context, query),
    )


def _find_hints(context: WebContext, query: str) -> tuple[str, ...]:
    """Return what is like the value of a query of one term; empty while it is looked for.

    All values of the index are counted for it, which nobody may ask for many times at once.
    """
    terms = tuple(iter_terms(parse_query(query)))
    if len(terms) != 1 or len(terms[0].values) != 1:
        return ()
    hints = context.slow_values.get(
        f"hints {query}",
        lambda: tuple(iter_value_hints(context.storage.index, query)),
    )
    return hints.value if hints else ()


def _describe_problem(query: str, crawl: str, problem: str) -> KernelListing:
    return KernelListing(
        query=query,
        crawl=crawl,
        kernels=(),
        facets={},
        facet_kernels=_FACET_KERNELS,
        next_page="",
        problem=problem,
        hints=(),
    )


def _describe_facets(
    counts_of_fields: Mapping[str, Sequence[ValueCount]], query: str, crawl: str
) -> dict[str, tuple[FacetValue, ...]]:
    """Return the values of each field that narrow a query, the most frequent first."""
    facets: dict[str, tuple[FacetValue, ...]] = {}
    for field, counts in counts_of_fields.items():
        values: list[FacetValue] = []
        for count in counts[:_FACET_VALUES]:
            name = f"{field}.{count.target}" if count.target else field
            term = f"{name} = {_spell_value(count.value)}"
            narrowed = f"({query}) and {term}" if query.strip() else term
            address = make_address("/kernels", q=narrowed, crawl=crawl)
            values.append(FacetValue(term=term, kernels=count.kernels, address=address))
        # a value that all have narrows nothing
        if len(values) > 1:
            facets[field] = tuple(values)

    return facets


def _spell_value(value: str) -> str:
    is_plain = value.replace("-", "").replace("_", "").isalnum() and value.isascii()
    return value if is_plain else quote_value(value)


def hides_reviews(person: Person) -> bool:
    """Return whether a person is to stay blind to what others said.

    Who has no name may be a reviewer who has not logged in.
    """
    return not person.name or person.is_reviewer


def _hide_reviews(listing: KernelListing) -> KernelListing:
    kernels = tuple(
        replace(line, row=replace(line.row, review="")) for line in listing.kernels
    )
    facets = {name: rest for name, rest in listing.facets.items() if name != "review"}
    return replace(listing, kernels=kernels, facets=facets)


def format_place(place: Place) -> str:
    """Return a place as one word of an address."""
    return "\0".join((place.repo, place.commit, place.path, str(place.offset)))


def parse_place(text: str) -> Place | None:
    """Return the place that `format_place` wrote; `None` for none. Raises `Misconfigured`."""
    if not text:
        return None

    parts = text.split("\0")
    offset = parts[-1]
    is_number = offset.isdecimal() and len(offset) < 19
    is_place = len(parts) == 4 and is_number
    if not is_place or any("\ud800" <= character <= "\udfff" for character in text):
        raise Misconfigured(
            "`after` is not what a page gave: begin at the first page",
            code="bad-request",
        )
    repo, commit, path, offset = parts
    return Place(repo, commit, path, int(offset))
