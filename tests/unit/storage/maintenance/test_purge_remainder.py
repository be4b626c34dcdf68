"""After a purge an index holds what it would hold had the purged commits never been put."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from crawler.errors import Misconfigured
from crawler.model import Dialect, Kernel, KernelUnit, Repo
from storage.database.engine import read_transaction
from storage.in_memory.index import InMemoryKernelIndex
from storage.interfaces import KernelIndex
from storage.ledger.interface import Stage, TaskSpec
from storage.maintenance.purge import purge_commits
from storage.open import Storage, open_storage
from storage.tables import DEFINITION, MEMORY, PORT, UNIT
from tests.unit.storage.samples import REPO, make_build, make_kernel, make_unit

MINE = replace(REPO, name="mine", commit="1")
THEIRS = replace(REPO, name="theirs", commit="1")
REPOS = (MINE, replace(MINE, commit="2"), THEIRS)
UNITS = tuple(make_unit(f"body {number}") for number in range(3))
SHARED_PORT = "hip of all"
"""The text that every unit is ported to."""
Plan = tuple[tuple[int, ...], ...]
"""The units of each commit's kernels, by number."""


def is_mine(repo: Repo) -> bool:
    return repo.name == "mine"


def make_kernels(units: Sequence[int]) -> list[Kernel]:
    return [
        make_kernel(
            f"k{unit}",
            offset=100 * place,
            unit=UNITS[unit],
            source=f"__global__ void k{unit}() {{ body{unit}(); }}",
        )
        for place, unit in enumerate(units)
    ]


def make_ports(unit: KernelUnit) -> list[KernelUnit]:
    return [
        make_unit(text, dialect=Dialect.HIP, ported_from=unit.digest)
        for text in (f"hip {unit.source}", SHARED_PORT)
    ]


def fill(index: KernelIndex, plan: Plan, is_put: Callable[[Repo], bool]) -> None:
    """Put commits, and what is known of their units."""
    numbers: set[int] = set()
    for repo, units in zip(REPOS, plan, strict=True):
        if is_put(repo):
            index.put_commit(repo, "", "")
            index.put_kernels(repo, make_kernels(units))
            numbers.update(units)

    for number in sorted(numbers):
        unit = UNITS[number]
        index.put_ports(make_ports(unit))
        index.put_builds([make_build(unit, "sm_80")])
    index.group_copies()


@pytest.fixture
def new_storage(
    migrated_database: Path, tmp_path: Path
) -> Iterator[Callable[[], Storage]]:
    opened: list[Storage] = []

    def make() -> Storage:
        home = Path(tempfile.mkdtemp(dir=tmp_path))
        shutil.copy(migrated_database, home / "kernelset.db")
        opened.append(open_storage(home))
        return opened[-1]

    yield make
    for storage in opened:
        storage.close()


@pytest.fixture
def storage(new_storage: Callable[[], Storage]) -> Storage:
    return new_storage()


def list_unit_digests(storage: Storage) -> set[str]:
    with read_transaction(storage.engine) as connection:
        return set(connection.scalars(select(UNIT.c.digest)))


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    plan=st.tuples(*(st.lists(st.integers(0, 2), max_size=3).map(tuple) for _ in REPOS))
)
def test_what_is_left_is_what_others_alone_would_have_put(
    new_storage: Callable[[], Storage], plan: Plan
) -> None:
    storage = new_storage()
    fill(storage.index, plan, lambda repo: True)
    result = storage.purge(is_mine)

    expected = InMemoryKernelIndex()
    fill(expected, plan, lambda repo: not is_mine(repo))
    assert storage.index.repos() == expected.repos()
    assert list(storage.index.records()) == list(expected.records())
    assert storage.index.totals() == expected.totals()
    assert result.repositories == 2
    assert result.kernels == len(plan[0]) + len(plan[1])

    kept_units = {UNITS[number] for number in plan[2]}
    kept_texts = {unit.digest for unit in kept_units}
    for unit in kept_units:
        kept_texts |= {port.digest for port in make_ports(unit)}
    assert list_unit_digests(storage) == kept_texts
    for unit in UNITS:
        for text in (unit, *make_ports(unit)):
            assert storage.blobs.has(text.digest) == (text.digest in kept_texts)


def test_all_can_be_put_again_after_a_purge(storage: Storage) -> None:
    plan = ((0, 1), (), (1, 2))
    fill(storage.index, plan, lambda repo: True)
    before = list(storage.index.records())
    storage.purge(is_mine)
    fill(storage.index, plan, lambda repo: True)
    assert list(storage.index.records()) == before


def test_texts_that_only_purged_kernels_had_are_no_longer_signed(
    storage: Storage,
) -> None:
    fill(storage.index, ((0,), (), (1,)), lambda repo: True)
    storage.purge(is_mine)
    with read_transaction(storage.engine) as connection:
        names = list(connection.scalars(select(DEFINITION.c.name)))
        sources = set(connection.scalars(select(PORT.c.unit)))
    assert names == ["k1"]
    assert sources == {UNITS[1].digest}


def test_a_purge_that_was_cut_short_is_gone_on_with(storage: Storage) -> None:
    fill(storage.index, ((0,), (), (1,)), lambda repo: True)

    def lose_power(digests: Sequence[str]) -> int:
        raise OSError("the machine went off")

    with pytest.raises(OSError, match="went off"):
        purge_commits(storage.engine, lose_power, is_mine)
    assert {repo.name for repo in storage.index.repos()} == {"theirs"}
    assert storage.blobs.has(UNITS[0].digest), "nothing was erased yet"

    result = storage.purge(is_mine)
    assert result.repositories == 0
    assert result.blobs > 0
    assert not storage.blobs.has(UNITS[0].digest)
    assert storage.blobs.has(UNITS[1].digest)


def test_what_was_put_again_meanwhile_is_not_erased(storage: Storage) -> None:
    """The plan of a purge that was cut short is older than what came since."""
    plan = ((0,), (), (1,))
    fill(storage.index, plan, lambda repo: True)
    with pytest.raises(OSError, match="off"):
        purge_commits(storage.engine, raise_error, is_mine)

    fill(storage.index, plan, lambda repo: True)
    storage.purge(lambda repo: False)
    assert storage.blobs.has(UNITS[0].digest)
    assert len(list(storage.index.records())) == 2


def raise_error(digests: Sequence[str]) -> int:
    raise OSError("off")


def test_no_plan_is_left_behind(storage: Storage) -> None:
    fill(storage.index, ((0,), (), ()), lambda repo: True)
    storage.purge(is_mine)
    with read_transaction(storage.engine) as connection:
        assert connection.scalars(select(MEMORY.c.key)).all() == []


def test_nothing_is_purged_while_a_task_runs(storage: Storage) -> None:
    fill(storage.index, ((0,), (), ()), lambda repo: True)
    spec = TaskSpec(
        stage=Stage.LINK, key="k", version="1", queue="q", payload="{}", subject="s"
    )
    storage.ledger.open_crawl(("x",), (spec,))
    claim = storage.ledger.claim("me", (Stage.LINK,), 60)
    assert claim
    with pytest.raises(Misconfigured) as refusal:
        storage.purge(is_mine)
    assert refusal.value.code == "purge-too-early"
    assert len(storage.index.repos()) == 3

    storage.ledger.fail(claim, "gone", "")
    assert storage.purge(is_mine).repositories == 2


def test_what_is_remembered_of_purged_texts_goes_and_the_rest_stays(
    storage: Storage,
) -> None:
    fill(storage.index, ((0,), (), (1,)), lambda repo: True)
    remember(storage, ((f"parse {unit.digest}", unit.digest) for unit in UNITS[:2]))
    storage.purge(is_mine)
    with read_transaction(storage.engine) as connection:
        keys = connection.scalars(select(MEMORY.c.key)).all()
    assert keys == [f"parse {UNITS[1].digest}"]


def remember(storage: Storage, entries: Iterable[tuple[str, str]]) -> None:
    with storage.engine.begin() as connection:
        for key, digest in entries:
            row = {"key": key, "value": digest.encode(), "remembered_at": 1.0}
            connection.execute(MEMORY.insert().values(row))


def test_to_purge_nothing_changes_nothing(storage: Storage) -> None:
    fill(storage.index, ((0,), (1,), (2,)), lambda repo: True)
    before = list(storage.index.records())
    result = storage.purge(lambda repo: False)
    assert (result.repositories, result.kernels, result.units, result.blobs) == (
        0,
        0,
        0,
        0,
    )
    assert list(storage.index.records()) == before
