"""Choose where a database begins to look for a page: among few kernels, or in the order of pages.

SQLite knows too little of how often a value stands in a column. Left alone it collects all kernels
with a tag that half of them have, and sorts these for a page of fifty. So the values of a query
are counted first, up to a bound: the rarest leads, and where none is rare, kernels are gone through
in the order of their places until a page is full. Postgres keeps statistics of values, and none of
how many kernels have a verdict or a review, which are of units: it needs the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Select, func, select, union_all

from crawler.model import ReviewState
from storage.database.engine import is_embedded
from storage.index.query.column_conditions import equals_any
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

MAX_CANDIDATES: Final = 5_000
"""Kernels that are sorted for a page sooner than that all are gone through for it."""


_FIELDS_ABOUT_UNITS: Final = ("pass_call", "fidelity", "pass_exe", "review")


@dataclass(frozen=True, slots=True)
class Candidates:
    """Kernels among which are all that meet a condition."""

    kernels: Select[Any]
    """The query for their ids."""
    counted: tuple[Select[Any], ...]
    """Queries for the rows of one index each that lead to them, in whatever order."""


_Finders = Mapping[str, Callable[[Term], Candidates | None]]


def choose_candidates(
    connection: Connection, condition: Condition
) -> Select[Any] | None:
    """Return the query for the ids of the fewest kernels among which are all that meet the
    condition; `None` where there are too many.
    """
    fewest: Select[Any] | None = None
    fewest_count = MAX_CANDIDATES + 1
    finders = _FINDERS
    if not is_embedded(connection.engine):
        # of other fields Postgres knows how frequent their values are
        finders = {name: _FINDERS[name] for name in _FIELDS_ABOUT_UNITS}
    for candidates in _iter_candidates(condition, finders):
        count = _count_up_to(connection, candidates, fewest_count)
        if count < fewest_count:
            fewest, fewest_count = candidates.kernels, count

    return fewest


def _count_up_to(connection: Connection, candidates: Candidates, bound: int) -> int:
    """Return how many rows lead to them, or the bound where there are as many or more."""
    count = 0
    for rows in candidates.counted:
        first_rows = rows.limit(bound - count).subquery()
        statement = select(func.count()).select_from(first_rows)
        count += connection.scalar(statement) or 0
        if count >= bound:
            break

    return count


def _iter_candidates(condition: Condition, finders: _Finders) -> Iterator[Candidates]:
    operands: tuple[Condition, ...] = (condition,)
    if isinstance(condition, Conjunction):
        operands = condition.operands
    for operand in operands:
        candidates = _find_candidates(operand, finders)
        if candidates is not None:
            yield candidates


def _find_candidates(condition: Condition, finders: _Finders) -> Candidates | None:
    if isinstance(condition, Term):
        find = finders.get(condition.field.name)
        is_equality = condition.operator in {"=", "~"}
        return find(condition) if find and is_equality else None
    if isinstance(condition, Disjunction):
        return _unite_candidates(condition, finders)
    return None


def _unite_candidates(condition: Disjunction, finders: _Finders) -> Candidates | None:
    parts: list[Candidates] = []
    for operand in condition.operands:
        candidates = _find_candidates(operand, finders)
        if candidates is None:
            return None
        parts.append(candidates)
    if not parts:
        return None

    kernels = union_all(*(part.kernels for part in parts))
    counted = tuple(rows for part in parts for rows in part.counted)
    return Candidates(select(kernels.subquery()), counted)


def _make_candidates(
    kernels: Select[Any], counted: Select[Any] | None = None
) -> Candidates:
    return Candidates(kernels, (kernels if counted is None else counted,))


def _find_by_tag(term: Term) -> Candidates:
    is_equal = equals_any(KERNEL_TAG.c.tag, term)
    return _make_candidates(select(KERNEL_TAG.c.kernel).where(is_equal))


def _find_by_class(term: Term) -> Candidates:
    return _find_by_tag(to_class_tags(term))


def _find_by_operator(term: Term) -> Candidates:
    is_equal = equals_any(KERNEL_OPERATOR.c.name, term)
    return _make_candidates(select(KERNEL_OPERATOR.c.kernel).where(is_equal))


def _find_by_instantiation(term: Term) -> Candidates:
    is_equal = equals_any(INSTANTIATION.c.label, term)
    return _make_candidates(select(INSTANTIATION.c.kernel).where(is_equal))


def _find_by_licence(term: Term) -> Candidates:
    column = KERNEL.c[term.field.name]
    return _make_candidates(select(KERNEL.c.id).where(equals_any(column, term)))


def _find_by_near_cluster(term: Term) -> Candidates | None:
    # a kernel without a text has no row
    if _matches(term, ""):
        return None
    is_equal = equals_any(DEFINITION.c.near_cluster, term)
    texts = select(DEFINITION.c.digest).where(is_equal)
    is_of_text = KERNEL.c.definition.in_(texts)
    return _make_candidates(select(KERNEL.c.id).where(is_of_text), texts)


def _find_by_review(term: Term) -> Candidates | None:
    # of which there is no row
    if _matches(term, ReviewState.UNREVIEWED.value):
        return None
    is_equal = equals_any(REVIEW_STATE.c.state, term)
    units = select(REVIEW_STATE.c.unit).where(is_equal)
    return _make_candidates(select(KERNEL.c.id).where(KERNEL.c.unit.in_(units)), units)


def _find_by_build(term: Term) -> Candidates:
    column = BUILD.c.status if term.field.name == "pass_call" else BUILD.c.fidelity
    return _find_by_verdict(term, BUILD, column, BUILD.c.target)


def _find_by_run(term: Term) -> Candidates:
    return _find_by_verdict(term, RUN, RUN.c.exe_status, RUN.c.device)


def _find_by_verdict(term: Term, verdict: Any, column: Any, place: Any) -> Candidates:
    # older verdicts are among them: which one is the newest is for the condition to say
    conditions = [equals_any(column, term)]
    if term.target:
        conditions.append(place == term.target)
    units = select(verdict.c.unit).where(*conditions)
    ported_units = select(PORT.c.unit).where(PORT.c.ported.in_(units))

    of_own_unit = select(KERNEL.c.id).where(KERNEL.c.unit.in_(units))
    of_port = select(KERNEL.c.id).where(KERNEL.c.unit.in_(ported_units))
    kernels = union_all(of_own_unit, of_port)
    return _make_candidates(select(kernels.subquery()), units)


def _find_by_text(term: Term) -> Candidates:
    return _make_candidates(select_kernels_with_text(term))


def _matches(term: Term, text: str) -> bool:
    return any(isinstance(value, Glob) and value.matches(text) for value in term.values)


_FINDERS: Final[_Finders] = {
    "tag": _find_by_tag,
    "class": _find_by_class,
    "operator": _find_by_operator,
    "instantiation": _find_by_instantiation,
    "licence": _find_by_licence,
    "licence_class": _find_by_licence,
    "near_cluster": _find_by_near_cluster,
    "review": _find_by_review,
    "pass_call": _find_by_build,
    "fidelity": _find_by_build,
    "pass_exe": _find_by_run,
    "text": _find_by_text,
}
