"""Pages for what cannot be answered: what is wrong, its code, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from crawler.errors import CrawlError, NotFound, TooLarge, Transient
from workers.web.answers import answer, describe_answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a request could not be answered."""

    code: str
    message: str
    """For a person; it ends with what to do."""


PROBLEMS: Final = describe_answers(
    400, 401, 403, 404, 413, 422, 429, 502, 503, model=Problem
)
"""What the description of the interface says of what cannot be answered."""


def add_error_pages(app: FastAPI) -> None:
    """Answer every expected error with a page."""
    app.add_exception_handler(CrawlError, _answer_crawl_error)
    app.add_exception_handler(HTTPException, _answer_http_error)
    app.add_exception_handler(RequestValidationError, _answer_invalid_request)


async def _answer_crawl_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, CrawlError)
    if isinstance(error, NotFound):
        status = 404
    elif isinstance(error, TooLarge):
        status = 413
    elif isinstance(error, Transient):
        status = 503
    else:
        status = 400
    return answer_problem(request, status, error.code, str(error))


async def _answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    response = answer_problem(
        request, error.status_code, f"http-{error.status_code}", str(error.detail)
    )
    response.headers.update(error.headers or {})
    return response


async def _answer_invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [
        f"{'.'.join(str(word) for word in problem['loc'][1:])}: {problem['msg']}"
        for problem in error.errors()
    ]
    message = "; ".join(problems)[:500]
    return answer_problem(request, 422, "bad-request", f"{message}: mend the address")


def answer_problem(request: Request, status: int, code: str, message: str) -> Response:
    """Return the page that says why a request could not be answered."""
    problem = Problem(code=code, message=message)
    return answer(request, "problem.html", problem, status=status)
