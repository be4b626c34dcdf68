"""What was said of a purged kernel goes with it, since it may quote it."""

from __future__ import annotations

from pathlib import Path

from crawler.model import Review, ReviewVerdict
from storage.open import open_storage
from tests.unit.storage.samples import REPO, make_kernel, make_unit

UNIT = make_unit("__global__ void taken_back() {}")


def test_reviews_of_a_purged_kernel_are_gone(tmp_path: Path) -> None:
    with open_storage(tmp_path) as storage:
        storage.index.put_kernels(REPO, [make_kernel("taken_back", unit=UNIT)])
        review = Review(
            unit=UNIT.digest,
            reviewer="ada",
            verdict=ReviewVerdict.REJECTED,
            note="`__global__ void taken_back() {}` does nothing",
        )
        storage.reviews.put([review])
        storage.reviews.claim(UNIT.digest, "bob", 60)
        assert storage.purge(lambda repo: False).kernels == 0
        assert storage.reviews.history(UNIT.digest) == (review,)

        assert storage.purge(lambda repo: True).units == 1
        assert list(storage.reviews.reviews()) == []
        assert storage.reviews.count_states() == {}
        assert storage.reviews.claimed_units() == frozenset()
