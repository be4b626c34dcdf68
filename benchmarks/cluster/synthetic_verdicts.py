"""Put runs and reviews of synthetic kernels, the same ones in each run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from sqlalchemy import select

from crawler.model import (
    Behaviour,
    ChecklistItem,
    Review,
    ReviewVerdict,
    Run,
    Status,
    Toolchain,
    Verdict,
)
from storage.open import Storage
from storage.tables import KERNEL

_RUN_SHARE: Final = 0.2
_REVIEW_SHARE: Final = 0.005
_REVIEWERS: Final = ("ada", "bob")
_UNITS_PER_WRITE: Final = 1000


def put_verdicts(storage: Storage) -> None:
    """Put a run of one unit in five, and reviews of one in two hundred."""
    chance = random.Random(11)
    chosen = select(KERNEL.c.unit).where(KERNEL.c.unit != "").distinct()
    with storage.engine.connect() as connection:
        units = connection.scalars(chosen.order_by(KERNEL.c.unit)).all()

    ran = [unit for unit in units if chance.random() < _RUN_SHARE]
    for start in range(0, len(ran), _UNITS_PER_WRITE):
        some = ran[start : start + _UNITS_PER_WRITE]
        storage.index.put_runs([_make_run(unit, chance) for unit in some], [])

    reviewed = [unit for unit in units if chance.random() < _REVIEW_SHARE]
    storage.reviews.put(
        review for unit in reviewed for review in _iter_reviews(unit, chance)
    )


def _make_run(unit: str, chance: random.Random) -> Run:
    is_good = chance.random() < 0.8
    return Run(
        unit=unit,
        device="cpu",
        toolchain=Toolchain(compiler="clang", digest="clang"),
        pass_exe=Verdict(status=Status.CONSISTENT)
        if is_good
        else Verdict(status=Status.FAIL, code="race", message="two threads write"),
        behaviour=Behaviour.DETERMINISTIC if is_good else Behaviour.RACY,
    )


def _iter_reviews(unit: str, chance: random.Random) -> Iterator[Review]:
    for reviewer in chance.sample(_REVIEWERS, chance.randrange(1, 3)):
        is_good = chance.random() < 0.7
        unmet = () if is_good else (ChecklistItem.TESTS_COVER,)
        yield Review(
            unit=unit,
            reviewer=reviewer,
            verdict=ReviewVerdict.ACCEPTED if is_good else ReviewVerdict.NEEDS_WORK,
            met=tuple(item for item in ChecklistItem if item not in unmet),
            unmet=unmet,
            note="",
            comments=(),
            reviewed_at=1_700_000_000.0,
            origin="web",
        )
