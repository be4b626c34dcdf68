"""What other programs export is read, and what is no review is refused with its place."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crawler.errors import Misconfigured
from crawler.model import (
    ChecklistItem,
    Review,
    ReviewComment,
    ReviewedPart,
    ReviewVerdict,
)
from crawler.reviews.form_interface import load_forms
from crawler.reviews.material import ReviewMaterial
from crawler.reviews.review_file import iter_file_reviews

UNIT = "cd" * 32
MATERIAL = ReviewMaterial(
    unit=UNIT,
    name="saxpy",
    place="acme/blas src/a.cu:3",
    verdicts=("sm_80: pass", "cpu: consistent"),
    prompt="Write saxpy.",
    source="__global__ void saxpy();",
    port="#include <hip/hip_runtime.h>",
    tests="int main() {}",
)
REVIEW = Review(
    unit=UNIT,
    reviewer="ada",
    verdict=ReviewVerdict.NEEDS_WORK,
    met=(ChecklistItem.STYLE,),
    unmet=(ChecklistItem.TESTS_COVER,),
    note="one block only",
    comments=(ReviewComment(part=ReviewedPart.TESTS, line=4, text="</script>"),),
    reviewed_at=1_700_000_000.5,
    origin="web",
)
FORMS = load_forms()
STUDIO: dict[str, Any] = {
    "id": 12,
    "data": {"unit": UNIT},
    "annotations": [
        {
            "completed_by": {"id": 1, "email": "ada@example.org"},
            "updated_at": "2026-01-02T03:04:05Z",
            "result": [
                {
                    "from_name": "verdict",
                    "type": "choices",
                    "value": {"choices": ["needs work"]},
                },
                {
                    "from_name": "unmet",
                    "type": "choices",
                    "value": {"choices": ["tests-cover", "style"]},
                },
                {
                    "from_name": "note",
                    "type": "textarea",
                    "value": {"text": ["first", "second"]},
                },
            ],
        },
        {"completed_by": 2, "was_cancelled": True, "result": []},
        {"completed_by": 3, "result": []},
    ],
}
ARGILLA: dict[str, Any] = {
    "id": UNIT,
    "metadata": {"unit": UNIT},
    "responses": {
        "verdict": [
            {"user_id": "u1", "value": "accepted"},
            {"user_id": "u2", "value": "rejected"},
            {"user_id": "u3", "value": "rejected", "status": "draft"},
        ],
        "met": [{"user_id": "u1", "value": ["style"]}],
        "unmet": [{"user_id": "u2", "value": ["tests-cover"]}],
    },
}
OLD_ARGILLA: dict[str, Any] = {
    "metadata": {"unit": UNIT},
    "responses": [
        {
            "user_id": "u1",
            "status": "submitted",
            "values": {
                "verdict": {"value": "rejected"},
                "note": {"value": "a race"},
            },
        },
        {"user_id": "u2", "status": "discarded", "values": None},
    ],
}


def read(tmp_path: Path, form: str, *values: object) -> list[Review]:
    path = tmp_path / "reviews.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    os.utime(path, (5, 5))
    return list(iter_file_reviews(path, FORMS[form]))


def test_a_review_comes_back_as_it_went(tmp_path: Path) -> None:
    lines = FORMS["kernelset"].make_lines(MATERIAL, [REVIEW, REVIEW])
    assert read(tmp_path, "kernelset", *map(dict, lines)) == [REVIEW, REVIEW]


@pytest.mark.parametrize("form", ["argilla", "label-studio"])
def test_what_is_to_be_labelled_holds_all_texts_and_no_verdict(form: str) -> None:
    (line,) = FORMS[form].make_lines(MATERIAL, [REVIEW])
    text = json.dumps(line)
    for part in MATERIAL.texts().values():
        assert json.dumps(part) in text
    assert UNIT in text
    assert "one block only" not in text
    assert "needs-work" not in text
    assert REVIEW.reviewer not in text.replace("metadata", "")


def test_what_label_studio_exports_is_read(tmp_path: Path) -> None:
    (review,) = read(tmp_path, "label-studio", STUDIO)
    assert review == Review(
        unit=UNIT,
        reviewer="ada@example.org",
        verdict=ReviewVerdict.NEEDS_WORK,
        unmet=(ChecklistItem.TESTS_COVER, ChecklistItem.STYLE),
        note="first\nsecond",
        reviewed_at=1767323045.0,
        origin="label-studio",
    )


def test_what_argilla_exports_is_read_with_the_time_of_the_file(tmp_path: Path) -> None:
    one, other = read(tmp_path, "argilla", ARGILLA)
    assert (one.reviewer, one.verdict, one.met) == ("u1", "accepted", ("style",))
    assert (other.reviewer, other.verdict) == ("u2", "rejected")
    assert {one.reviewed_at, other.reviewed_at} == {5.0}
    (older,) = read(tmp_path, "argilla", OLD_ARGILLA)
    assert (older.reviewer, older.verdict, older.note) == ("u1", "rejected", "a race")


def test_a_list_is_read_as_lines_are(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps([STUDIO, STUDIO], indent=1))
    assert len(list(iter_file_reviews(path, FORMS["label-studio"]))) == 2


@pytest.mark.parametrize(
    ("form", "value", "message"),
    [
        ("kernelset", {"unit": UNIT}, r"object 1: .*kernelset.review/1"),
        ("kernelset", [1], "JSON object a line"),
        ("argilla", {"id": 3}, "which unit"),
        (
            "argilla",
            {"id": UNIT, "responses": {"verdict": [{"user_id": "u", "value": "good"}]}},
            "`good` is none of accepted",
        ),
        ("argilla", {"id": "x", **{"responses": ARGILLA["responses"]}}, "64 digits"),
        ("label-studio", {"data": {}}, r"data\.unit"),
        (
            "label-studio",
            {
                **STUDIO,
                "annotations": [{**STUDIO["annotations"][0], "completed_by": ""}],
            },
            "completed_by",
        ),
    ],
)
def test_what_is_no_review_is_refused(
    tmp_path: Path, form: str, value: object, message: str
) -> None:
    with pytest.raises(Misconfigured, match=message) as raised:
        read(tmp_path, form, value)
    assert raised.value.code == "bad-review"


def test_no_json_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(json.dumps(STUDIO) + "\n{broken\n")
    with pytest.raises(Misconfigured, match="line 2 is no JSON"):
        list(iter_file_reviews(path, FORMS["label-studio"]))


def test_junk_where_answers_belong_is_no_answer(tmp_path: Path) -> None:
    junk = {**STUDIO, "annotations": [7, {"result": [None, {"value": 3}]}]}
    assert read(tmp_path, "label-studio", junk) == []
    assert read(tmp_path, "argilla", {"id": UNIT, "responses": "none"}) == []
    assert read(tmp_path, "argilla", {"id": UNIT, "responses": [{"user_id": 1}]}) == []


def test_a_review_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    against = replace(REVIEW, verdict=ReviewVerdict.ACCEPTED)
    (line,) = FORMS["kernelset"].make_lines(MATERIAL, [against])
    with pytest.raises(Misconfigured, match="object 1: what is accepted"):
        read(tmp_path, "kernelset", dict(line))
