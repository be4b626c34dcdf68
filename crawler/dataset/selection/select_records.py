"""Select the kernels of an index that go into a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from crawler.dataset.decontamination.contamination_report import Decontamination
from crawler.dataset.redaction.redact_record import redact_record
from crawler.dataset.selection.admission import Admission
from crawler.dataset.selection.originals import Originals, rank_kernel, rank_record
from crawler.dataset.selection.skip_counts import SkipCounts, SkipReason
from crawler.dataset.selection.splits import SplitPlan, SplitShares
from crawler.model import KernelRecord, LicenceClass, Repo
from crawler.similarity.repository_families import (
    RepositoryCluster,
    find_repository_families,
)


class IndexedKernel(Protocol):
    """What a selection reads of a row of the index."""

    @property
    def digest(self) -> str:
        """Of its unit; empty without one."""
        ...

    @property
    def repo(self) -> str:
        """`OWNER/NAME`, or the name alone."""
        ...

    @property
    def commit(self) -> str:
        """The pinned content."""
        ...

    @property
    def path(self) -> str:
        """Of its file, relative to the repository's root."""
        ...

    @property
    def dialect(self) -> str:
        """`cuda` or `hip`."""
        ...

    @property
    def licence_class(self) -> str:
        """`permissive`, `copyleft`, …"""
        ...

    @property
    def near_cluster(self) -> str:
        """What near copies share; empty for a kernel without a text."""
        ...

    @property
    def pass_call(self) -> dict[str, str]:
        """Target to status."""
        ...

    @property
    def pass_exe(self) -> dict[str, str]:
        """Device to status."""
        ...


class SearchableIndex(Protocol):
    """The part of an index that a selection needs."""

    def group_copies(self) -> int:
        """Find the near copies of kernels that came since this was last called."""
        ...

    def repository_clusters(self) -> Iterable[RepositoryCluster]:
        """Yield each repository with each group of near copies of which it holds one."""
        ...

    def repos(self) -> tuple[Repo, ...]:
        """Return every recorded commit."""
        ...

    def query(
        self, expression: str = "", *, crawl: str = ""
    ) -> Iterable[IndexedKernel]:
        """Yield matching rows, ordered by (repo, commit, path, offset)."""
        ...

    def records(
        self, expression: str = "", *, crawl: str = ""
    ) -> Iterable[KernelRecord]:
        """Yield the whole records of the same kernels in the same order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRules:
    """Which kernels a dataset takes."""

    admission: Admission
    expression: str = ""
    """In the query language; empty for all."""
    crawl: str = ""
    """The id of a crawl; empty for all."""
    with_copies: bool = False
    """Whether near copies of a kernel are taken, too."""
    split: str = ""
    """The only split that is taken; empty for all."""
    decontamination: Decontamination | None = None
    """What leaves the kernels of benchmarks out; `None` where none was named."""


RefusalReporter = Callable[[KernelRecord, LicenceClass | SkipReason], None]


def plan_splits(index: SearchableIndex, shares: SplitShares) -> SplitPlan:
    """Return which split each kernel of the whole index is in, whatever is selected of it."""
    index.group_copies()
    families = find_repository_families(index.repository_clusters())
    return SplitPlan(shares, families)


def select_records(
    index: SearchableIndex,
    rules: SelectionRules,
    skip_counts: SkipCounts,
    split_plan: SplitPlan | None = None,
    report_refusal: RefusalReporter = lambda record, reason: None,
) -> Iterator[KernelRecord]:
    """Yield the records that a dataset takes, and count in `skip_counts` what it leaves out.

    `report_refusal` is told of each of these. They are redacted. What is in another split than
    the one asked for is not counted. Raises `BadQuery` for an expression that is none.
    """
    originals = None if rules.with_copies else _choose_originals(index, rules)
    for record in index.records(rules.expression, crawl=rules.crawl):
        if split_plan and rules.split:
            label = record.provenance.repo.label
            if split_plan.choose_split(label, record.near_cluster) != rules.split:
                continue

        refusal = _find_refusal(record, rules, originals)
        if refusal is None:
            yield redact_record(record)
        else:
            skip_counts.add(refusal, record.kernel.licence)
            report_refusal(record, refusal)


def admit_counterpart(
    record: KernelRecord, admission: Admission
) -> KernelRecord | None:
    """Return a record that comes with another one, redacted; `None` for one that must not."""
    kernel = record.kernel
    digest = kernel.unit.digest if kernel.unit else ""
    repo = record.provenance.repo
    if admission.find_refusal(kernel.licence.kind, repo, digest) is not None:
        return None

    return redact_record(record)


def _find_refusal(
    record: KernelRecord, rules: SelectionRules, originals: Originals | None
) -> LicenceClass | SkipReason | None:
    """Return why a record is left out; `originals` is `None` where copies are taken."""
    kernel = record.kernel
    digest = kernel.unit.digest if kernel.unit else ""
    repo = record.provenance.repo
    refusal = rules.admission.find_refusal(kernel.licence.kind, repo, digest)
    if refusal is not None:
        return refusal

    if originals is not None:
        rank = rank_record(record)
        if not originals.is_original(record.near_cluster, kernel.dialect.value, rank):
            return SkipReason.COPY

    decontamination = rules.decontamination
    if decontamination and decontamination.is_contaminated(record):
        return SkipReason.IN_BENCHMARK

    return None


def _choose_originals(index: SearchableIndex, rules: SelectionRules) -> Originals:
    """Rank the kernels that are admitted, in a pass of its own over rows, which are small."""
    index.group_copies()
    repos = {(repo.label, repo.commit): repo for repo in index.repos()}
    originals = Originals()

    for row in index.query(rules.expression, crawl=rules.crawl):
        if not row.near_cluster or not _is_admitted(row, repos, rules.admission):
            continue

        rank = rank_kernel(
            has_unit=bool(row.digest),
            execution_statuses=row.pass_exe.values(),
            build_statuses=row.pass_call.values(),
            path=row.path,
        )
        originals.offer(row.near_cluster, row.dialect, rank)

    return originals


def _is_admitted(
    row: IndexedKernel, repos: Mapping[tuple[str, str], Repo], admission: Admission
) -> bool:
    repo = repos.get((row.repo, row.commit))
    # its commit was removed in the meantime
    if repo is None:
        return False

    licence_class = LicenceClass(row.licence_class)
    return admission.find_refusal(licence_class, repo, row.digest) is None
