"""Summarise the results of a crawl from the ledger and the index."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from storage.ledger.interface import Stage, State

if TYPE_CHECKING:
    from storage.open import Storage

_MAX_ABSENT: Final = 1_000


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
    fidelity: dict[str, dict[str, int]]
    """Target to how the code agrees with that of the whole translation unit, to distinct units."""
    ran: dict[str, dict[str, int]]
    """Device to status to distinct units."""
    instantiations: dict[str, dict[str, int]]
    """Device to status to distinct instantiations of units, `not-run` among them."""
    extents: dict[str, dict[str, int]]
    """Device to where the sizes of memory come from, to distinct units."""
    strength: dict[str, dict[str, int]]
    """Device to `strong`, `weak` or `unmeasured`, to distinct units."""
    mutants_killed: dict[str, dict[str, float]]
    """Device to `median` and `p10` of the share of mutants that cases tell."""
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
    absent_sources: tuple[str, ...]
    """Sources that repositories name and lack themselves, as partial clones do; the first 1,000."""
    absent_submodules: tuple[str, ...]
    """`FOLDER@COMMIT` of the submodules that were not fetched; the first 1,000."""
    rejected: dict[str, int]
    """Code to tasks with an expected end; most frequent first."""


def count_funnel(storage: Storage, crawl: str = "") -> Funnel:
    """Return what the crawl, or all of them, came to."""
    counts = storage.ledger.task_counts(crawl)
    totals = storage.index.totals(crawl=crawl)
    clone_results = storage.ledger.results(Stage.CLONE, crawl)

    ended = 0
    repositories = 0
    to_run = 0
    for stage, state, _, number in counts:
        if stage is not Stage.LIST and state.is_finished:
            ended += number
        if stage is Stage.CLONE and state is State.DONE:
            repositories += number
        if stage is Stage.VALIDATE_CPU and not state.is_finished:
            to_run += number

    # a repository without kernels was downloaded too
    subjects = [subject for subject, _ in clone_results]
    subjects += _list_failed_clones(storage, crawl)
    return Funnel(
        ended=ended,
        repositories=repositories,
        files=totals.files,
        kernels=sum(totals.by_layer.values()),
        by_layer=totals.by_layer,
        units=totals.units,
        ported=totals.ported,
        classified=totals.classified,
        compiled=totals.compiled,
        fidelity=totals.fidelity,
        ran=totals.ran,
        instantiations=totals.instantiations,
        extents=totals.extents,
        strength=totals.strength,
        mutants_killed=totals.mutants_killed,
        to_run=to_run,
        reasons=_sort_by_frequency(Counter(totals.reasons)),
        failures=_count_codes(counts, State.FAILED),
        downloaded=_sum_downloads(clone_results),
        weight=_sum_listed_sizes(storage, subjects),
        absent_sources=_list_absent(clone_results, "absent_sources"),
        absent_submodules=_list_absent(clone_results, "submodules"),
        rejected=_count_codes(counts, State.REJECTED),
    )


def _sum_downloads(clone_results: Iterable[tuple[str, str]]) -> int:
    total = 0
    for _, result in clone_results:
        details = json.loads(result or "{}")
        total += details.get("downloaded", 0)

    return total


def _list_absent(
    clone_results: Iterable[tuple[str, str]], field: str
) -> tuple[str, ...]:
    names: list[str] = []
    for _, result in clone_results:
        details = json.loads(result or "{}")
        names += details.get(field, ())
        if len(names) >= _MAX_ABSENT:
            break

    return tuple(names[:_MAX_ABSENT])


def _list_failed_clones(storage: Storage, crawl: str) -> list[str]:
    subjects = []
    for failure in storage.ledger.failures(crawl):
        if failure.stage is Stage.CLONE:
            subjects.append(failure.subject)

    return subjects


def _sum_listed_sizes(storage: Storage, subjects: Sequence[str]) -> int:
    """Return the bytes that the repositories of clone tasks weigh at their host."""
    kilobytes_by_name: dict[str, int] = {}
    for listed in storage.source_memory.listed_repositories():
        name = f"{listed.repo.owner}/{listed.repo.name}"
        kilobytes_by_name[name] = listed.repo.kilobytes

    kilobytes = 0
    for subject in subjects:
        # `OWNER/NAME REVISION`
        name = subject.partition(" ")[0]
        kilobytes += kilobytes_by_name.get(name, 0)

    return kilobytes << 10


def _count_codes(
    counts: tuple[tuple[Stage, State, str, int], ...], counted_state: State
) -> dict[str, int]:
    codes: Counter[str] = Counter()
    for _, state, code, number in counts:
        if state is counted_state:
            codes[code] += number

    return _sort_by_frequency(codes)


def _sort_by_frequency(codes: Counter[str]) -> dict[str, int]:
    # by name where two are as frequent, so that reports of the same crawl are equal
    by_frequency = sorted(codes.items(), key=lambda item: (-item[1], item[0]))
    return dict(by_frequency)
