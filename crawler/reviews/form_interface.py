"""Interface of the forms in which reviews are exchanged, and what several of them share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from crawler.errors import Misconfigured
from crawler.model import Review
from crawler.plugins import load_plugins
from crawler.reviews.material import ReviewMaterial

Choice = TypeVar("Choice", bound=StrEnum)


class ReviewForm(Protocol):
    """A form; one file each, which ends with `PLUGIN: Final[ReviewForm]`."""

    name: str
    """What `--form` takes."""
    summary: str
    """What a line of it is, for a person."""

    def make_lines(
        self, material: ReviewMaterial, history: Iterable[Review]
    ) -> Iterator[Mapping[str, Any]]:
        """Yield what is written of one unit, a JSON object a line."""
        ...

    def read_reviews(
        self, value: Mapping[str, Any], default_time: float
    ) -> Iterator[Review]:
        """Yield the reviews that such an object holds once people have answered it.

        `default_time` is that of reviews which do not say when they were given. Raises
        `Misconfigured` (`bad-review`) for an object of another form.
        """
        ...


def load_forms() -> dict[str, ReviewForm]:
    """Return all forms by their names."""
    forms = load_plugins("crawler.reviews.forms", ReviewForm)
    return {form.name: form for form in forms}


def bad_form(reason: str) -> Misconfigured:
    """Return the error for an object that is not of a form."""
    return Misconfigured(
        f"{reason}: see that the file has the form that `--form` names",
        code="bad-review",
    )


def read_choice(kind: type[Choice], value: object) -> Choice:
    """Return the member that a word names, written with any of `-`, `_` and spaces."""
    word = "-".join(str(value).strip().lower().replace("_", " ").split())
    try:
        return kind(word)
    except ValueError:
        choices = ", ".join(kind)
        raise bad_form(f"`{str(value)[:60]}` is none of {choices}") from None


def read_time(value: object, default_time: float) -> float:
    """Return the seconds since 1970 of a date as JSON writes it."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return default_time
    if isinstance(value, (int, float)):
        return float(value)

    try:
        date = datetime.fromisoformat(value)
    except ValueError:
        return default_time
    # a date without a zone is taken to be in UTC, so that it is the same on every machine
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
