"""Whatever is stored, erased and collected of a blob store on disk, it gives back what was put."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from storage.blobs.indexed_blobs import PACK_THRESHOLD_BYTES
from storage.open import open_storage

CONTENTS = [b"", b"a", b"b" * 100, bytes(range(256)) * 8]
CONTENTS += [b"large " * PACK_THRESHOLD_BYTES, bytes(PACK_THRESHOLD_BYTES)]
NUMBERS = st.lists(st.integers(0, len(CONTENTS) - 1), max_size=5)


class BlobMachine(RuleBasedStateMachine):
    """A store in a home, beside a dictionary."""

    new_home: ClassVar[Callable[[], Path]]

    def __init__(self) -> None:
        super().__init__()
        self.home = type(self).new_home()
        self.storage = open_storage(self.home)
        self.digests: dict[int, str] = {}
        """Digest of each content that was ever put, by its number."""
        self.present: set[int] = set()

    @rule(numbers=NUMBERS)
    def put(self, numbers: list[int]) -> None:
        contents = [CONTENTS[number] for number in numbers]
        digests = self.storage.blobs.put_many(contents)
        assert len(digests) == len(numbers)
        for number, digest in zip(numbers, digests, strict=True):
            assert self.digests.setdefault(number, digest) == digest
        self.present |= set(numbers)

    @rule(numbers=NUMBERS)
    def erase(self, numbers: list[int]) -> None:
        chosen = sorted(set(numbers) & self.digests.keys())
        erased = self.storage.blobs.erase([self.digests[number] for number in chosen])
        assert erased == len(set(chosen) & self.present)
        self.present -= set(chosen)

    @rule(numbers=NUMBERS)
    def get(self, numbers: list[int]) -> None:
        chosen = [number for number in numbers if number in self.digests]
        digests = [self.digests[number] for number in chosen]
        if set(chosen) <= self.present:
            expected = tuple(CONTENTS[number] for number in chosen)
            assert self.storage.blobs.get_many(digests) == expected
        else:
            with pytest.raises(KeyError):
                self.storage.blobs.get_many(digests)

    @rule()
    def delete_strays(self) -> None:
        """Nothing that a row names is a stray, whatever its age."""
        self.storage.blobs.delete_unreferenced_objects(time.time() + 3600)

    @rule()
    def open_again(self) -> None:
        self.storage.close()
        self.storage = open_storage(self.home)

    @invariant()
    def what_was_put_is_there_and_what_was_erased_is_not(self) -> None:
        for number, digest in self.digests.items():
            assert self.storage.blobs.has(digest) == (number in self.present)
            if number in self.present:
                assert self.storage.blobs.get(digest) == CONTENTS[number]

    @invariant()
    def what_was_erased_is_nowhere_on_the_disk(self) -> None:
        if self.present:
            return
        self.storage.blobs.delete_unreferenced_objects(time.time() + 3600)
        for path in (self.home / "blobs").rglob("*"):
            # the pack that is being appended to stays, and nothing is left in it
            if path.is_file() and path.suffix == ".pack":
                assert not any(path.read_bytes())
            else:
                assert not path.is_file() or path.stat().st_size == 0, path

    def teardown(self) -> None:
        self.storage.close()
        super().teardown()


def test_a_store_gives_back_what_was_put_and_nothing_that_was_erased(
    migrated_database: Path, tmp_path: Path
) -> None:
    homes: list[Path] = []

    def new_home() -> Path:
        home = tmp_path / str(len(homes))
        home.mkdir()
        shutil.copy(migrated_database, home / "kernelset.db")
        homes.append(home)
        return home

    machine = type("Machine", (BlobMachine,), {"new_home": staticmethod(new_home)})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=15,
            stateful_step_count=12,
            deadline=None,
            # shrinking a history takes minutes: turn it on where one fails
            phases=(Phase.explicit, Phase.reuse, Phase.generate),
            suppress_health_check=list(HealthCheck),
        ),
    )
