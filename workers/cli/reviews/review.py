"""Commands `review next` and `review show`: what is to be judged, and what was said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import ExpressionArgument, JsonOption, context_settings
from workers.cli.reviews.review_options import (
    ReviewerOption,
    UnitArgument,
    choose_reviewer,
    find_unit,
)
from workers.cli.reviews.review_report import print_material, print_reviews
from workers.cli.terminal import escape_line, print_json, print_note

if TYPE_CHECKING:
    from storage.open import Storage


def next_kernel(
    context: typer.Context,
    expression: ExpressionArgument = "",
    reviewer: ReviewerOption = "",
    minutes: Annotated[
        float, typer.Option(min=1.0, help="How long it is held for you.")
    ] = 60.0,
    as_json: JsonOption = False,
) -> int:
    """Hand out a kernel that needs a look and that nobody else has.

    Those on which reviewers differ come first, then those that one other has reviewed, then
    those that nobody has.
    """
    from workers.config.configured_storage import open_configured_storage
    from workers.reviews.hand_out import hand_out_kernel

    settings = context_settings(context)
    name = choose_reviewer(settings, reviewer)
    with open_configured_storage(settings) as storage:
        row = hand_out_kernel(
            storage.index, storage.reviews, name, expression, seconds=60 * minutes
        )
        if row is None:
            print_note("nothing is left that you could review")
            return NOTHING
        _print_unit(storage, row.digest, name, as_json=as_json)

    return DONE


def show(
    context: typer.Context,
    which: UnitArgument,
    reviewer: ReviewerOption = "",
    as_json: JsonOption = False,
) -> int:
    """Print what is to be judged of a unit, and what was said of it.

    What others said is shown once you have given a verdict of your own.
    """
    from workers.config.configured_storage import open_configured_storage

    settings = context_settings(context)
    name = choose_reviewer(settings, reviewer)
    with open_configured_storage(settings) as storage:
        unit = find_unit(storage.index, which)
        if not unit:
            return NOTHING
        _print_unit(storage, unit, name, as_json=as_json)

    return DONE


def _print_unit(storage: Storage, unit: str, reviewer: str, *, as_json: bool) -> None:
    from crawler.codec import to_builtins
    from crawler.dataset.review_material import make_review_material
    from workers.reviews.blindness import may_see_others, select_visible_reviews
    from workers.reviews.hand_out import find_record

    record = find_record(storage.index, unit)
    assert record, "its digest was found in the index"
    material = make_review_material(record, storage.blobs.get)
    visible = select_visible_reviews(record.reviews, reviewer)
    if as_json:
        print_json({**to_builtins(material), "reviews": to_builtins(visible)})
        return

    print_material(material)
    print_reviews(visible)
    if not may_see_others(record.reviews, reviewer):
        note = f"what others said is shown once {reviewer} has given a verdict"
        print_note(escape_line(note))
