"""Read-only queries of the task table: counts, results and failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Engine, Select, func, literal_column, select

from storage.database.engine import read_transaction
from storage.ledger.crawls.crawl_membership import active_memberships, is_in_crawl
from storage.ledger.interface import UNFINISHED_STATES, Claim, Failure, Stage, State
from storage.tables import TASK, WAIT

# a literal: the planner uses a partial index only where it can see its condition
IS_READY: Final = TASK.c.state == literal_column(f"'{State.READY}'")
_LabelledCounts = list[tuple[dict[str, str], float]]

_RECENT_TASKS: Final = 20_000
"""The newest, by their numbers, that tell how long a task takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStatistics:
    """Numbers of tasks, and how long the oldest have waited."""

    tasks: _LabelledCounts
    """By stage, queue and state."""
    finished_tasks: _LabelledCounts
    """By stage and code."""
    oldest_seconds: dict[str, float]
    """Queue to the age of its oldest claimable task, in seconds."""
    expected_seconds: dict[str, float]
    """Queue to the seconds that its claimable tasks would take one process, by the mean of its
    newest tasks that are done; without queues in which none of these is.
    """


def has_running_task(connection: Connection) -> bool:
    """Return whether any task is leased."""
    is_running = TASK.c.state == State.RUNNING.value
    running = select(TASK.c.id).where(is_running).limit(1)
    task = connection.scalar(running)

    return task is not None


def read_children_results(engine: Engine, claim: Claim) -> tuple[tuple[str, str], ...]:
    """Return (payload, result) of every child that a task waited for and that is done."""
    is_child = TASK.c.id == WAIT.c.child
    is_of_claim = WAIT.c.task == claim.id
    is_done = TASK.c.state == State.DONE.value
    statement = select(TASK.c.payload, TASK.c.result)
    statement = statement.join_from(WAIT, TASK, is_child)
    statement = statement.where(is_of_claim, is_done)

    return _read_pairs(engine, statement.order_by(TASK.c.id))


def read_results(
    engine: Engine, stage: Stage, crawl: str
) -> tuple[tuple[str, str], ...]:
    """Return (subject, result) of the tasks of `stage` that are done."""
    is_of_stage = TASK.c.stage == stage.value
    is_done = TASK.c.state == State.DONE.value
    statement = select(TASK.c.subject, TASK.c.result)
    statement = statement.where(is_of_stage, is_done, is_in_crawl(crawl))

    return _read_pairs(engine, statement.order_by(TASK.c.id))


def _read_pairs(engine: Engine, statement: Any) -> tuple[tuple[str, str], ...]:
    with read_transaction(engine) as connection:
        rows = connection.execute(statement)
        return tuple((first, second) for first, second in rows)


def read_root_payloads(engine: Engine, stage: Stage) -> tuple[str, ...]:
    """Return the payloads of the tasks of `stage` that no task spawned, oldest first."""
    is_of_stage = TASK.c.stage == stage.value
    is_root = TASK.c.parent.is_(None)
    statement = select(TASK.c.payload).where(is_of_stage, is_root)
    ordered = statement.order_by(TASK.c.id)

    with read_transaction(engine) as connection:
        return tuple(connection.scalars(ordered))


def count_unfinished(engine: Engine, crawl: str, stages: tuple[Stage, ...]) -> int:
    """Count the unfinished tasks of a crawl, in `stages` or in all."""
    is_unfinished = TASK.c.state.in_(UNFINISHED_STATES)
    statement = select(func.count()).select_from(TASK)
    statement = statement.where(is_unfinished, is_in_crawl(crawl))
    if stages:
        names = [stage.value for stage in stages]
        is_of_stages = TASK.c.stage.in_(names)
        statement = statement.where(is_of_stages)

    with read_transaction(engine) as connection:
        number = connection.scalar(statement)

    return number or 0


def count_tasks(
    engine: Engine, crawl: str
) -> tuple[tuple[Stage, State, str, int], ...]:
    """Return (stage, state, code, number), in the order of the pipeline."""
    groups = TASK.c.stage, TASK.c.state, TASK.c.code
    statement = select(*groups, func.count())
    statement = statement.where(is_in_crawl(crawl)).group_by(*groups)
    counts: list[tuple[Stage, State, str, int]] = []

    with read_transaction(engine) as connection:
        for stage, state, code, number in connection.execute(statement):
            counts.append((Stage(stage), State(state), code, number))

    # the database would sort stages by their names
    order = list(Stage)
    counts.sort(key=lambda count: (order.index(count[0]), count[1], count[2]))

    return tuple(counts)


def read_failures(engine: Engine, crawl: str) -> tuple[Failure, ...]:
    """Return the tasks that failed or were rejected, oldest first."""
    columns = (
        TASK.c.id,
        TASK.c.stage,
        TASK.c.subject,
        TASK.c.state,
        TASK.c.code,
        TASK.c.message,
        TASK.c.attempt,
    )
    failed_states = State.FAILED.value, State.REJECTED.value
    has_failed = TASK.c.state.in_(failed_states)
    statement = select(*columns).where(has_failed, is_in_crawl(crawl))
    ordered = statement.order_by(TASK.c.ended_at, TASK.c.id)

    with read_transaction(engine) as connection:
        rows = connection.execute(ordered).all()

    return tuple(_make_failure(row) for row in rows)


def _make_failure(row: Any) -> Failure:
    return Failure(
        id=row.id,
        stage=Stage(row.stage),
        subject=row.subject,
        state=State(row.state),
        code=row.code,
        message=row.message,
        attempts=row.attempt,
    )


def read_statistics(engine: Engine, clock: Callable[[], float]) -> TaskStatistics:
    """Count tasks by stage, queue and state, and those that ended by their codes."""
    groups = TASK.c.stage, TASK.c.queue, TASK.c.state, TASK.c.code
    counted = select(*groups, func.count())
    counted = counted.group_by(*groups).order_by(*groups)

    queue = TASK.c.queue
    claimable = select(queue, func.min(TASK.c.created_at), func.count())
    claimable = claimable.where(IS_READY, active_memberships().exists())
    claimable = claimable.group_by(queue).order_by(queue)

    with read_transaction(engine) as connection:
        counts = connection.execute(counted).all()
        claimable_rows = connection.execute(claimable).all()
        seconds_rows = connection.execute(_select_mean_seconds()).all()

    tasks: Counter[tuple[str, ...]] = Counter()
    finished_tasks: Counter[tuple[str, ...]] = Counter()

    for stage, queue_name, state, code, number in counts:
        tasks[stage, queue_name, state] += number
        # tasks that are done have no code
        if State(state).is_finished:
            finished_tasks[stage, code or "done"] += number

    # after the query: a task may be younger than the time before it
    now = clock()
    mean_seconds = {row[0]: row[1] for row in seconds_rows}
    oldest_seconds: dict[str, float] = {}
    expected_seconds: dict[str, float] = {}
    for queue_name, created_at, number in claimable_rows:
        oldest_seconds[queue_name] = max(0.0, now - created_at)
        if queue_name in mean_seconds:
            expected_seconds[queue_name] = number * mean_seconds[queue_name]

    return TaskStatistics(
        tasks=_label_counts(tasks, ("stage", "queue", "state")),
        finished_tasks=_label_counts(finished_tasks, ("stage", "code")),
        oldest_seconds=oldest_seconds,
        expected_seconds=expected_seconds,
    )


def _select_mean_seconds() -> Select[Any]:
    """Return the query for how long a task of each queue takes, from its lease to its end.

    Of the newest tasks: it is asked at each scrape, and what was long ago says little.
    """
    queue = TASK.c.queue
    mean = func.avg(TASK.c.ended_at - TASK.c.leased_at)
    is_done = TASK.c.state == State.DONE.value
    newest_id = select(func.max(TASK.c.id)).scalar_subquery()
    is_recent = TASK.c.id > newest_id - _RECENT_TASKS
    return select(queue, mean).where(is_recent, is_done).group_by(queue)


def _label_counts(
    counts: Counter[tuple[str, ...]], labels: tuple[str, ...]
) -> _LabelledCounts:
    labelled: _LabelledCounts = []
    for values, number in counts.items():
        names = dict(zip(labels, values, strict=True))
        labelled.append((names, number))

    return labelled
