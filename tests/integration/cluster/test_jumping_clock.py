"""A host whose clock is set while its processes run gives nobody's task away."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from storage.ledger.interface import Stage, TaskSpec
from storage.open import open_storage
from tests.servers.fleets.host import ROOT
from tests.servers.fleets.troubles.clock import HOUR, WallClock

PROGRAM = """
import sys, time
from pathlib import Path
from storage.open import open_storage

with open_storage(Path(sys.argv[1]), database=sys.argv[2]) as storage:
    for _ in sys.stdin:
        print(time.time(), storage.clock(), storage.ledger.reclaim(), flush=True)
"""


def test_a_clock_that_is_set_ends_no_lease(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    database = new_database()
    clock = WallClock.build(tmp_path / "clock")
    spec = TaskSpec(
        stage=Stage.LIST, key="k", version="1", queue="q", payload="", subject="s"
    )
    with open_storage(tmp_path / "home", database=database) as storage:
        storage.ledger.open_crawl(("one",), (spec,))
        assert storage.ledger.claim("elsewhere", tuple(Stage), HOUR / 2)

    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, tmp_path / "home", database],
        env={"PYTHONPATH": str(ROOT), **clock.environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdin
        assert program.stdout
        answers = []
        for offset in (0, HOUR, -HOUR):
            clock.set_offset(offset)
            program.stdin.write("\n")
            program.stdin.flush()
            answers.append(list(map(float, program.stdout.readline().split())))
        program.stdin.close()

    wall, told_times, reclaimed = zip(*answers, strict=True)
    assert wall[2] < wall[0] < wall[1], "the clock did jump"
    assert told_times[0] <= told_times[1] <= told_times[2] < told_times[0] + HOUR / 2
    assert reclaimed == (0, 0, 0)
