"""What was seen at a host is kept under its number: names change, owners change, and what goes
leaves a tombstone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.model import Repo
from storage.index.source_memory import SqlSourceMemory
from storage.open import Storage, open_storage

TIDE = Repo(
    source="github",
    owner="waves",
    name="tide",
    url="u",
    ref="",
    commit="",
    id="1",
    pushed_at="2026-01-01",
)
SWELL = replace(TIDE, name="swell", id="2")
FORK = replace(TIDE, name="fork", id="3")


@pytest.fixture
def storage(tmp_path: Path, migrated_database: Path) -> Iterator[Storage]:
    home = tmp_path / "home"
    home.mkdir()
    (home / "kernelset.db").write_bytes(migrated_database.read_bytes())
    with open_storage(home) as opened:
        yield opened


@pytest.fixture
def memory(storage: Storage) -> SqlSourceMemory:
    times = iter(range(1, 100))
    return SqlSourceMemory(storage.engine, clock=lambda: float(next(times)))


def states(memory: SqlSourceMemory, owner: str = "") -> dict[str, tuple[str, str]]:
    return {
        f"{listed.repo.owner}/{listed.repo.name}": (listed.state, listed.reason)
        for listed in memory.listed_repositories(owner)
    }


def test_the_last_that_was_remembered_counts(memory: SqlSourceMemory) -> None:
    assert memory.recall("a") is None
    memory.remember("a", b"1")
    memory.remember_all([("a", b"2"), ("b", b"\0\xff"), ("a", b"3")])
    memory.remember_all([])
    assert (memory.recall("a"), memory.recall("b")) == (b"3", b"\0\xff")


def test_what_is_no_longer_listed_has_vanished_and_may_come_back(
    memory: SqlSourceMemory,
) -> None:
    assert memory.put_listing("github", "waves", [TIDE, SWELL], [(FORK, "fork")]) == 0
    assert memory.put_listing("github", "waves", [TIDE], []) == 2
    assert states(memory) == {
        "waves/fork": ("vanished", ""),
        "waves/swell": ("vanished", ""),
        "waves/tide": ("wanted", ""),
    }
    (gone, _) = memory.listed_repositories("Waves", "vanished")
    assert gone.vanished_at == 2.0 > gone.seen_at
    assert memory.put_listing("github", "waves", [TIDE, SWELL], [(FORK, "fork")]) == 0
    assert states(memory)["waves/fork"] == ("passed-over", "fork")


def test_another_owners_listing_says_nothing_of_these(memory: SqlSourceMemory) -> None:
    memory.put_listing("github", "waves", [TIDE], [])
    assert (
        memory.put_listing("github", "others", [replace(SWELL, owner="others")], [])
        == 0
    )
    assert states(memory, "waves") == {"waves/tide": ("wanted", "")}


def test_a_new_name_and_a_new_owner_are_seen_as_such(memory: SqlSourceMemory) -> None:
    memory.put_listing("github", "waves", [TIDE, SWELL], [])
    moved, named = replace(TIDE, owner="others"), replace(SWELL, name="surge")
    assert memory.find_renamed([moved, named, FORK]) == ((SWELL, named), (TIDE, moved))
    memory.put_listing("github", "others", [moved], [])
    assert memory.put_listing("github", "waves", [named], []) == 0
    assert states(memory) == {
        "others/tide": ("wanted", ""),
        "waves/surge": ("wanted", ""),
    }
    assert memory.find_renamed([moved, named]) == ()
