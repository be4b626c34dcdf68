"""Choose where SQLite begins to look for a page: among few kernels, or in the order of pages.

SQLite knows too little of how often a value stands in a column. Left alone it collects all kernels
with a tag that half of them have, and sorts these for a page of fifty. So the values of a query
are counted first, up to a bound: the rarest leads, and where none is rare, kernels are gone through
in the order of their places until a page is full. Postgres keeps statistics and needs none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from sqlalchemy import Connection, Select, func, select, union_all

from crawler.model import ReviewState
from storage.index.query.column_conditions import equals_any, starts_with_any
from storage.index.query.conditions import Condition, Conjunction, Disjunction
from storage.index.query.glob import Glob
from storage.index.query.member_conditions import to_class_tags
from storage.index.query.terms import Term
from storage.index.query.text_conditions import select_kernels_with_text
from storage.tables import (
    BUILD,
    DEFINITION,
    INSTANTIATION,
    KERNEL,
    KERNEL_OPERATOR,
    KERNEL_TAG,
    PORT,
    REVIEW_STATE,
    RUN,
)

MAX_CANDIDATES: Final = 10_000
"""Kernels that are sorted for a page sooner than that all are gone through for it."""
Candidates = Select[Any]
"""The query for the ids of at least all kernels that meet a condition."""


def choose_candidates(
    connection: Connection, condition: Condition
) -> Candidates | None:
    """Return the fewest kernels that an index leads to and that hold all that meet the condition;
    `None` where there are too many.
    """
    fewest: Candidates | None = None
    fewest_count = MAX_CANDIDATES + 1
    for candidates in _iter_candidates(condition):
        count = count_up_to(connection, candidates, fewest_count)
        if count < fewest_count:
            fewest, fewest_count = candidates, count

    return fewest


def count_up_to(connection: Connection, candidates: Candidates, bound: int) -> int:
    """Return how many there are, or the bound where there are as many or more."""
    some = select(candidates.limit(bound).subquery())
    return connection.scalar(select(func.count()).select_from(some.subquery())) or 0


def _iter_candidates(condition: Condition) -> Iterator[Candidates]:
    operands: tuple[Condition, ...] = (condition,)
    if isinstance(condition, Conjunction):
        operands = condition.operands
    for operand in operands:
        candidates = _candidates_of(operand)
        if candidates is not None:
            yield candidates


def _candidates_of(condition: Condition) -> Candidates | None:
    if isinstance(condition, Term):
        find = _FINDERS.get(condition.field.name)
        is_equality = condition.operator in {"=", "~"}
        return find(condition) if find and is_equality else None
    if not isinstance(condition, Disjunction):
        return None

    parts: list[Candidates] = []
    for operand in condition.operands:
        candidates = _candidates_of(operand)
        if candidates is None:
            return None
        parts.append(candidates)
    if not parts:
        return None
    return select(union_all(*parts).subquery())


def _tagged(term: Term) -> Candidates:
    return select(KERNEL_TAG.c.kernel).where(equals_any(KERNEL_TAG.c.tag, term))


def _classified(term: Term) -> Candidates:
    return _tagged(to_class_tags(term))


def _reached(term: Term) -> Candidates:
    columns = KERNEL_OPERATOR.c
    return select(columns.kernel).where(equals_any(columns.name, term))


def _instantiated(term: Term) -> Candidates:
    columns = INSTANTIATION.c
    return select(columns.kernel).where(equals_any(columns.label, term))


def _licensed(term: Term) -> Candidates:
    column = KERNEL.c[term.field.name]
    return select(KERNEL.c.id).where(equals_any(column, term))


def _named(term: Term) -> Candidates | None:
    is_start = starts_with_any(KERNEL.c.name, term)
    return None if is_start is None else select(KERNEL.c.id).where(is_start)


def _near(term: Term) -> Candidates | None:
    # a kernel without a text has no row
    if _matches(term, ""):
        return None
    is_equal = equals_any(DEFINITION.c.near_cluster, term)
    is_own = KERNEL.c.definition == DEFINITION.c.digest
    return select(KERNEL.c.id).where(is_equal, is_own)


def _reviewed(term: Term) -> Candidates | None:
    # of which there is no row
    if _matches(term, ReviewState.UNREVIEWED.value):
        return None
    is_equal = equals_any(REVIEW_STATE.c.state, term)
    is_own = KERNEL.c.unit == REVIEW_STATE.c.unit
    return select(KERNEL.c.id).where(is_equal, is_own)


def _built(term: Term) -> Candidates:
    column = BUILD.c.status if term.field.name == "pass_call" else BUILD.c.fidelity
    return _judged(term, BUILD, column, BUILD.c.target)


def _ran(term: Term) -> Candidates:
    return _judged(term, RUN, RUN.c.exe_status, RUN.c.device)


def _judged(term: Term, verdict: Any, column: Any, place: Any) -> Candidates:
    # older verdicts are among them: which one is the newest is for the condition to say
    wanted = [equals_any(column, term)]
    if term.target:
        wanted.append(place == term.target)
    is_own = KERNEL.c.unit == verdict.c.unit
    is_of_port = PORT.c.ported == verdict.c.unit, KERNEL.c.unit == PORT.c.unit
    own = select(KERNEL.c.id).where(*wanted, is_own)
    of_port = select(KERNEL.c.id).where(*wanted, *is_of_port)
    return select(union_all(own, of_port).subquery())


def _matches(term: Term, text: str) -> bool:
    return any(isinstance(value, Glob) and value.matches(text) for value in term.values)


_FINDERS: Final[dict[str, Callable[[Term], Candidates | None]]] = {
    "tag": _tagged,
    "class": _classified,
    "operator": _reached,
    "instantiation": _instantiated,
    "licence": _licensed,
    "licence_class": _licensed,
    "name": _named,
    "near_cluster": _near,
    "review": _reviewed,
    "pass_call": _built,
    "fidelity": _built,
    "pass_exe": _ran,
    "text": select_kernels_with_text,
}
