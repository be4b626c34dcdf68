"""Address `/judge`: programs have candidates judged, by workers; nothing is compiled here."""

from __future__ import annotations

import io
import threading
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from crawler.errors import Misconfigured, TooLarge
from crawler.judging.candidate import Candidate
from crawler.judging.candidate_files import read_candidate_lines
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judging_device import check_device_name, require_arch
from crawler.validate.cpu.result import CPU_DEVICE
from storage.ledger.interface import Stage
from workers.judging.judge_candidates import TaskFinder
from workers.judging.judging_request import open_judging
from workers.judging.task_finders import StoredTasks
from workers.local.crawl import check_targets
from workers.web.access.rate_limits import limit_changes
from workers.web.access.session import OwnProgram, Reviewer
from workers.web.answers import answer_json
from workers.web.context import WebContext, get_context
from workers.web.errors import answer_problem

ROUTER: Final = APIRouter()
MAX_BODY_BYTES: Final = 8 << 20
MAX_CANDIDATES: Final = 1000
MAX_TASKS: Final = 100
"""Kernels of one request, in a language each: they are looked up while it waits."""
MAX_WAITING_BATCHES: Final = 1000
"""Of all requests: an hour or two of a machine with two cores."""
_MAX_SECONDS: Final = 60
_RETRY_SECONDS: Final = 60
_OPENING: Final = threading.BoundedSemaphore(2)
"""Requests of this server that are looked at in the same moment."""
_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "description": "Candidates as JSON lines, as `kernelset judge` reads them: "
        '`{"task_id": …, "completion": …}`.',
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
}
SecondsQuery = Annotated[
    int,
    Query(ge=1, le=_MAX_SECONDS, description="Of the processor, that a case may take."),
]

DeviceQuery = Annotated[
    str,
    Query(max_length=64, description="What runs them: `cpu`, `rocm:gfx942`, …"),
]
StepsQuery = Annotated[
    bool, Query(description="Whether steps of right ones are counted, on a CPU.")
]
TargetsQuery = Annotated[
    str,
    Query(max_length=256, description="What they have to compile for: `gfx90a,sm_80`."),
]
TimesQuery = Annotated[
    bool, Query(description="Whether right ones are timed, on a GPU.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingAccepted:
    """Candidates wait to be judged."""

    id: str
    url: str
    """Where their judgements come to be."""
    candidates: int


class JudgingFull(Exception):
    """As much waits as may."""


@ROUTER.post(
    "/judge",
    dependencies=[Depends(limit_changes), OwnProgram],
    status_code=202,
    response_model=JudgingAccepted,
    openapi_extra=_BODY,
    # what is longer is refused below, in words that say what to do
    max_body_size=2 * MAX_BODY_BYTES,
)
async def judge_candidates(
    request: Request,
    person: Reviewer,
    seconds: SecondsQuery = _MAX_SECONDS,
    device: DeviceQuery = CPU_DEVICE,
    *,
    steps: StepsQuery = False,
    times: TimesQuery = False,
    targets: TargetsQuery = "",
) -> Response:
    """Have candidates judged; the same ones again are the same judging."""
    body = await _read_body(request)
    context = get_context(request)
    try:
        options = JudgeOptions(
            device=device,
            case_seconds=seconds,
            counts_steps=steps,
            takes_times=times,
            targets=tuple(filter(None, targets.split(","))),
        )
        _require_possible(options)
        candidates = _parse_candidates(body)
    except Misconfigured as problem:
        return answer_problem(request, 422, problem.code, str(problem))

    try:
        judging = await run_in_threadpool(
            queue_judging,
            context,
            candidates,
            StoredTasks(context.storage).find,
            options=options,
            name=person.name,
        )
    except JudgingFull:
        message = "too many candidates wait to be judged already: send these later"
        response = answer_problem(request, 429, "judging-full", message)
        response.headers["Retry-After"] = str(_RETRY_SECONDS)
        return response

    url = f"/judge/{judging}"
    accepted = JudgingAccepted(id=judging, url=url, candidates=len(candidates))
    response = answer_json(accepted, status=202)
    response.headers["Location"] = url
    return response


async def _read_body(request: Request) -> bytes:
    """Return the body; raises `TooLarge` without reading more than may be kept."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY_BYTES:
            raise TooLarge(
                f"{MAX_BODY_BYTES >> 20} MiB are the most: send fewer candidates at a time"
            )
        parts.append(part)
    return b"".join(parts)


def _require_possible(options: JudgeOptions) -> None:
    """Raise `Misconfigured` for what cannot be asked for."""
    check_device_name(options.device)
    require_arch(options.device)
    if options.targets:
        check_targets(options.targets)
    options.require_measurable()


def _parse_candidates(body: bytes) -> list[Candidate]:
    candidates: list[Candidate] = []
    for candidate in read_candidate_lines(io.BytesIO(body), "the body"):
        candidates.append(candidate)
        if len(candidates) > MAX_CANDIDATES:
            raise TooLarge(
                f"{MAX_CANDIDATES} candidates are the most: send fewer at a time"
            )
    if not candidates:
        raise Misconfigured(
            'the body has no candidate: send lines such as {"task_id": …, "completion": …}',
            code="bad-candidates",
        )

    tasks = {(candidate.task_id, candidate.language) for candidate in candidates}
    if len(tasks) > MAX_TASKS:
        raise TooLarge(
            f"candidates for {MAX_TASKS} tasks are the most: send fewer at a time"
        )
    return candidates


def queue_judging(
    context: WebContext,
    candidates: list[Candidate],
    find_task: TaskFinder,
    *,
    options: JudgeOptions,
    name: str,
) -> str:
    """Have workers judge candidates for the person called `name`, and return the judging's id.

    Raises `JudgingFull`.
    """
    if not _OPENING.acquire(blocking=False):
        raise JudgingFull
    try:
        storage = context.storage
        waiting = storage.ledger.count_unfinished("", (Stage.JUDGE,))
        if waiting >= MAX_WAITING_BATCHES:
            raise JudgingFull
        judging = open_judging(
            candidates,
            find_task,
            storage,
            options=options,
            account=f"judge:{name}",
        )
        storage.requests.record("web judge", name, crawl=judging)
    finally:
        _OPENING.release()

    if context.judging_pool is not None:
        context.judging_pool.add(judging)
    return judging
