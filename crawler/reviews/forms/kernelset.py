"""Form `kernelset`: whole reviews, one a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from crawler.codec import to_builtins
from crawler.model import Review
from crawler.reviews.form_interface import ReviewForm, bad_form
from crawler.reviews.material import ReviewMaterial

_SCHEMA_NAME: Final = "kernelset.review/1"


class Kernelset:
    """Reviews as they are kept, with their history."""

    name = "kernelset"
    summary = "a review, as it is kept"

    def make_lines(
        self, material: ReviewMaterial, history: Iterable[Review]
    ) -> Iterator[Mapping[str, Any]]:
        """Yield the reviews of a unit, the oldest first."""
        for review in history:
            yield {"schema": _SCHEMA_NAME, **to_builtins(review)}

    def read_reviews(
        self, value: Mapping[str, Any], default_time: float
    ) -> Iterator[Review]:
        """Yield the review."""
        if value.get("schema") != _SCHEMA_NAME:
            raise bad_form(f"it does not say that it is a `{_SCHEMA_NAME}`")

        try:
            review = msgspec.convert(value, Review)
        except msgspec.ValidationError as error:
            raise bad_form(str(error)) from None
        yield review


PLUGIN: Final[ReviewForm] = Kernelset()
