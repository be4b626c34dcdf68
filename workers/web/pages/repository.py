"""Page `/repository`: the commits of one repository, what they gave, and what went wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from crawler.errors import NotFound
from crawler.model import Repo
from storage.index.query.quoting import quote_value
from storage.kernel_counts import ValueCount
from workers.web.answers import JSON_AND_HTML, answer
from workers.web.context import get_context
from workers.web.pages.repositories import RepositoryLine, get_repository_lines

ROUTER: Final = APIRouter()
_COUNTED_KERNELS: Final = 2000
_FIELDS: Final = ("licence", "found_by", "pass_call", "pass_exe", "reasons", "class")


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryPage:
    """A repository."""

    name: str
    lines: tuple[RepositoryLine, ...]
    """One for each source that has a repository of this name."""
    commits: tuple[Repo, ...]
    """That were crawled."""
    counts: dict[str, tuple[ValueCount, ...]]
    """Field to its values among the kernels, with how many of the first have them."""
    query: str
    """What lists its kernels."""


@ROUTER.get("/repository", response_model=RepositoryPage, responses=JSON_AND_HTML)
def show_repository(
    request: Request,
    name: Annotated[str, Query(max_length=1000, description="`OWNER/NAME`.")],
) -> Response:
    """Show a repository."""
    context = get_context(request)
    index = context.storage.index
    cached_commits = context.slow_values.get("commits", index.repos)
    commits = [
        repo
        for repo in (cached_commits.value if cached_commits else ())
        if repo.label == name
    ]
    lines = [line for line in get_repository_lines(request) or () if line.name == name]
    if cached_commits and not commits and not lines:
        raise NotFound("no repository has this name: `/repositories` lists them")

    query = f"repo = {quote_value(name)}"
    _, counts_of_fields = index.query_with_facets(
        _FIELDS, query, limit=0, among=_COUNTED_KERNELS
    )
    page = RepositoryPage(
        name=name,
        lines=tuple(lines),
        commits=tuple(commits),
        counts={
            field: tuple(counts[:12]) for field, counts in counts_of_fields.items()
        },
        query=query,
    )
    return answer(request, "repository.html", page)
