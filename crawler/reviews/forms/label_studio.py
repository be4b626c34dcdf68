"""Form `label-studio`: tasks for Label Studio, and the annotations that it exports."""

from __future__ import annotations

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


class LabelStudio:
    """Tasks whose controls are called `verdict`, `met`, `unmet` and `note`."""

    name = "label-studio"
    summary = "a task for Label Studio; what others said of it is left out"

    def make_lines(
        self, material: ReviewMaterial, history: Iterable[Review]
    ) -> Iterator[Mapping[str, Any]]:
        """Yield the task of a unit, without the reviews that it has: who answers is blind."""
        texts = {part.value: text for part, text in material.texts().items()}
        data = {
            "unit": material.unit,
            "name": material.name,
            "place": material.place,
            "verdicts": ", ".join(material.verdicts),
        }
        yield {"data": {**data, **texts}}

    def read_reviews(
        self, value: Mapping[str, Any], default_time: float
    ) -> Iterator[Review]:
        """Yield a review for each annotation that has a verdict and was not skipped."""
        data = value.get("data")
        unit = data.get("unit") if isinstance(data, dict) else None
        if not isinstance(unit, str):
            raise bad_form("a task says in `data.unit` which unit it is of")

        annotations = value.get("annotations")
        for annotation in annotations if isinstance(annotations, list) else ():
            if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
                continue
            answers = _read_answers(annotation.get("result"))
            if not answers.get("verdict"):
                continue
            when = annotation.get("updated_at") or annotation.get("created_at")
            yield Review(
                unit=unit,
                reviewer=_read_annotator(annotation.get("completed_by")),
                verdict=read_choice(ReviewVerdict, answers["verdict"][0]),
                met=_read_items(answers.get("met")),
                unmet=_read_items(answers.get("unmet")),
                note="\n".join(answers.get("note", ())),
                reviewed_at=read_time(when, default_time),
                origin="label-studio",
            )


def _read_answers(result: object) -> dict[str, list[str]]:
    """Return control to the words that were chosen or written there."""
    answers: dict[str, list[str]] = {}
    for region in result if isinstance(result, list) else ():
        value = region.get("value") if isinstance(region, dict) else None
        if not isinstance(value, dict):
            continue
        words = value.get("choices") or value.get("text") or []
        listed = words if isinstance(words, list) else [words]
        answers[str(region.get("from_name"))] = [str(word) for word in listed]

    return answers


def _read_annotator(value: object) -> str:
    """Return who answered: Label Studio writes a number, or a person with an address."""
    if isinstance(value, dict):
        value = value.get("email") or value.get("username") or value.get("id")
    if value in (None, ""):
        raise bad_form("an annotation says in `completed_by` whose it is")
    return str(value)


def _read_items(words: Iterable[str] | None) -> tuple[ChecklistItem, ...]:
    return tuple(read_choice(ChecklistItem, word) for word in words or ())


PLUGIN: Final[ReviewForm] = LabelStudio()
