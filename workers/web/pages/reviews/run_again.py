"""Address `/reviews/UNIT/run`: a kernel is run again, on hidden cases and new inputs."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from crawler.errors import NotFound
from crawler.judging.judge_program import JudgeOptions
from workers.judging.own_candidates import build_own_tasks, list_own_candidates
from workers.reviews.hand_out import find_record
from workers.web.access.rate_limits import limit_changes
from workers.web.access.session import OwnForm, Reviewer
from workers.web.context import get_context
from workers.web.errors import answer_problem
from workers.web.pages.judge import JudgingFull, queue_judging
from workers.web.pages.reviews.review import UnitPath

ROUTER: Final = APIRouter()
_CASE_SECONDS: Final = 60
_NO_TEST: Final = "no-test"


@ROUTER.post(
    "/reviews/{unit}/run",
    dependencies=[Depends(limit_changes), OwnForm],
    status_code=303,
    response_class=RedirectResponse,
)
def run_again(request: Request, unit: UnitPath, person: Reviewer) -> Response:
    """Have workers run a unit and its port again, and lead to where that is shown."""
    context = get_context(request)
    record = find_record(context.storage.index, unit)
    if record is None:
        raise NotFound("no unit has this digest: `/kernels` lists what there is")

    tasks = build_own_tasks(record, context.storage.blobs.get)
    if not tasks:
        message = (
            "there is nothing to run it by: no run of it on a CPU left cases; "
            "`kernelset crawl … --device cpu` makes some"
        )
        return answer_problem(request, 422, _NO_TEST, message)

    try:
        judging = queue_judging(
            context,
            list_own_candidates(record, tasks),
            lambda task_id, language: tasks.get(language, _NO_TEST),
            options=JudgeOptions(case_seconds=_CASE_SECONDS),
            name=person.name,
        )
    except JudgingFull:
        message = "too much waits to be run already: try again in a minute"
        return answer_problem(request, 429, "judging-full", message)

    return RedirectResponse(f"/reviews/{unit}?run={judging}", 303)
