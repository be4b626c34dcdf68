"""Address `/judge/ID`: how far a judging is, and what came of its candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from crawler.errors import NotFound
from crawler.judging.judgement import Judgement
from crawler.judging.pass_rates import PassRates, count_pass_rates
from workers.judging.judging_request import Judging, read_judging
from workers.web.access.session import Reviewer
from workers.web.answers import answer_json
from workers.web.context import WebContext, get_context

ROUTER: Final = APIRouter()
_MAX_PAGE: Final = 500
_KS: Final = (1, 10, 100)
JudgingPath = Annotated[
    str, Path(pattern="^[0-9a-f]{12}$", description="A judging's id.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingPage:
    """How far a judging is, and some of its judgements."""

    id: str
    state: str
    """`active`, `paused`, `cancelled` or `complete`."""
    candidates: int
    judged: int
    """Candidates whose judgements are there."""
    failures: dict[str, int]
    """Code to batches of at most eight answers that ended with it, without judgements."""
    problem: str
    """What keeps it waiting, and what to do; empty where nothing does."""
    rates: tuple[PassRates, ...]
    """Of those that are judged: all, then by class, language and licence."""
    judgements: tuple[Judgement, ...]
    """By task and number; of cases, those that exports show."""
    next_start: int | None
    """Where the next page begins; null where this is the last."""


@ROUTER.get("/judge/{judging}", response_model=JudgingPage)
def show_judging(
    request: Request,
    judging: JudgingPath,
    person: Reviewer,
    start: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=_MAX_PAGE)] = 100,
) -> Response:
    """Show how far a judging is, and its judgements from `start` on."""
    context = get_context(request)
    judging_state = read_judging(judging, context.storage)
    if judging_state is None:
        raise NotFound("no judging has this id: `POST /judge` gives one")

    end = start + limit
    page = JudgingPage(
        id=judging_state.id,
        state=judging_state.state,
        candidates=judging_state.candidates,
        judged=len(judging_state.judgements),
        failures=judging_state.failures,
        problem=_find_problem(judging_state, context),
        rates=tuple(count_pass_rates(judging_state.judgements, _KS)),
        judgements=judging_state.judgements[start:end],
        next_start=end if end < len(judging_state.judgements) else None,
    )
    return answer_json(page)


def _find_problem(judging: Judging, context: WebContext) -> str:
    if judging.state != "active":
        return ""
    if context.judging_pool is not None:
        return context.judging_pool.problem

    registry = context.storage.worker_registry
    if registry.is_crawl_blocked(judging.id, context.settings.autoscaled):
        return (
            f"no worker serves the queue `{judging.queue}`: start `kernelset worker` on a "
            "machine that can"
        )
    return ""
