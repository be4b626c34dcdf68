"""Summarise the results of a crawl from the ledger and the index."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.ledger.interface import Stage, State

if TYPE_CHECKING:
    from storage.open import Storage


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """How many came through."""

    ended: int
    """Tasks that ended, in whatever state; listing aside."""
    repositories: int
    files: int
    """With a kernel in them."""
    kernels: int
    by_layer: dict[str, int]
    units: int
    """Distinct ones, in their source's dialect."""
    ported: int
    """Distinct units that have a port."""
    classified: int
    """Of those, units that the port classifies as unportable: to be read beside every yield on
    AMD.
    """
    compiled: dict[str, dict[str, int]]
    """Target to status to distinct units."""
    ran: dict[str, dict[str, int]]
    """Device to status to distinct units."""
    to_run: int
    """Batches of kernels that nobody has run yet."""
    reasons: dict[str, int]
    """Code to kernels that have no unit, no port, no object or no good run because of it; most
    frequent first.
    """
    failures: dict[str, int]
    """Code to tasks that failed; most frequent first."""
    downloaded: int
    """Bytes that the visits to repositories cost, where their source can tell."""
    weight: int
    """Bytes that those of owners weigh at their host, with their history; 0 where no owner was
    listed.
    """
    rejected: dict[str, int]
    """Code to tasks with an expected end; most frequent first."""


def count_funnel(storage: Storage, crawl: str = "") -> Funnel:
    """Return what the crawl, or all of them, came to."""
    counts, totals = (
        storage.ledger.task_counts(crawl),
        storage.index.totals(crawl=crawl),
    )
    fetched = storage.ledger.results(Stage.CLONE, crawl)
    return Funnel(
        ended=sum(
            n
            for stage, state, _, n in counts
            if stage is not Stage.LIST and state.is_finished
        ),
        repositories=sum(
            n
            for stage, state, _, n in counts
            if stage is Stage.CLONE and state is State.DONE
        ),
        files=totals.files,
        kernels=sum(totals.by_layer.values()),
        by_layer=totals.by_layer,
        units=totals.units,
        ported=totals.ported,
        classified=totals.classified,
        compiled=totals.compiled,
        ran=totals.ran,
        to_run=sum(
            n
            for stage, state, _, n in counts
            if stage is Stage.VALIDATE_CPU and not state.is_finished
        ),
        reasons=_most_first(Counter(totals.reasons)),
        failures=_codes(counts, State.FAILED),
        downloaded=sum(
            json.loads(result or "{}").get("downloaded", 0) for _, result in fetched
        ),
        weight=_weight(
            storage,
            [*(subject for subject, _ in fetched), *_turned_away(storage, crawl)],
        ),
        rejected=_codes(counts, State.REJECTED),
    )


def _turned_away(storage: Storage, crawl: str) -> list[str]:
    return [
        each.subject
        for each in storage.ledger.failures(crawl)
        if each.stage is Stage.CLONE
    ]


def _weight(storage: Storage, subjects: Sequence[str]) -> int:
    seen = storage.source_memory.listed_repositories()
    kilobytes = {
        f"{each.repo.owner}/{each.repo.name}": each.repo.kilobytes for each in seen
    }
    return (
        sum(kilobytes.get(subject.partition(" ")[0], 0) for subject in subjects) << 10
    )


def _codes(
    counts: tuple[tuple[Stage, State, str, int], ...], wanted: State
) -> dict[str, int]:
    codes: Counter[str] = Counter()
    for _, state, code, number in counts:
        if state is wanted:
            codes[code] += number
    return _most_first(codes)


def _most_first(codes: Counter[str]) -> dict[str, int]:
    return dict(sorted(codes.items(), key=lambda each: (-each[1], each[0])))
