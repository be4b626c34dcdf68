"""Reviews go to files and come back; a unit goes once, and nothing superseded goes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crawler.errors import Misconfigured
from storage.errors import BadQuery
from tests.unit.storage.samples import REPO, make_kernel, make_unit
from tests.unit.workers.cli.conftest import CommandLine
from workers.cli.exit_codes import DONE, NOTHING

UNIT = make_unit("__global__ void saxpy(float* y) {}\n")
OTHER = make_unit("__global__ void nms() {}\n")
OLD = make_unit("__global__ void old() {}\n")


@pytest.fixture
def shop(kernelset: CommandLine) -> CommandLine:
    """A home with a unit at two places, one more, and one of a commit that was replaced."""
    with kernelset.open() as storage:
        storage.index.put_kernels(REPO, [make_kernel("old", 1, unit=OLD)])
        storage.index.put_kernels(
            replace(REPO, commit="2"),
            [
                make_kernel("saxpy", 1, unit=UNIT),
                make_kernel("saxpy_copy", 2, unit=UNIT),
                make_kernel("nms", 3, unit=OTHER),
                make_kernel("lost", 4),
            ],
        )
    return kernelset


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_unit_is_labelled_once_and_none_that_was_replaced(
    shop: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "tasks.jsonl"
    answer = shop.run("review", "export", file, "--form", "label-studio", "--json")
    assert answer.rows == [{"lines": 2, "file": str(file)}]
    assert [line["data"]["unit"] for line in read_lines(file)] == [
        UNIT.digest,
        OTHER.digest,
    ]


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("name = nms", ["nms"]),
        ("name = nms or name = saxpy", ["saxpy", "nms"]),
        ("name = old or name = nms", ["nms"]),
        ("name = saxpy_copy", ["saxpy_copy"]),
    ],
)
def test_an_expression_chooses_among_them(
    shop: CommandLine, tmp_path: Path, expression: str, names: list[str]
) -> None:
    file = tmp_path / "tasks.jsonl"
    shop.run("review", "export", file, expression, "--form", "label-studio")
    assert [line["data"]["name"] for line in read_lines(file)] == names


def test_brackets_that_only_ours_would_close_are_refused(
    shop: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "tasks.jsonl"
    with pytest.raises(BadQuery, match="no bracket was opened"):
        shop.run("review", "export", file, "name = old) or (name = nms")
    assert not file.exists()


def test_where_nothing_was_reviewed_the_file_is_empty_and_that_is_said(
    shop: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "reviews.jsonl"
    answer = shop.run("review", "export", file)
    assert (answer.code, file.read_text()) == (NOTHING, "")
    assert answer.out == f"0 lines in {file}\n"
    answer = shop.run("review", "import", file)
    assert (answer.code, answer.out) == (NOTHING, "")
    assert "the file holds no review" in answer.err


def test_a_file_of_somebody_elses_is_replaced_by_force_alone(
    shop: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "thesis.txt"
    file.write_text("mine")
    with pytest.raises(Misconfigured) as raised:
        shop.run("review", "export", file)
    assert raised.value.code == "destination-exists"
    assert file.read_text() == "mine"
    shop.run("review", "accept", UNIT.digest, "--reviewer", "ada")
    assert shop.run("review", "export", file, "--force").code == DONE
    assert [line["reviewer"] for line in read_lines(file)] == ["ada"]


def test_what_is_there_already_is_counted_as_read_and_not_as_new(
    shop: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "reviews.jsonl"
    for reviewer in ("ada", "bob"):
        shop.run("review", "accept", UNIT.digest, "--reviewer", reviewer)
    shop.run("review", "export", file)
    assert shop.run("review", "import", file).out == "0 of 2 reviews are new\n"

    later = [{**line, "reviewed_at": 5} for line in read_lines(file)]
    file.write_text(json.dumps(later))
    assert shop.run("review", "import", file, "--json").rows == [
        {"read": 2, "added": 2}
    ]


def test_of_a_file_with_one_wrong_review_none_is_taken(
    shop: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "reviews.jsonl"
    shop.run("review", "accept", UNIT.digest, "--reviewer", "ada")
    shop.run("review", "export", file)
    (line,) = read_lines(file)
    good = {**line, "reviewer": "bob"}
    for bad in (
        {**line, "unit": "0" * 64},
        {**line, "verdict": "good"},
        {**line, "reviewer": ""},
    ):
        file.write_text(json.dumps([good, bad]))
        with pytest.raises(Misconfigured) as raised:
            shop.run("review", "import", file)
        assert raised.value.code == "bad-review"
    with shop.open() as storage:
        reviewers = [review.reviewer for review in storage.reviews.reviews()]
    assert reviewers == ["ada"]


def test_a_form_that_is_none_is_refused_before_anything_is_written(
    shop: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "tasks.jsonl"
    with pytest.raises(Misconfigured, match="argilla, kernelset, label-st") as raised:
        shop.run("review", "export", file, "--form", "xml")
    assert raised.value.code == "bad-form"
    assert not file.exists()
