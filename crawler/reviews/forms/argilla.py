"""Form `argilla`: records for Argilla, and what annotators answered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from crawler.model import ChecklistItem, Review, ReviewVerdict
from crawler.reviews.form_interface import (
    ReviewForm,
    bad_form,
    read_choice,
    read_time,
)
from crawler.reviews.material import ReviewMaterial

_DRAFT_STATES: Final = ("draft", "discarded")


class Argilla:
    """Records whose questions are `verdict`, `met`, `unmet` and `note`."""

    name = "argilla"
    summary = "a record for Argilla; what others said of it is left out"

    def make_lines(
        self, material: ReviewMaterial, history: Iterable[Review]
    ) -> Iterator[Mapping[str, Any]]:
        """Yield the record of a unit, without the reviews that it has: who answers is blind."""
        texts = {part.value: text for part, text in material.texts().items()}
        yield {
            "id": material.unit,
            "fields": {"name": material.name, **texts},
            "metadata": {
                "unit": material.unit,
                "place": material.place,
                "verdicts": ", ".join(material.verdicts),
            },
            "responses": {},
        }

    def read_reviews(
        self, value: Mapping[str, Any], default_time: float
    ) -> Iterator[Review]:
        """Yield a review for each annotator who answered `verdict`."""
        unit = _read_unit(value)
        when = read_time(value.get("updated_at"), default_time)
        for annotator, answers in _collect_answers(value.get("responses")).items():
            if "verdict" not in answers:
                continue
            yield Review(
                unit=unit,
                reviewer=annotator,
                verdict=read_choice(ReviewVerdict, answers["verdict"]),
                met=_read_items(answers.get("met")),
                unmet=_read_items(answers.get("unmet")),
                note=str(answers.get("note") or ""),
                reviewed_at=when,
                origin="argilla",
            )


def _read_unit(value: Mapping[str, Any]) -> str:
    metadata = value.get("metadata")
    unit = metadata.get("unit") if isinstance(metadata, dict) else None
    unit = unit or value.get("id")
    if not isinstance(unit, str):
        raise bad_form("a record says in `metadata.unit` or `id` which unit it is of")
    return unit


def _collect_answers(responses: object) -> dict[str, dict[str, Any]]:
    """Return annotator to question to answer, of both forms that Argilla has written."""
    answers: dict[str, dict[str, Any]] = defaultdict(dict)
    if isinstance(responses, dict):
        # version 2: the answers of all to a question
        for question, question_answers in responses.items():
            for answer in (
                question_answers if isinstance(question_answers, list) else ()
            ):
                if _is_answer(answer):
                    answers[str(answer["user_id"])][question] = answer.get("value")
        return answers

    # version 1: the answers of one to all questions
    for response in responses if isinstance(responses, list) else ():
        if not _is_answer(response):
            continue
        values = response.get("values")
        for question, answer in (values if isinstance(values, dict) else {}).items():
            is_wrapped = isinstance(answer, dict)
            answers[str(response["user_id"])][question] = (
                answer.get("value") if is_wrapped else answer
            )
    return answers


def _is_answer(response: object) -> bool:
    if not isinstance(response, dict) or not response.get("user_id"):
        return False
    return response.get("status") not in _DRAFT_STATES


def _read_items(value: object) -> tuple[ChecklistItem, ...]:
    words = value if isinstance(value, list) else []
    return tuple(read_choice(ChecklistItem, word) for word in words)


PLUGIN: Final[ReviewForm] = Argilla()
