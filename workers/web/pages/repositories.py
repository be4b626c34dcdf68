"""Page `/repositories`: what was crawled, and what owners' listings left out, and why."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from crawler import optouts
from storage.open import Storage
from workers.config.settings import Settings
from workers.web.answers import JSON_AND_HTML, answer
from workers.web.context import get_context
from workers.web.rendering import make_address

ROUTER: Final = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryLine:
    """A repository of which something is known."""

    name: str
    """`OWNER/NAME`, or the name alone."""
    source: str
    url: str
    licence: str
    commits: int
    """That were crawled."""
    listed_as: str
    """`wanted`, `passed-over` or `vanished`; empty where no owner was listed."""
    reason: str
    """Why it was passed over."""
    is_opted_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryListing:
    """Some repositories, by their names."""

    named: str
    """What their names contain."""
    repositories: tuple[RepositoryLine, ...]
    is_counted: bool
    """Whether they could be read at once; else ask again."""
    next_page: str


@ROUTER.get("/repositories", response_model=RepositoryListing, responses=JSON_AND_HTML)
def list_repositories(
    request: Request,
    named: Annotated[str, Query(max_length=200, description="Part of a name.")] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    after: Annotated[str, Query(max_length=1000)] = "",
) -> Response:
    """Show repositories."""
    cached_lines = get_repository_lines(request)
    lines = [line for line in cached_lines or () if named.lower() in line.name.lower()]
    start = bisect_right(lines, after, key=lambda line: line.name) if after else 0
    shown_lines = lines[start : start + limit]
    next_page = ""
    if start + limit < len(lines):
        next_page = make_address(
            "/repositories", named=named, limit=limit, after=shown_lines[-1].name
        )
    listing = RepositoryListing(
        named=named,
        repositories=tuple(shown_lines),
        is_counted=cached_lines is not None,
        next_page=next_page,
    )
    return answer(request, "repositories.html", listing)


def get_repository_lines(request: Request) -> list[RepositoryLine] | None:
    """Return all repositories by name; `None` while they are first being read."""
    context = get_context(request)
    cached_lines = context.slow_values.get(
        "repositories", lambda: _read_lines(context.storage, context.settings)
    )
    return cached_lines.value if cached_lines else None


def _read_lines(storage: Storage, settings: Settings) -> list[RepositoryLine]:
    excluded = optouts.read_optouts(settings.optouts)
    lines: dict[tuple[str, str], RepositoryLine] = {}
    counts: dict[tuple[str, str], int] = {}
    for repo in storage.index.repos():
        key = repo.label, repo.source
        counts[key] = counts.get(key, 0) + 1
        lines[key] = RepositoryLine(
            name=repo.label,
            source=repo.source,
            url=repo.url,
            licence=repo.licence.spdx,
            commits=counts[key],
            listed_as="",
            reason="",
            is_opted_out=excluded.covers_repository(repo),
        )

    for listed in storage.source_memory.listed_repositories():
        repo = listed.repo
        key = repo.label, repo.source
        lines[key] = RepositoryLine(
            name=repo.label,
            source=repo.source,
            url=repo.url,
            licence=repo.licence.spdx,
            commits=counts.get(key, 0),
            listed_as=listed.state,
            reason=listed.reason,
            is_opted_out=excluded.covers_repository(repo),
        )

    return [lines[key] for key in sorted(lines)]
