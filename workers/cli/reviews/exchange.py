"""Commands `review export` and `review import`: reviews for and from other programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crawler.errors import Misconfigured
from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.exports.export_values import refuse_to_overwrite
from workers.cli.options import ExpressionArgument, JsonOption, context_settings
from workers.cli.terminal import escape_line, print_json, print_line, print_note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.model import Review
    from crawler.reviews.form_interface import ReviewForm
    from storage.open import Storage

FormOption = Annotated[
    str,
    typer.Option(
        "--form",
        help="kernelset: whole reviews; argilla, label-studio: what is to be labelled there, "
        "and what was.",
    ),
]
_UNITS_PER_WRITE = 500


def export_reviews(
    context: typer.Context,
    destination: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write.")
    ],
    expression: ExpressionArgument = "",
    form: FormOption = "kernelset",
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file where there is one.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Write reviews, or kernels to be labelled elsewhere.

    One JSON object a line.
    """
    from crawler.codec import encode
    from crawler.dataset.destination import create_file_atomically
    from workers.config.configured_storage import open_configured_storage

    chosen_form = _find_form(form)
    refuse_to_overwrite(destination, force)

    count = 0
    with (
        open_configured_storage(context_settings(context)) as storage,
        create_file_atomically(destination) as file,
    ):
        for line in _iter_lines(storage, expression, chosen_form):
            file.write(encode(line) + b"\n")
            count += 1

    if as_json:
        print_json({"lines": count, "file": str(destination)})
    else:
        print_line(escape_line(f"{count} lines in {destination}"))
    return DONE if count else NOTHING


def _iter_lines(
    storage: Storage, expression: str, form: ReviewForm
) -> Iterator[Mapping[str, object]]:
    from crawler.dataset.review_material import make_review_material
    from storage.index.query.parser import parse_query

    # parsed by itself: it must be whole before it stands in brackets
    parse_query(expression)
    # of a unit that stands at many places, the first speaks
    seen_units: set[str] = set()
    chosen = f"({expression}) and" if expression.strip() else ""
    for record in storage.index.records(f'{chosen} digest != "" and superseded=false'):
        unit = record.kernel.unit
        if unit is None or unit.digest in seen_units:
            continue
        seen_units.add(unit.digest)
        material = make_review_material(record, storage.blobs.get)
        yield from form.make_lines(material, record.reviews)


def import_reviews(
    context: typer.Context,
    source: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="JSON objects, one a line or in a list."),
    ],
    form: FormOption = "kernelset",
    as_json: JsonOption = False,
) -> int:
    """Read reviews that were given elsewhere.

    What is there already stays as it is. All of a file is taken, or nothing where anything in
    it is wrong.
    """
    from crawler.reviews.review_file import iter_file_reviews
    from workers.config.configured_storage import open_configured_storage

    reviews: list[Review] = list(iter_file_reviews(source, _find_form(form)))
    with open_configured_storage(context_settings(context)) as storage:
        try:
            added = storage.reviews.put(reviews)
        except KeyError as error:
            raise Misconfigured(
                f"no unit has the digest {error.args[0]}: crawl what the file is about"
                " first",
                code="bad-review",
            ) from None

    if as_json:
        print_json({"read": len(reviews), "added": added})
    elif reviews:
        print_line(f"{added} of {len(reviews)} reviews are new")
    else:
        print_note("the file holds no review")
    return DONE if reviews else NOTHING


def _find_form(name: str) -> ReviewForm:
    from crawler.reviews.form_interface import load_forms

    forms = load_forms()
    if name not in forms:
        raise Misconfigured(
            f"no form is called {name!r}: give one of {', '.join(sorted(forms))}",
            code="bad-form",
        )
    return forms[name]
