"""What is to be parsed becomes tasks whose titles are read in logs."""

from __future__ import annotations

from workers.stages.build_db import _make_batches


def test_the_title_of_a_batch_does_not_take_batches_for_files() -> None:
    batches = _make_batches(2, "a" * 64, "b" * 64, "mmcv 2.2.0")
    titles = [batch.subject for batch in batches]
    assert titles == ["mmcv 2.2.0: batch 1 of 2", "mmcv 2.2.0: batch 2 of 2"]
