"""Kill a crawl at any moment and run it again: it goes on, nothing is lost, nothing is done
twice, nothing is left.
"""

from __future__ import annotations

import json
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt


def dataset(kernelset: Kernelset, folder: Path) -> bytes:
    folder.mkdir(parents=True, exist_ok=True)
    kernelset.run("export", "kernels", folder / "all.jsonl", "--licence", "any")
    return (folder / "all.jsonl").read_bytes()


def tasks_after_list(kernelset: Kernelset) -> list[tuple[str, str, int]]:
    (status,) = kernelset.rows("status")
    return [
        (task["stage"], task["state"], task["tasks"])
        for task in status["tasks"]
        if task["stage"] != "list"
    ]


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def disturb(
    kernelset: Kernelset, project: Path, pause: float, *, child: bool
) -> list[tuple[str, str]]:
    """Crawl, kill the parent or one of its workers after `pause` seconds, and return the tasks
    that were done.

    Nothing that it started may live on.
    """
    run = kernelset.start("crawl", project)
    parent = psutil.Process(run.pid)
    if wait_until(lambda: bool(parent.children()) or run.poll() is not None):
        time.sleep(pause)
    family = parent.children(recursive=True) if run.poll() is None else []
    workers = parent.children() if run.poll() is None else []
    if not child:
        run.kill()
    elif workers:
        workers[0].kill()
    out, err = run.communicate(timeout=120)
    if child:
        assert run.returncode == 0, (out, err)
    assert wait_until(
        lambda: (
            not [
                process
                for process in family
                if process.is_running() and process.status() != "zombie"
            ]
        )
    )
    return done(err)


def done(err: str) -> list[tuple[str, str]]:
    """Return the tasks that a run says it has done; listing aside, which is asked anew each
    time.
    """
    lines = (
        line for line in err.splitlines() if line.startswith("{") and line.endswith("}")
    )
    events = [event for event in map(json.loads, lines) if event["stage"] != "list"]
    assert {event["state"] for event in events} <= {"done"}
    return [(event["stage"], event["subject"]) for event in events]


def test_kills_lose_nothing_and_repeat_nothing(
    kernelset: Kernelset,
    crawled_home: tuple[Kernelset, str],
    project: Path,
    tmp_path: Path,
) -> None:
    seed = random.randrange(1 << 30)
    moments = random.Random(seed)
    ended_tasks = [
        *disturb(kernelset, project, moments.uniform(0.0, 3.0), child=False),
        *disturb(kernelset, project, moments.uniform(0.0, 3.0), child=False),
        *disturb(kernelset, project, moments.uniform(0.5, 2.0), child=True),
        *done(kernelset.run("crawl", project).stderr),
    ]
    # several tasks may have one subject, as those that port what each batch has shown
    done_tasks = {
        stage: count
        for stage, state, count in tasks_after_list(kernelset)
        if state == "done"
    }
    ended_stages = Counter(stage for stage, _ in ended_tasks)
    assert not ended_stages - Counter(done_tasks), seed
    assert dataset(kernelset, tmp_path / "killed") == dataset(
        crawled_home[0], tmp_path / "calm"
    ), seed
    assert tasks_after_list(kernelset) == tasks_after_list(crawled_home[0]), seed
    kernelset.sound()


def test_control_c_ends_at_once_and_cleanly(
    kernelset: Kernelset, project: Path
) -> None:
    run = kernelset.start("crawl", project)
    parent = psutil.Process(run.pid)
    assert wait_until(lambda: bool(parent.children()), 60)
    time.sleep(1.0)
    family = parent.children(recursive=True)
    began = time.monotonic()
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=30)
    assert time.monotonic() - began < 10
    assert run.returncode == 130
    assert "run the same command again" in err
    assert "Traceback" not in err
    assert wait_until(
        lambda: (
            not [
                process
                for process in family
                if process.is_running() and process.status() != "zombie"
            ]
        )
    )
