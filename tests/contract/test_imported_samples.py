"""What imported samples promise on either database: all of a collection or none of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from crawler.dataset.imported.sample import ImportedSample
from storage.imported_samples_interface import ImportedSamples
from storage.open import Storage, open_storage

SAMPLES = [
    ImportedSample(filename="passed.py", pass_call=True, pass_exe=True, pass_perf=True),
    ImportedSample(filename="not-run.py"),
    ImportedSample(filename="slow.py", pass_call=True, pass_exe=True, pass_perf=False),
    ImportedSample(filename="a/wrong.py", pass_call=True, pass_exe=False),
    ImportedSample(filename="broken.py", pass_call=False, label="é\n" * 9),
]


@pytest.fixture(params=["sqlite", "postgres"])
def storage(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    empty_database: Callable[[], str],
) -> Iterator[Storage]:
    database = empty_database() if request.param == "postgres" else ""
    with open_storage(tmp_path, database=database) as opened:
        yield opened


@pytest.fixture
def samples(storage: Storage) -> ImportedSamples:
    return storage.imported_samples


def list_failed(samples: ImportedSamples, collection: str) -> list[ImportedSample]:
    return list(samples.iter_failed(collection))


def test_what_failed_comes_back_whole_and_in_order(samples: ImportedSamples) -> None:
    assert samples.put("first", SAMPLES) == 5
    assert list_failed(samples, "first") == SAMPLES[2:]


def test_collections_are_apart_and_one_is_replaced(samples: ImportedSamples) -> None:
    samples.put("first", SAMPLES)
    samples.put("second", SAMPLES[:3])
    assert samples.count_samples() == {"first": 5, "second": 3}
    samples.put("first", SAMPLES[4:])
    assert samples.count_samples() == {"first": 1, "second": 3}
    assert list_failed(samples, "first") == SAMPLES[4:]
    assert list_failed(samples, "second") == [SAMPLES[2]]


def test_samples_that_break_half_way_change_nothing(samples: ImportedSamples) -> None:
    def broken() -> Iterator[ImportedSample]:
        yield SAMPLES[4]
        raise ValueError("line 2")

    samples.put("first", SAMPLES)
    with pytest.raises(ValueError, match="line 2"):
        samples.put("first", broken())
    assert samples.count_samples() == {"first": 5}
    assert list_failed(samples, "first") == SAMPLES[2:]


def test_more_samples_than_a_batch_keep_their_order(samples: ImportedSamples) -> None:
    many = [
        ImportedSample(filename=f"{number}.py", pass_call=number % 2 == 0)
        for number in range(451)
    ]
    assert samples.put("many", iter(many)) == 451
    assert list_failed(samples, "many") == many[1::2]


def test_nothing_is_imported_under_an_unknown_name(samples: ImportedSamples) -> None:
    assert list_failed(samples, "none") == []


def test_garbage_collection_keeps_their_texts(storage: Storage) -> None:
    storage.imported_samples.put("first", SAMPLES)
    storage.collect_garbage(grace_seconds=0, task_seconds=0)
    assert list_failed(storage.imported_samples, "first") == SAMPLES[2:]
