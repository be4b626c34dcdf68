"""The kernel index in SQL: rows hold what is queried, blobs hold texts and whole values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from sqlalchemy import ColumnElement, Engine

from crawler.codec import decode, encode
from crawler.model import Build, Kernel, KernelRecord, KernelUnit, Repo, Run, Suite
from storage.database.base import upsert
from storage.database.engine import (
    AdvisoryLock,
    read_transaction,
    write_transaction,
)
from storage.index.counts import kept_counts
from storage.index.counts.facets import read_facets
from storage.index.counts.step_totals import count_steps
from storage.index.counts.totals import count_totals
from storage.index.fingerprint import compute_fingerprint
from storage.index.kernel_rows import revisions, verdicts
from storage.index.kernel_rows.kernel_texts import asks_for_text, write_missing_texts
from storage.index.kernel_rows.kernel_units import (
    UNITS_PER_PAGE,
    load_units,
    select_units_of,
    store_units,
    write_ports,
)
from storage.index.kernel_rows.kernel_writes import write_first_units, write_kernels
from storage.index.pages import paging
from storage.index.pages.page_reading import read_kernel_page
from storage.index.pages.records import RecordPage
from storage.index.query.candidates import choose_candidates
from storage.index.query.conditions import EVERYTHING, Condition
from storage.index.query.parser import parse_field, parse_query
from storage.index.query.sql_conditions import render_condition
from storage.interfaces import BlobStore, KernelRow, Place
from storage.kernel_counts import StepTotals, Totals, ValueCount
from storage.tables import KERNEL, REVISION_TASK

if TYPE_CHECKING:
    from crawler.similarity.repository_families import RepositoryCluster

# functions that need what signs texts import it: a query must not wait for that
_ROWS_PER_PAGE: Final = 500
_RECORDS_PER_PAGE: Final = 100
"""Records held at once: each has some eight blobs."""


class SqlKernelIndex:
    """The `KernelIndex` in an SQL database and a blob store."""

    def __init__(self, engine: Engine, blobs: BlobStore) -> None:
        self._engine = engine
        self._blobs = blobs

    def put_commit(
        self, repo: Repo, snapshot: str, database: str, *, task: int = 0
    ) -> None:
        """Record a commit; an empty digest changes nothing."""
        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            revision = revisions.write_revision(connection, repo, snapshot, database)
            if not task:
                return

            link = upsert(REVISION_TASK).values(task=task, revision=revision)
            connection.execute(link.on_conflict_do_nothing())

    def repos(self) -> tuple[Repo, ...]:
        """Return every recorded commit, by source, owner, name and commit."""
        with read_transaction(self._engine) as connection:
            encoded_repos = revisions.list_encoded(connection)

        return tuple(decode(encoded, Repo) for encoded in encoded_repos)

    def supersede(self, repo: Repo) -> None:
        """Mark the kernels of every other commit of the same repository and ref."""
        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            revisions.supersede(connection, repo)

    def reinstate(self, repo: Repo) -> None:
        """Make a superseded commit the newest of its ref again."""
        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            revisions.reinstate(connection, repo)

    def rename(self, old: Repo, new: Repo) -> None:
        """Give every commit of a repository another owner, name and address."""
        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            revisions.rename_repository(connection, old, new)

    def put_kernels(self, repo: Repo, kernels: Iterable[Kernel]) -> None:
        """Replace the kernels of the commit, with their units, by `kernels`."""
        from storage.index.kernel_rows.stored_kernels import write_with_units

        with write_with_units(
            self._engine, self._blobs, repo, kernels, write_kernels
        ) as connection:
            revisions.supersede(connection, repo)

    def put_first_units(self, repo: Repo, kernels: Iterable[Kernel]) -> None:
        """Replace kernels that syntax alone has shown by the same ones of `kernels`."""
        from storage.index.kernel_rows.stored_kernels import write_with_units

        with write_with_units(
            self._engine, self._blobs, repo, kernels, write_first_units
        ):
            pass

    def has_kernels(self, repo: Repo) -> bool:
        """Tell whether a kernel of any commit of the repository is recorded."""
        with read_transaction(self._engine) as connection:
            return revisions.has_kernels(connection, repo)

    def units(self, repo: Repo) -> Iterator[KernelUnit]:
        """Yield the distinct units of the commit, ports included, ordered by digest."""
        after = ""
        while True:
            statement = select_units_of(repo, after)
            with read_transaction(self._engine) as connection:
                page = connection.execute(statement).all()

            # read outside the transaction: blobs may lie on a slow server
            digest_pairs = [(digest, encoded) for digest, encoded in page]
            yield from load_units(self._blobs, digest_pairs)
            if len(digest_pairs) < UNITS_PER_PAGE:
                return

            after, _ = digest_pairs[-1]

    def put_ports(self, ported: Iterable[KernelUnit]) -> None:
        """Replace the ports of the units that `ported_from` names."""
        ports: list[KernelUnit] = []
        for unit in ported:
            # a text that a port leaves as it is needs none
            if unit.ported_from not in {"", unit.digest}:
                ports.append(unit)

        stored = store_units(self._blobs, ports)
        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            sources = {port.ported_from for port in ports}
            with kept_counts.adjust_counts_of_units(connection, sources):
                write_ports(connection, stored)

    def put_builds(self, builds: Iterable[Build]) -> None:
        """Store builds; a newer one of the same (unit, target, toolchain) replaces the older."""
        newest = verdicts.keep_newest_builds(builds)
        encoded_builds = (encode(build) for build in newest.values())
        digests = self._blobs.put_many(encoded_builds)

        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            units = {unit for unit, _, _ in newest}
            with kept_counts.adjust_counts_of_units(
                connection, units, kept_counts.BUILD_FIELDS
            ):
                verdicts.write_builds(connection, newest, digests)

    def put_runs(self, runs: Iterable[Run], suites: Iterable[Suite] = ()) -> None:
        """Store runs and the suites that they name; a newer run replaces the older."""
        run_list = list(runs)
        suite_list = list(suites)
        encoded_suites = (encode(suite) for suite in suite_list)
        encoded_runs = (encode(run) for run in run_list)

        # blobs before rows: a row never names what is not there
        suite_digests = self._blobs.put_many(encoded_suites)
        run_digests = self._blobs.put_many(encoded_runs)
        stored_suites = zip(suite_list, suite_digests, strict=True)
        stored_runs = zip(run_list, run_digests, strict=True)

        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            verdicts.write_suites(connection, stored_suites)
            units = {run.unit for run in run_list}
            with kept_counts.adjust_counts_of_units(
                connection, units, kept_counts.RUN_FIELDS
            ):
                verdicts.write_runs(connection, stored_runs)

    def group_copies(self) -> int:
        """Group the near copies of kernels' texts that are new, and return how many these are."""
        from storage.index.kernel_rows.definitions import group_copies

        return group_copies(self._engine, self._blobs)

    def repository_clusters(self) -> Iterator[RepositoryCluster]:
        """Yield each repository with each group of near copies of which it holds one."""
        from storage.index.kernel_rows.definitions import iter_repository_clusters

        return iter_repository_clusters(self._engine)

    def query(
        self,
        expression: str = "",
        *,
        crawl: str = "",
        limit: int = 0,
        after: Place | None = None,
    ) -> Iterator[KernelRow]:
        """Yield matching rows, page by page; raises `BadQuery` at once."""
        # parsed now: `BadQuery` is not raised only when the first row is read
        conditions = self._list_conditions(self._parse(expression), crawl)
        if after is not None:
            conditions.append(paging.is_behind(after))
        return islice(self._iter_rows(conditions, limit), limit or None)

    def records(
        self, expression: str = "", *, crawl: str = "", limit: int = 0
    ) -> Iterator[KernelRecord]:
        """Yield the whole records of the same kernels in the same order; 0 for no limit."""
        records = self._iter_records(self._parse(expression), crawl, limit)
        return islice(records, limit or None)

    def count_values(
        self, field: str, expression: str = "", *, crawl: str = "", among: int = 0
    ) -> list[ValueCount]:
        """Return how many matching kernels have each value of a field, the most frequent first."""
        chosen_field, target = parse_field(field)
        condition = self._parse(expression)
        ids = paging.select_first_ids(self._list_conditions(condition, crawl), among)
        is_of_all = condition == EVERYTHING and not crawl and not among
        # a query of its own: the tables of its conditions are not those of the counts
        is_chosen = None if is_of_all else KERNEL.c.id.in_(ids.correlate(None))
        return kept_counts.count_kernels(self._engine, chosen_field, target, is_chosen)

    def query_with_facets(
        self,
        fields: Sequence[str],
        expression: str = "",
        *,
        crawl: str = "",
        limit: int,
        among: int,
    ) -> tuple[list[KernelRow], dict[str, list[ValueCount]]]:
        """Return the first rows, and what `count_values` returns of each of `fields`."""
        chosen_fields = {field: parse_field(field) for field in fields}
        conditions = self._list_conditions(self._parse(expression), crawl)
        with read_transaction(self._engine) as connection:
            kernels = paging.list_first_kernels(
                connection, conditions, max(limit, among)
            )
            page = read_kernel_page(connection, kernels[:limit])
            rows = [page.query_row(kernel) for kernel in page.kernels]
            return rows, read_facets(connection, kernels[:among], chosen_fields)

    def compute_fingerprint(self) -> str:
        """Return a digest that is another one as soon as any row or record is."""
        with read_transaction(self._engine) as connection:
            return compute_fingerprint(connection)

    def totals(self, *, crawl: str = "") -> Totals:
        """Count the kernels of a crawl, or of all."""
        with read_transaction(self._engine) as connection:
            is_chosen = revisions.is_of_crawl(crawl) if crawl else None
            return count_totals(connection, is_chosen)

    def step_totals(self, *, crawl: str = "") -> StepTotals:
        """Count how many of a crawl, or of all, came through to which step."""
        with read_transaction(self._engine) as connection:
            is_chosen = revisions.is_of_crawl(crawl) if crawl else None
            return count_steps(connection, is_chosen)

    def _parse(self, expression: str) -> Condition:
        condition = parse_query(expression)
        if asks_for_text(condition):
            write_missing_texts(self._engine, self._blobs)
        return condition

    def _list_conditions(
        self, condition: Condition, crawl: str
    ) -> list[ColumnElement[bool]]:
        conditions = [render_condition(condition)]
        if crawl:
            conditions.append(revisions.is_of_crawl(crawl))
        with read_transaction(self._engine) as connection:
            candidates = choose_candidates(connection, condition)
        if candidates is not None:
            conditions.append(KERNEL.c.id.in_(candidates))
        return conditions

    def _iter_rows(
        self, conditions: Sequence[ColumnElement[bool]], limit: int
    ) -> Iterator[KernelRow]:
        size = min(limit or _ROWS_PER_PAGE, _ROWS_PER_PAGE)
        for page in paging.iter_pages(self._engine, conditions, size, read_kernel_page):
            for kernel in page.kernels:
                yield page.query_row(kernel)

    def _iter_records(
        self, condition: Condition, crawl: str, limit: int
    ) -> Iterator[KernelRecord]:
        # a small limit needs no large page: each record has blobs of its own
        size = min(limit or _RECORDS_PER_PAGE, _RECORDS_PER_PAGE)
        conditions = self._list_conditions(condition, crawl)
        for page in paging.iter_pages(self._engine, conditions, size, RecordPage):
            yield from page.records(self._blobs)
