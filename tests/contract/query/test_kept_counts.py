"""Counts that are kept are those that a look at every kernel would give."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from sqlalchemy import Connection

from crawler.model import Build, Repo, Status, Toolchain, Verdict
from storage.in_memory.index import InMemoryKernelIndex
from storage.index.counts import kept_counts
from storage.index.counts.kept_counts import KEPT_FIELDS
from storage.interfaces import KernelIndex
from storage.open import Storage, open_storage
from tests.contract.kernel_indexes import kernel_of, unit_of
from tests.contract.query.drawn_rows import REPOS, Filling, fill, fillings
from tests.servers.postgres import Postgres

NOBODY = Repo(source="git", owner="o%", name="b_a", url="u", ref="", commit="b2")
WRITERS = 4
UNITS = tuple(unit_of(f"body {number}") for number in range(8))


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(first=fillings(), second=fillings())
def test_counts_follow_what_is_written(
    empty: Path, first: Filling, second: Filling
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = shutil.copytree(empty, Path(folder) / "home")
        with open_storage(home) as storage:
            fill_and_compare(storage.index, first, second)


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(first=fillings(), second=fillings())
def test_counts_follow_what_is_written_to_postgres(
    tmp_path: Path,
    empty_database: Callable[[], str],
    first: Filling,
    second: Filling,
) -> None:
    with open_storage(tmp_path, database=empty_database()) as storage:
        fill_and_compare(storage.index, first, second)


def fill_and_compare(index: KernelIndex, first: Filling, second: Filling) -> None:
    memory = InMemoryKernelIndex()
    # from the first look on they are kept, of an empty index, too
    compare(index, memory)
    for filling in (first, second):
        for own in (index, memory):
            fill(own, filling)
        compare(index, memory)

    # one of the two is known under both names, and goes
    for own in (index, memory):
        own.put_commit(NOBODY, "s", "d")
        own.rename(REPOS[2], NOBODY)
    compare(index, memory)


def compare(index: KernelIndex, memory: KernelIndex) -> None:
    for field in KEPT_FIELDS:
        counts = memory.count_values(field)
        assert index.count_values(field) == counts, field
        # what is kept of all targets serves for one
        for target in {count.target for count in counts} - {""}:
            own = [count for count in counts if count.target == target]
            assert index.count_values(f"{field}.{target}") == own, (field, target)


@pytest.mark.parametrize("is_kept", [True, False])
def test_no_writer_loses_what_another_counted(
    empty: Path, tmp_path: Path, is_kept: bool
) -> None:
    home = shutil.copytree(empty, tmp_path / "home")
    with open_storage(home) as storage:
        write_at_once(storage.index, lambda: open_storage(home), is_kept=is_kept)


@pytest.mark.parametrize("is_kept", [True, False])
def test_no_writer_loses_what_another_counted_on_postgres(
    tmp_path: Path, empty_database: Callable[[], str], is_kept: bool
) -> None:
    url = empty_database()

    def open_again() -> Storage:
        return open_storage(tmp_path, database=url)

    with open_again() as storage:
        write_at_once(storage.index, open_again, is_kept=is_kept)


@pytest.mark.parametrize("moment", ["before the look", "in the look"])
def test_what_is_written_while_somebody_counts_is_not_lost(
    empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    home = shutil.copytree(empty, tmp_path / "home")
    with open_storage(home) as storage:
        index = storage.index
        index.put_commit(REPOS[0], "s", "d")
        index.put_kernels(REPOS[0], [kernel_of("k", unit=unit) for unit in UNITS[:2]])
        index.put_builds([build_of(UNITS[0].digest, 0)])
        name = "_read_rows" if moment == "before the look" else "_count_kernels"
        put = iter([partial(index.put_builds, [build_of(UNITS[1].digest, 0)])])
        own = getattr(kept_counts, name)

        def write_first(connection: Connection, *arguments: Any) -> Any:
            is_recorded = "pass_call" in kept_counts._list_kept_fields(connection)
            for act in put if is_recorded else ():
                with ThreadPoolExecutor(1) as pool:
                    pool.submit(act).result()
            return own(connection, *arguments)

        monkeypatch.setattr(kept_counts, name, write_first)
        index.count_values("pass_call")
        monkeypatch.undo()
        (count,) = index.count_values("pass_call")
        assert (count.value, count.kernels) == ("pass", 2)


def test_who_may_only_read_counts_without_keeping(
    postgres: Postgres, tmp_path: Path, empty_database: Callable[[], str]
) -> None:
    url = empty_database()
    with open_storage(tmp_path, database=url) as storage:
        storage.index.put_commit(REPOS[0], "s", "d")
        storage.index.put_kernels(REPOS[0], [kernel_of("k", unit=UNITS[0])])
        storage.index.put_builds([build_of(UNITS[0].digest, 1)])
        # as docs/cluster.md says
        postgres.run("CREATE ROLE count_reader LOGIN", "shared")
        grant = "GRANT SELECT ON ALL TABLES IN SCHEMA public TO count_reader"
        postgres.run(grant, "shared")

    reader_url = url.replace("kernelset@", "count_reader@")
    with open_storage(tmp_path, database=reader_url) as storage:
        for _ in range(2):
            (count,) = storage.index.count_values("pass_call.gfx1")
            assert (count.value, count.target, count.kernels) == ("fail", "gfx1", 1)


def write_at_once(
    index: KernelIndex, open_again: Callable[[], Storage], *, is_kept: bool
) -> None:
    repo = REPOS[0]
    kernels = [
        kernel_of("k", offset=number, unit=unit)
        for number, unit in enumerate([*UNITS, *UNITS])
    ]
    index.put_commit(repo, "s", "d")
    index.put_kernels(repo, kernels)
    if is_kept:
        assert index.count_values("pass_call") == []

    def write(writer: int) -> None:
        with open_again() as storage:
            for unit in UNITS:
                storage.index.put_builds([build_of(unit.digest, writer)])
                # where none are kept yet, the first to come counts while others write
                storage.index.count_values("reasons")
                storage.index.count_values("pass_call")

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))

    # each writer's builds are of a target of its own, and some fail
    counts = {
        (count.target, count.value): count.kernels
        for count in index.count_values("pass_call")
    }
    assert counts == {
        ("gfx0", "pass"): len(kernels),
        ("gfx1", "fail"): len(kernels),
        ("gfx2", "pass"): len(kernels),
        ("gfx3", "fail"): len(kernels),
    }
    (reason,) = index.count_values("reasons")
    assert (reason.value, reason.kernels) == ("compile-error", len(kernels))


def build_of(unit: str, writer: int) -> Build:
    is_good = writer % 2 == 0
    verdict = Verdict(status=Status.PASS)
    if not is_good:
        verdict = Verdict(status=Status.FAIL, code="compile-error")
    return Build(
        unit=unit,
        target=f"gfx{writer}",
        toolchain=Toolchain(compiler="clang", digest="c"),
        pass_call=verdict,
    )
