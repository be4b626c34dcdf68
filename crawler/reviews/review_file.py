"""Read reviews out of a file that another program may have written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from crawler.errors import Misconfigured
from crawler.model import Review
from crawler.reviews.check_review import check_review
from crawler.reviews.form_interface import ReviewForm

_MAX_BYTES: Final = 1 << 30


def iter_file_reviews(path: Path, form: ReviewForm) -> Iterator[Review]:
    """Yield the reviews of a file with a JSON object a line, or with one JSON list of them.

    A review that does not say when it was given has the time of the file, so that the same file
    twice adds nothing. Raises `Misconfigured` (`bad-review`) with the number of the object.
    """
    status = path.stat()
    if status.st_size > _MAX_BYTES:
        raise Misconfigured(
            f"{path.name} is larger than {_MAX_BYTES >> 20} MB: split it",
            code="bad-review",
        )

    for number, value in enumerate(_iter_objects(path), 1):
        try:
            for review in form.read_reviews(value, status.st_mtime):
                check_review(review)
                yield review
        except Misconfigured as error:
            raise Misconfigured(
                f"object {number}: {error}", code="bad-review"
            ) from None


def _iter_objects(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        is_list = file.read(64).lstrip()[:1] == b"["
        file.seek(0)
        if is_list:
            yield from (_require_object(value) for value in _decode(file.read(), 1))
            return

        for number, line in enumerate(file, 1):
            if line.strip():
                yield _require_object(_decode(line, number))


def _decode(content: bytes, line: int) -> Any:
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Misconfigured(
            f"line {line} is no JSON ({error}): give a JSON object a line",
            code="bad-review",
        ) from None


def _require_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Misconfigured(
            "a JSON object a line is wanted, or a list of them", code="bad-review"
        )
    return value
