"""Commands `review accept`, `review reject` and `review needs-work`: give a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Remarks:
    """What a reviewer says beside the verdict, as it was typed."""

    met: str
    unmet: str = ""
    note: str
    comments: list[str] | None


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
    remarks = _Remarks(met=met, note=note, comments=comment)
    return _give(context, which, "accepted", remarks, reviewer, as_json=as_json)


def _make_objection(verdict: str, description: str) -> Callable[..., int]:
    """Return the command of a verdict that says what does not hold."""

    def object_to(
        context: typer.Context,
        which: UnitArgument,
        met: MetOption = "",
        unmet: UnmetOption = "",
        note: NoteOption = "",
        comment: CommentOption = None,
        reviewer: ReviewerOption = "",
        as_json: JsonOption = False,
    ) -> int:
        remarks = _Remarks(met=met, unmet=unmet, note=note, comments=comment)
        return _give(context, which, verdict, remarks, reviewer, as_json=as_json)

    object_to.__doc__ = description
    return object_to


reject = _make_objection(
    "rejected", "Reject a unit: it is not fit for a dataset, and you say why."
)
needs_work = _make_objection(
    "needs-work", "Say that a unit would do once something is mended, and what."
)


def _give(
    context: typer.Context,
    which: str,
    verdict_name: str,
    remarks: _Remarks,
    reviewer: str,
    *,
    as_json: bool,
) -> int:
    from crawler.model import Review, ReviewVerdict, decide_review_state
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)
    verdict = ReviewVerdict(verdict_name)
    with open_configured_storage(settings) as storage:
        unit = find_unit(storage.index, which)
        if not unit:
            return NOTHING
        review = Review(
            unit=unit,
            reviewer=choose_reviewer(settings, reviewer),
            verdict=verdict,
            met=parse_items(remarks.met),
            unmet=parse_items(remarks.unmet),
            note=remarks.note,
            comments=tuple(map(parse_comment, remarks.comments or ())),
            reviewed_at=storage.clock(),
        )
        storage.reviews.put([review])
        state = decide_review_state(storage.reviews.history(review.unit))

    if as_json:
        values = {"unit": review.unit, "reviewer": review.reviewer}
        print_json({**values, "verdict": verdict.value, "state": state.value})
    else:
        summary = f"{review.unit[:12]} {verdict} by {review.reviewer}"
        print_line(escape_line(f"{summary}; its reviewers come to: {state}"))
    return DONE
