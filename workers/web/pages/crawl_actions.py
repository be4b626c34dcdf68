"""Addresses `/crawls/ID/ACTION`: retry, pause, resume and cancel, for operators."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from crawler.errors import NotFound
from workers.judging.judging_request import is_judging
from workers.web.access.rate_limits import limit_changes
from workers.web.access.session import Operator, OwnForm
from workers.web.context import get_context
from workers.web.pages.crawl import CrawlPath

ROUTER: Final = APIRouter()


class CrawlAction(StrEnum):
    """What an operator may do to a crawl."""

    RETRY = "retry"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"


@ROUTER.post(
    "/crawls/{crawl}/{action}",
    dependencies=[Depends(limit_changes), OwnForm],
    status_code=303,
    response_class=RedirectResponse,
)
def change_crawl(
    request: Request, crawl: CrawlPath, action: CrawlAction, person: Operator
) -> Response:
    """Change a crawl as the command of the same name does."""
    context = get_context(request)
    ledger = context.storage.ledger
    if not ledger.crawl_state(crawl):
        raise NotFound("no crawl has this id: `/crawls` lists them")

    context.storage.requests.record(f"web {action}", person.name, crawl=crawl)
    if action is CrawlAction.RETRY:
        ledger.retry(crawl=crawl)
    elif action is CrawlAction.PAUSE:
        ledger.pause(crawl)
    elif action is CrawlAction.RESUME:
        ledger.resume(crawl)
    else:
        ledger.cancel(crawl)

    goes_on = action in (CrawlAction.RETRY, CrawlAction.RESUME)
    if goes_on and context.judging_pool and is_judging(crawl, context.storage):
        context.judging_pool.add(crawl)
    for key in ("crawls", f"status {crawl}", f"failures {crawl}"):
        context.slow_values.forget(key)
    return RedirectResponse(f"/crawls/{crawl}", 303)
