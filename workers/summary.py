"""What a crawl came to: counted from the ledger and the index alone, so that any later look says the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from storage.ledger import Stage, State

if TYPE_CHECKING:
    from storage.open import Storage

UNENDED: Final = frozenset({State.WAITING, State.READY, State.RUNNING})


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
    compiled: dict[str, dict[str, int]]
    """Target to status to distinct units."""
    failures: dict[str, int]
    """Code to tasks, those that failed."""
    rejected: dict[str, int]
    """Code to tasks, those with an expected end."""


def funnel(storage: Storage, crawl: str = "") -> Funnel:
    """Return what the crawl, or all of them, came to."""
    counts = storage.ledger.counts(crawl)
    places: set[tuple[str, str, str]] = set()
    layers: Counter[str] = Counter()
    verdicts: dict[str, dict[str, str]] = {}
    for row in storage.index.query(crawl=crawl):
        places.add((row.repo, row.commit, row.path))
        layers[row.found_by] += 1
        if row.digest:
            verdicts[row.digest] = row.pass_call
    return Funnel(
        ended=sum(n for stage, state, _, n in counts if stage is not Stage.LIST and state not in UNENDED),
        repositories=sum(n for stage, state, _, n in counts if stage is Stage.CLONE and state is State.DONE),
        files=len(places),
        kernels=layers.total(),
        by_layer=dict(sorted(layers.items())),
        units=len(verdicts),
        compiled=_by_target(verdicts),
        failures=_codes(counts, State.FAILED),
        rejected=_codes(counts, State.REJECTED),
    )


def _by_target(verdicts: dict[str, dict[str, str]]) -> dict[str, dict[str, int]]:
    statuses: dict[str, Counter[str]] = {}
    for of_unit in verdicts.values():
        for target, status in of_unit.items():
            statuses.setdefault(target, Counter())[status] += 1
    return {target: dict(sorted(statuses[target].items())) for target in sorted(statuses)}


def _codes(counts: tuple[tuple[Stage, State, str, int], ...], wanted: State) -> dict[str, int]:
    codes: Counter[str] = Counter()
    for _, state, code, number in counts:
        if state is wanted:
            codes[code] += number
    return dict(sorted(codes.items()))
