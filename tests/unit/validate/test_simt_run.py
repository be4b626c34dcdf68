"""A program of many launches that is ended from outside: one launch is why, the others have nothing to do with it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from crawler.model import Status, Verdict
from crawler.process import Finished, Limits
from crawler.sandbox import Mount
from crawler.validate.simt import run
from crawler.validate.simt.execution import Outcome
from crawler.validate.simt.launch import Launch
from crawler.validate.simt.program import Mode, Program

PROGRAM = Program(unit="", mode=Mode(), verdict=Verdict(status=Status.PASS), executable=b"#!")
TOO_MUCH = 7
"""The seed of a launch that takes more memory than there is."""


def test_a_launch_that_is_ended_from_outside_takes_no_other_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run.sandbox, "run", _ended_at_too_much)
    done = run.execute(PROGRAM, [_launch(seed) for seed in (1, TOO_MUCH, 3, TOO_MUCH, TOO_MUCH, 6)])
    ran, ended = Outcome.DONE, Outcome.KILLED
    assert [each.outcome for each in done] == [ran, ended, ran, ended, ended, ran]
    assert [each.blocks_done for each in done] == [1, 0, 3, 0, 0, 6]


def _launch(seed: int) -> Launch:
    return Launch(grid=(1, 1, 1), block=(1, 1, 1), seconds=1.0, seed=seed)


def _ended_at_too_much(argv: Sequence[str], *, mounts: Sequence[Mount], cwd: str, limits: Limits) -> Finished:
    """Tell each launch of the job with its seed as the number of its blocks, up to the first that takes too much."""
    work, results = (mount.source for mount in mounts)
    heads = (line.split() for line in (work / "job").read_text().splitlines() if line.startswith("launch "))
    with (results / "told").open("w") as told:
        for seed in (int(head[10]) for head in heads):
            if seed == TOO_MUCH:
                return Finished(argv=tuple(argv), exit_code=-9, output=b"", errors=b"", timed_out=False)
            told.write(f"run 0 0 1 {seed} 1\n")
    return Finished(argv=tuple(argv), exit_code=0, output=b"", errors=b"", timed_out=False)
