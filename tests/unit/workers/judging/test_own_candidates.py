"""A kernel's own sources as candidates."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.open import open_storage
from tests.judged_kernel import RIGHT, put_judged_kernel
from workers.judging.own_candidates import build_own_tasks, list_own_candidates

pytestmark = [pytest.mark.apt, pytest.mark.slow]


def test_the_unit_is_a_candidate_for_its_own_task(tmp_path: Path) -> None:
    with open_storage(tmp_path) as storage:
        task_id = put_judged_kernel(storage, tmp_path)
        (record,) = storage.index.records()
        tasks = build_own_tasks(record, storage.blobs.get)
        (candidate,) = list_own_candidates(record, tasks)

    assert set(tasks) == {"cuda"}
    assert (candidate.task_id, candidate.language) == (task_id, "cuda")
    assert RIGHT in candidate.completion
