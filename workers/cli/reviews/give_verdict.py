"""Commands `review accept`, `review reject` and `review needs-work`: give a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import JsonOption, context_settings
from workers.cli.reviews.review_options import (
    CommentOption,
    MetOption,
    NoteOption,
    ReviewerOption,
    UnitArgument,
    UnmetOption,
    choose_reviewer,
    find_unit,
    parse_comment,
    parse_items,
)
from workers.cli.terminal import escape_line, print_json, print_line

if TYPE_CHECKING:
    from crawler.model import ReviewVerdict


def accept(
    context: typer.Context,
    which: UnitArgument,
    met: MetOption = "",
    note: NoteOption = "",
    comment: CommentOption = None,
    reviewer: ReviewerOption = "",
    as_json: JsonOption = False,
) -> int:
    """Accept a unit: what was looked at holds."""
    from crawler.model import ReviewVerdict

    return _give(
        context,
        which,
        ReviewVerdict.ACCEPTED,
        (met, ""),
        note,
        comment or [],
        reviewer,
        as_json=as_json,
    )


def reject(
    context: typer.Context,
    which: UnitArgument,
    met: MetOption = "",
    unmet: UnmetOption = "",
    note: NoteOption = "",
    comment: CommentOption = None,
    reviewer: ReviewerOption = "",
    as_json: JsonOption = False,
) -> int:
    """Reject a unit: it is not fit for a dataset, and you say why."""
    from crawler.model import ReviewVerdict

    return _give(
        context,
        which,
        ReviewVerdict.REJECTED,
        (met, unmet),
        note,
        comment or [],
        reviewer,
        as_json=as_json,
    )


def needs_work(
    context: typer.Context,
    which: UnitArgument,
    met: MetOption = "",
    unmet: UnmetOption = "",
    note: NoteOption = "",
    comment: CommentOption = None,
    reviewer: ReviewerOption = "",
    as_json: JsonOption = False,
) -> int:
    """Say that a unit would do once something is mended, and what."""
    from crawler.model import ReviewVerdict

    return _give(
        context,
        which,
        ReviewVerdict.NEEDS_WORK,
        (met, unmet),
        note,
        comment or [],
        reviewer,
        as_json=as_json,
    )


def _give(
    context: typer.Context,
    which: str,
    verdict: ReviewVerdict,
    checklist: tuple[str, str],
    note: str,
    comments: list[str],
    reviewer: str,
    *,
    as_json: bool,
) -> int:
    from crawler.model import Review, decide_review_state
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)
    met, unmet = checklist
    with open_configured_storage(settings) as storage:
        unit = find_unit(storage.index, which)
        if not unit:
            return NOTHING
        review = Review(
            unit=unit,
            reviewer=choose_reviewer(settings, reviewer),
            verdict=verdict,
            met=parse_items(met),
            unmet=parse_items(unmet),
            note=note,
            comments=tuple(map(parse_comment, comments)),
            reviewed_at=storage.clock(),
        )
        storage.reviews.put([review])
        state = decide_review_state(storage.reviews.history(review.unit))

    if as_json:
        values = {"unit": review.unit, "reviewer": review.reviewer}
        print_json({**values, "verdict": verdict.value, "state": state.value})
    else:
        said = f"{review.unit[:12]} {verdict} by {review.reviewer}"
        print_line(escape_line(f"{said}; its reviewers come to: {state}"))
    return DONE
