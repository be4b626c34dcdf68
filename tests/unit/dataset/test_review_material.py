"""A reviewer is shown the unit, its port, its prompt and its test, with what came of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.dataset.review_material import make_review_material
from crawler.model import KernelRecord, Review, ReviewedPart, ReviewVerdict
from tests.run_records import BLOBS, make_run_records


@pytest.fixture(scope="module")
def record() -> KernelRecord:
    ran, _ = make_run_records()
    return ran


def test_all_that_is_judged_is_there(record: KernelRecord) -> None:
    material = make_review_material(record, BLOBS.get)
    unit = record.kernel.unit
    assert unit
    assert (material.unit, material.name) == (unit.digest, "block_sum")
    texts = material.texts()
    assert list(texts) == [
        ReviewedPart.SOURCE,
        ReviewedPart.PORT,
        ReviewedPart.PROMPT,
        ReviewedPart.TESTS,
    ]
    assert texts[ReviewedPart.SOURCE] == unit.source
    assert texts[ReviewedPart.PORT] == record.ports[0].source
    assert "block_sum" in texts[ReviewedPart.PROMPT]
    assert "main(" in texts[ReviewedPart.TESTS]


def test_a_place_is_named_as_people_name_one(record: KernelRecord) -> None:
    span, repo = record.kernel.span, record.provenance.repo
    material = make_review_material(record, None)
    assert material.place == f"{repo.label} {span.path}:{span.line}"


def test_verdicts_are_those_of_each_target_and_of_who_speaks_for_a_device(
    record: KernelRecord,
) -> None:
    verdicts = make_review_material(record, None).verdicts
    builds = [f"{build.target}: {build.pass_call.status}" for build in record.builds]
    # its port failed, and the unit itself speaks
    assert list(verdicts) == [*builds, "cpu: pass"]


def test_without_the_bytes_of_its_cases_there_is_no_test(record: KernelRecord) -> None:
    material = make_review_material(record, None)
    assert material.tests == ""
    assert material.prompt == make_review_material(record, BLOBS.get).prompt


def test_a_unit_without_a_port_is_reviewed_all_the_same(record: KernelRecord) -> None:
    material = make_review_material(replace(record, ports=(), runs=()), BLOBS.get)
    assert (material.port, material.tests) == ("", "")
    assert material.source
    assert not any(verdict.startswith("cpu") for verdict in material.verdicts)


def test_what_others_said_is_no_part_of_it(record: KernelRecord) -> None:
    """Who reviews is blind to it until they have said something themselves."""
    review = Review(
        unit="a" * 64,
        reviewer="ada lovelace",
        verdict=ReviewVerdict.REJECTED,
        note="it races in line 3",
    )
    reviewed = replace(record, reviews=(review,))
    material = make_review_material(reviewed, BLOBS.get)
    assert material == make_review_material(record, BLOBS.get)
    for word in ("ada lovelace", "it races", "rejected"):
        assert word not in repr(material)
