"""Tasks of other processes are counted, each once."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from benchmarks.cluster import task_ticks


def test_ticks_of_many_processes_are_all_counted(tmp_path: Path) -> None:
    done = tmp_path / "done"

    def write_many() -> None:
        for _ in range(50):
            task_ticks.write_tick(done)

    children = []
    for _ in range(4):
        child = os.fork()
        if not child:
            write_many()
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)

    assert done.stat().st_size == 200


def test_the_time_of_the_first_task_does_not_count(tmp_path: Path) -> None:
    done = tmp_path / "done"

    def start_slowly() -> None:
        time.sleep(0.5)
        task_ticks.write_tick(done)

    def do_ten() -> None:
        for _ in range(10):
            task_ticks.write_tick(done)

    rate = task_ticks.measure_rate(done, 10, first=start_slowly, all_of_them=do_ten)
    assert rate > 10 / 0.4


def test_tasks_that_never_end_are_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_ticks, "MAX_SECONDS", 0.05)
    done = tmp_path / "done"

    def do_one() -> None:
        task_ticks.write_tick(done)

    with pytest.raises(AssertionError, match="2 of 4 tasks are done"):
        task_ticks.measure_rate(done, 3, first=do_one, all_of_them=do_one)


def test_a_child_works_while_the_block_runs_and_is_gone_behind_it(
    tmp_path: Path,
) -> None:
    done = tmp_path / "done"
    done.touch()

    def tick_for_ever() -> None:
        while True:
            task_ticks.write_tick(done)
            time.sleep(0.01)

    with task_ticks.run_in_child(tick_for_ever):
        deadline = time.monotonic() + 10
        while done.stat().st_size < 2 and time.monotonic() < deadline:
            time.sleep(0.01)

    tick_count = done.stat().st_size
    assert tick_count >= 2
    time.sleep(0.1)
    assert done.stat().st_size == tick_count
