"""What every book of reviews does, and what the index shows of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from crawler.errors import Misconfigured
from crawler.model import (
    ChecklistItem,
    Review,
    ReviewComment,
    ReviewedPart,
    ReviewVerdict,
)
from storage.in_memory.index import InMemoryKernelIndex
from storage.interfaces import KernelIndex
from storage.open import open_storage
from storage.reviews_interface import ReviewBook
from tests.contract.kernel_indexes import (
    ALIGN,
    KERNELS,
    KINDS,
    MMCV,
    OTHER,
    unit_of,
)

ACCEPTED, REJECTED, NEEDS_WORK = ReviewVerdict


@dataclass
class Desk:
    """A book, the index whose units it is about, and the time that both are told."""

    book: ReviewBook
    index: KernelIndex


@pytest.fixture(params=KINDS)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    if request.param == "memory":
        memory = InMemoryKernelIndex()
        memory.put_kernels(MMCV, KERNELS)
        yield Desk(memory.reviews, memory)
        return
    address = (
        request.getfixturevalue("empty_database")()
        if request.param == "postgres"
        else ""
    )
    with open_storage(tmp_path, database=address) as storage:
        storage.index.put_kernels(MMCV, KERNELS)
        yield Desk(storage.reviews, storage.index)


def say(
    reviewer: str, verdict: ReviewVerdict, at: float = 1.0, unit: str = ALIGN.digest
) -> Review:
    note = "" if verdict is ACCEPTED else "the tests never go beyond one block"
    return Review(
        unit=unit, reviewer=reviewer, verdict=verdict, note=note, reviewed_at=at
    )


def states(desk: Desk) -> dict[str, str]:
    return {row.name: row.review for row in desk.index.query()}


def test_a_kernel_is_unreviewed_until_somebody_says_something(desk: Desk) -> None:
    assert set(states(desk).values()) == {"unreviewed"}
    assert desk.book.history(ALIGN.digest) == ()
    assert desk.book.count_states() == {}
    assert desk.book.put([say("ada", ACCEPTED)]) == 1
    assert states(desk)["roi_align_forward"] == "accepted"
    assert states(desk)["nms"] == "unreviewed"
    assert desk.book.count_states() == {"accepted": 1}


def test_a_review_is_kept_with_all_that_was_said(desk: Desk) -> None:
    review = Review(
        unit=ALIGN.digest,
        reviewer="Ada Lovelace",
        verdict=NEEDS_WORK,
        met=(ChecklistItem.STYLE,),
        unmet=(ChecklistItem.TESTS_COVER, ChecklistItem.INSTRUCTION_CLEAR),
        note="mend the prompt, “twice”\n<script>alert(1)</script>",
        comments=(
            ReviewComment(part=ReviewedPart.PORT, line=3, text="why is this volatile?"),
            ReviewComment(part=ReviewedPart.PROMPT, line=0, text="says nothing of n"),
        ),
        reviewed_at=1700000000.125,
        origin="web",
    )
    desk.book.put([review])
    assert desk.book.history(ALIGN.digest) == (review,)
    assert list(desk.book.reviews()) == [review]
    (record,) = desk.index.records(f"digest = {ALIGN.digest}")
    assert record.reviews == (review,)


def test_who_thinks_anew_adds_to_the_history(desk: Desk) -> None:
    desk.book.put([say("ada", REJECTED, 1.0)])
    desk.book.put([say("ada", ACCEPTED, 2.0)])
    verdicts = [review.verdict for review in desk.book.history(ALIGN.digest)]
    assert verdicts == [REJECTED, ACCEPTED]
    assert states(desk)["roi_align_forward"] == "accepted"


def test_history_is_ordered_by_time_however_it_was_put(desk: Desk) -> None:
    desk.book.put([say("ada", ACCEPTED, 9.0), say("ada", REJECTED, 3.0)])
    assert [review.reviewed_at for review in desk.book.history(ALIGN.digest)] == [3, 9]
    assert states(desk)["roi_align_forward"] == "accepted"


def test_the_same_review_twice_is_one(desk: Desk) -> None:
    review = say("ada", ACCEPTED)
    assert desk.book.put([review, review]) == 1
    assert desk.book.put([review, say("bob", ACCEPTED)]) == 1
    assert len(desk.book.history(ALIGN.digest)) == 2


def test_two_who_differ_dispute_and_a_third_decides(desk: Desk) -> None:
    desk.book.put([say("ada", ACCEPTED, 1.0), say("bob", REJECTED, 2.0)])
    assert states(desk)["roi_align_forward"] == "disputed"
    desk.book.put([say("eve", REJECTED, 3.0)])
    assert states(desk)["roi_align_forward"] == "rejected"


def test_a_dispute_ends_when_one_is_convinced(desk: Desk) -> None:
    desk.book.put([say("ada", ACCEPTED, 1.0), say("bob", REJECTED, 2.0)])
    desk.book.put([say("bob", ACCEPTED, 3.0)])
    assert states(desk)["roi_align_forward"] == "accepted"


def test_kernels_are_found_and_counted_by_their_review(desk: Desk) -> None:
    desk.book.put(
        [say("ada", ACCEPTED), say("ada", REJECTED, unit=OTHER.digest)],
    )

    def names(expression: str) -> list[str]:
        return [row.name for row in desk.index.query(expression)]

    assert names("review = accepted") == ["roi_align_forward"]
    assert names("review = rejected, accepted") == ["roi_align_forward", "nms"]
    assert names("review = unreviewed") == ["Lost_100%"]
    assert names("review != accepted") == ["nms", "Lost_100%"]
    assert names("review = *ed and not review = rejected, accepted") == ["Lost_100%"]
    counts = {count.value: count.kernels for count in desk.index.count_values("review")}
    assert counts == {"accepted": 1, "rejected": 1, "unreviewed": 1}


def test_what_is_put_anew_keeps_its_reviews(desk: Desk) -> None:
    desk.book.put([say("ada", ACCEPTED)])
    desk.index.put_kernels(MMCV, KERNELS)
    assert states(desk)["roi_align_forward"] == "accepted"


def test_a_unit_that_nobody_knows_is_refused_with_all_that_came_with_it(
    desk: Desk,
) -> None:
    unknown = unit_of("never put").digest
    with pytest.raises(KeyError, match=unknown):
        desk.book.put([say("ada", ACCEPTED), say("ada", ACCEPTED, unit=unknown)])
    assert desk.book.history(ALIGN.digest) == ()
    with pytest.raises(KeyError, match=unknown):
        desk.book.claim(unknown, "ada", 60)


def test_what_contradicts_itself_is_refused(desk: Desk) -> None:
    against = replace(say("ada", ACCEPTED), unmet=(ChecklistItem.STYLE,))
    with pytest.raises(Misconfigured, match="nothing against it"):
        desk.book.put([say("bob", ACCEPTED), against])
    assert desk.book.history(ALIGN.digest) == ()


def test_one_holds_a_unit_at_a_time(desk: Desk) -> None:
    assert desk.book.claim(ALIGN.digest, "ada", 60)
    assert desk.book.claim(ALIGN.digest, "ada", 60), "again by the same"
    assert not desk.book.claim(ALIGN.digest, "bob", 60)
    assert desk.book.claim(OTHER.digest, "bob", 60)
    assert desk.book.claimed_units(except_by="bob") == {ALIGN.digest}
    desk.book.release(ALIGN.digest, "bob")
    assert not desk.book.claim(ALIGN.digest, "bob", 60), "it is not his to give back"
    desk.book.release(ALIGN.digest, "ada")
    assert desk.book.claim(ALIGN.digest, "bob", 60)


def test_what_was_given_back_is_known_for_each_reviewer(desk: Desk) -> None:
    desk.book.claim(ALIGN.digest, "ada", 60)
    desk.book.release(ALIGN.digest, "bob")
    assert desk.book.passed_units("bob") == (), "it was not his to give back"
    desk.book.release(ALIGN.digest, "ada")
    desk.book.release(ALIGN.digest, "ada")
    desk.book.claim(OTHER.digest, "ada", 60)
    desk.book.release(OTHER.digest, "ada")
    assert desk.book.passed_units("ada") == (ALIGN.digest, OTHER.digest)
    desk.book.claim(ALIGN.digest, "ada", 60)
    desk.book.release(ALIGN.digest, "ada")
    assert desk.book.passed_units("ada") == (OTHER.digest, ALIGN.digest)
    assert desk.book.passed_units("ada", limit=1) == (ALIGN.digest,), "the last ones"
    desk.book.claim(ALIGN.digest, "ada", 60)
    desk.book.put([say("ada", ACCEPTED)])
    assert desk.book.passed_units("ada") == (OTHER.digest,), "it is reviewed"


def test_the_last_reviews_of_one_reviewer_are_known(desk: Desk) -> None:
    assert desk.book.last_reviews_by("ada") == ()
    first = say("ada", ACCEPTED)
    other = say("ada", REJECTED, unit=OTHER.digest)
    desk.book.put([first, say("bob", REJECTED)])
    desk.book.put([other])
    assert desk.book.last_reviews_by("ada") == (other, first)
    assert desk.book.last_reviews_by("ada", limit=1) == (other,)


def test_a_claim_ends_with_its_time(desk: Desk) -> None:
    assert desk.book.claim(ALIGN.digest, "ada", -1)
    assert desk.book.claimed_units() == frozenset()
    assert desk.book.claim(ALIGN.digest, "bob", 60)


def test_a_review_ends_the_claim_of_who_gave_it(desk: Desk) -> None:
    desk.book.claim(ALIGN.digest, "ada", 60)
    desk.book.put([say("bob", ACCEPTED)])
    assert desk.book.claimed_units() == {ALIGN.digest}
    desk.book.put([say("ada", ACCEPTED)])
    assert desk.book.claimed_units() == frozenset()


def test_a_second_look_is_waited_for_disputes_first(desk: Desk) -> None:
    desk.book.put([say("ada", ACCEPTED, unit=OTHER.digest)])
    desk.book.put([say("ada", ACCEPTED), say("bob", REJECTED)])
    assert desk.book.waiting_for("eve") == (ALIGN.digest, OTHER.digest)
    assert desk.book.waiting_for("eve", limit=1) == (ALIGN.digest,)
    assert desk.book.waiting_for("bob") == (OTHER.digest,)
    assert desk.book.waiting_for("ada") == ()
    desk.book.claim(OTHER.digest, "eve", 60)
    assert desk.book.waiting_for("bob") == ()
    assert desk.book.waiting_for("eve") == (ALIGN.digest, OTHER.digest)


def test_what_two_agree_on_waits_for_nobody(desk: Desk) -> None:
    desk.book.put([say("ada", ACCEPTED), say("bob", ACCEPTED)])
    assert desk.book.waiting_for("eve") == ()
