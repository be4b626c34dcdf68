"""Commands `review list` and `review agreement`: all that was said, and how far people agree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import format_table, print_json, print_line, print_note

if TYPE_CHECKING:
    from crawler.model import Review
    from crawler.reviews.agreement import Agreement

_NOTHING_REVIEWED = "nothing was reviewed yet: `kernelset review next` begins"


def list_reviews(
    context: typer.Context,
    state: Annotated[
        str,
        typer.Option(
            help="Only units in this state: accepted, rejected, needs-work, disputed."
        ),
    ] = "",
    by: Annotated[
        str, typer.Option(metavar="NAME", help="Only what this reviewer said.")
    ] = "",
    as_json: JsonOption = False,
) -> int:
    """Print what reviewers last said of each unit.

    It shows everything to everybody: whoever is to stay blind asks for `review next` instead.
    """
    from crawler.codec import to_builtins
    from workers.config.configured_storage import open_configured_storage

    rows: list[tuple[str, ...]] = []
    with open_configured_storage(context_settings(context)) as storage:
        for unit_state, review in _iter_newest(storage.reviews.reviews()):
            if (state and unit_state != state) or (by and review.reviewer != by):
                continue
            rows.append((review.unit[:12], unit_state, review.verdict, review.reviewer))
            if as_json:
                print_json({"state": unit_state, **to_builtins(review)})

    for line in () if as_json else format_table(rows):
        print_line(line)
    if not rows:
        print_note("nothing matches" if state or by else _NOTHING_REVIEWED)
    return DONE if rows else NOTHING


def _iter_newest(reviews: Iterator[Review]) -> Iterator[tuple[str, Review]]:
    """Yield the last review of each unit and reviewer, behind the unit's state."""
    from crawler.model import decide_review_state, select_newest_reviews

    for _, unit_reviews in groupby(reviews, lambda review: review.unit):
        history = list(unit_reviews)
        state = decide_review_state(history)
        for review in select_newest_reviews(history):
            yield state.value, review


def agreement(context: typer.Context, as_json: JsonOption = False) -> int:
    """Print how far reviewers agree, and what is disputed.

    Agreement is beyond chance (Cohen's kappa). Of each reviewer the first verdict on a unit
    counts, which was given blind.
    """
    from crawler.codec import to_builtins
    from crawler.reviews.agreement import measure_agreement
    from workers.config.configured_storage import open_configured_storage

    with open_configured_storage(context_settings(context)) as storage:
        measured = measure_agreement(storage.reviews.reviews())

    if as_json:
        print_json(to_builtins(measured))
    else:
        for line in format_table(_iter_agreement_rows(measured)):
            print_line(line)
    if not measured.reviewed:
        print_note(_NOTHING_REVIEWED)
    return DONE if measured.reviewed else NOTHING


def _iter_agreement_rows(measured: Agreement) -> Iterator[tuple[str, str, str]]:
    states = ", ".join(f"{name} {count}" for name, count in measured.by_state.items())
    yield "units reviewed", str(measured.reviewed), states
    agreeing = f"{measured.agreeing} agree, kappa {format_kappa(measured.kappa)}"
    yield "by two or more", str(measured.twice), agreeing
    for pair in measured.pairs:
        share = f"{pair.agreeing} agree, kappa {format_kappa(pair.kappa)}"
        yield " and ".join(pair.reviewers), str(pair.units), share
    for unit in measured.disputed:
        yield "disputed", unit[:12], ""


def format_kappa(kappa: float | None) -> str:
    """Return kappa with two decimals; it is not defined where chance explains everything."""
    return "not defined" if kappa is None else f"{kappa:.2f}"
