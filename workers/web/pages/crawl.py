"""Page `/crawls/ID`: how far a crawl is, what it came to, and what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from crawler.errors import NotFound
from storage.kernel_counts import StepTotals
from storage.ledger.crawls.crawl_summary import CrawlSummary
from storage.ledger.dispatch.worker_registry import RegisteredWorker
from storage.ledger.interface import Stage, State
from storage.open import Storage
from workers.status.crawl_status import CrawlStatus, StageProgress
from workers.web.access.person import Person, get_person
from workers.web.answers import JSON_AND_HTML, WITHOUT_NUL, answer
from workers.web.context import get_context

ROUTER: Final = APIRouter()
CrawlPath = Annotated[str, Path(pattern=WITHOUT_NUL, description="A crawl's id.")]
_MAX_EXAMPLE_CHARACTERS: Final = 500
_MAX_LOCATORS: Final = 20
_PRIVATE_STAGES: Final = frozenset({Stage.JUDGE.value})
"""Those whose messages may quote what somebody sent to be judged."""
_RUNNING_STAGES: Final = frozenset({Stage.VALIDATE_CPU, Stage.VALIDATE_DEVICE})
"""Those that run kernels, where somebody asks for it."""
_PRIVATE_EXAMPLE: Final = (
    "it may quote a candidate: log in as a reviewer or an operator to read it, or look the code up "
    "in docs/operating.md"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StageLine:
    """How far a stage is."""

    stage: str
    states: dict[str, int]
    """State to tasks."""
    done_share: float
    """Of its tasks, those that have ended."""
    per_minute: float | None
    """Tasks that end; null before there were two looks to tell."""
    tasks_left: int
    seconds_left: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureGroup:
    """Tasks that ended with the same code."""

    code: str
    stage: str
    state: str
    """`failed`, or `rejected`, which is no error."""
    tasks: int
    example: str
    """The message of one of them, which ends with what to do.

    Of judgings only reviewers and operators see it.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class FunnelStep:
    """How many came through to a step."""

    name: str
    number: int
    share: float
    """Of the first step of its kind."""
    query: str
    """What lists them among kernels; empty where nothing does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlPage:
    """A crawl, or all of them."""

    crawl: str
    locators: tuple[str, ...]
    """What was asked for, the first 20; empty of all, and while crawls are being counted."""
    state: str
    """`active`, `paused`, `cancelled`, `complete` or `complete_with_blocked`; empty of all."""
    stages: tuple[StageLine, ...]
    total: StageLine | None
    """Null while tasks are first being counted."""
    workers: tuple[RegisteredWorker, ...]
    unserved: dict[str, int]
    """Queue that nobody serves to ready tasks."""
    abandoned: int
    """Running tasks whose process is gone."""
    unasked_runs: int
    """Tasks that run kernels, where these alone are left and nobody works on them."""
    funnel: tuple[FunnelStep, ...]
    funnel_at: float
    """When the funnel was counted, in seconds since 1970; 0 while it is first being counted."""
    failures: tuple[FailureGroup, ...] | None
    """By stage and code, the most frequent first; null while they are first being counted."""


@ROUTER.get("/crawls/{crawl}", response_model=CrawlPage, responses=JSON_AND_HTML)
def show_crawl(request: Request, crawl: CrawlPath) -> Response:
    """Show a crawl; `all` means all of them."""
    context = get_context(request)
    storage = context.storage
    name = "" if crawl == "all" else crawl
    stored_state = storage.ledger.crawl_state(name) if name else ""
    if name and not stored_state:
        raise NotFound("no crawl has this id: `/crawls` lists them")

    listed, status, failures, funnel = context.slow_values.get_together(
        {
            "crawls": storage.ledger.crawls,
            f"status {name}": lambda: context.read_status(name),
            f"failures {name}": lambda: tuple(_iter_failures(storage, name)),
            f"funnel {name}": lambda: _count_steps(storage, name),
        },
        long={f"funnel {name}"},
    ).values()
    page = CrawlPage(
        crawl=name,
        locators=_find_locators(listed.value if listed else (), name),
        **_describe_status(status.value if status else None, stored_state),
        funnel=tuple(_iter_steps(*funnel.value)) if funnel else (),
        funnel_at=funnel.computed_at if funnel else 0.0,
        failures=hide_private(failures.value, get_person(request))
        if failures
        else None,
    )
    # a column of which every line is empty only pushes others out of sight
    counted = page.total.states if page.total else {}
    states = [state.value for state in State if counted.get(state.value)]
    return answer(request, "crawl.html", page, states=states)


def _find_locators(crawls: tuple[CrawlSummary, ...], name: str) -> tuple[str, ...]:
    for crawl in crawls:
        if crawl.id == name:
            return crawl.locators[:_MAX_LOCATORS]

    return ()


def hide_private(
    failures: tuple[FailureGroup, ...], person: Person
) -> tuple[FailureGroup, ...]:
    """Return the failures as a person may see them."""
    if person.is_reviewer:
        return failures
    return tuple(
        replace(failure, example=_PRIVATE_EXAMPLE)
        if failure.stage in _PRIVATE_STAGES
        else failure
        for failure in failures
    )


def _describe_status(status: CrawlStatus | None, stored_state: str) -> dict[str, Any]:
    if status is None:
        return {
            "state": stored_state,
            "stages": (),
            "total": None,
            "workers": (),
            "unserved": {},
            "abandoned": 0,
            "unasked_runs": 0,
        }
    order = list(Stage)
    stages = sorted(status.stages.items(), key=lambda entry: order.index(entry[0]))
    return {
        "state": status.state,
        "stages": tuple(
            _make_line(stage.value, progress) for stage, progress in stages
        ),
        "total": _make_line("all", status.total),
        "workers": status.workers,
        "unserved": dict(status.blocked_queues),
        "abandoned": status.abandoned,
        "unasked_runs": _count_unasked_runs(status),
    }


def _count_unasked_runs(status: CrawlStatus) -> int:
    """Return how many tasks run kernels, where nothing else is left and nobody works.

    A crawl on one machine ends so unless `--device` asks it to run what it found.
    """
    if status.workers or status.total.states.get(State.RUNNING):
        return 0
    left = sum(
        progress.tasks_left
        for stage, progress in status.stages.items()
        if stage in _RUNNING_STAGES
    )
    return left if left == status.total.tasks_left else 0


def _make_line(stage: str, progress: StageProgress) -> StageLine:
    tasks = sum(progress.states.values())
    ended = tasks - progress.tasks_left
    return StageLine(
        stage=stage,
        states={state.value: count for state, count in progress.states.items()},
        done_share=ended / tasks if tasks else 1.0,
        per_minute=progress.per_minute,
        tasks_left=progress.tasks_left,
        seconds_left=progress.seconds_left if progress.tasks_left else 0.0,
    )


def _count_steps(storage: Storage, crawl: str) -> tuple[int, StepTotals]:
    """Return how many repositories were looked into, and what came of them."""
    repositories = sum(
        number
        for stage, state, _, number in storage.ledger.task_counts(crawl)
        if stage is Stage.CLONE and state is State.DONE
    )
    return repositories, storage.index.step_totals(crawl=crawl)


def _iter_steps(repositories: int, totals: StepTotals) -> Iterator[FunnelStep]:
    yield _make_step("repositories looked into", repositories, 0, "")
    yield _make_step("files with kernels", totals.files, 0, "")
    yield _make_step("kernels", totals.kernels, 0, "superseded = false")
    units = totals.units
    yield _make_step("distinct units cut out", units, units, 'digest != ""')
    yield _make_step("units ported to HIP", totals.ported, units, "port = *")
    for title, field, places in (
        ("compiled for", "pass_call", totals.compiled),
        ("ran on", "pass_exe", totals.ran),
    ):
        yield from _iter_place_steps(title, field, places, units)


def _iter_place_steps(
    title: str, field: str, places: Mapping[str, Mapping[str, int]], units: int
) -> Iterator[FunnelStep]:
    good = ("pass", "consistent", "conditional")
    for place, statuses in places.items():
        number = sum(statuses.get(status, 0) for status in good)
        query = f"{field}.{place} = {','.join(good)}"
        yield _make_step(f"{title} {place}", number, units, query)


def _make_step(name: str, number: int, base: int, query: str) -> FunnelStep:
    share = number / base if base else float(bool(number))
    return FunnelStep(name=name, number=number, share=min(share, 1.0), query=query)


def _iter_failures(storage: Storage, crawl: str) -> Iterator[FailureGroup]:
    """Yield what failed by stage and code, the most frequent first."""
    counts: Counter[tuple[str, str, str]] = Counter()
    examples: dict[tuple[str, str, str], str] = {}
    for failure in storage.ledger.failures(crawl):
        key = failure.code, failure.stage.value, failure.state.value
        counts[key] += 1
        message = f"{failure.subject}: {failure.message.strip()}"
        examples.setdefault(key, message[:_MAX_EXAMPLE_CHARACTERS])

    for key, number in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])):
        code, stage, state = key
        yield FailureGroup(
            code=code, stage=stage, state=state, tasks=number, example=examples[key]
        )
