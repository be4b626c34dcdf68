"""A program of many launches that is ended from outside: one launch is why, the others have
nothing to do with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from crawler import sandbox
from crawler.model import Status, Verdict
from crawler.process import CompletedProcess
from crawler.sandbox import Mount
from crawler.validate.emulator.execution_report import Outcome
from crawler.validate.emulator.launch import Buffer, KernelLaunch
from crawler.validate.emulator.program import BuildOptions, Program
from crawler.validate.emulator.run_program import run_launches

PROGRAM = Program(
    unit_digest="",
    options=BuildOptions(),
    verdict=Verdict(status=Status.PASS),
    executable=b"#!",
)
TOO_MUCH = 7
"""The seed of a launch that takes more memory than there is."""


def test_a_launch_that_is_ended_from_outside_takes_no_other_along(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sandbox, "run", _run_until_too_much)
    executions = run_launches(
        PROGRAM, [_launch(seed) for seed in (1, TOO_MUCH, 3, TOO_MUCH, TOO_MUCH, 6)]
    )
    ran, ended = Outcome.DONE, Outcome.KILLED
    assert [execution.outcome for execution in executions] == [
        ran,
        ended,
        ran,
        ended,
        ended,
        ran,
    ]
    assert [execution.completed_blocks for execution in executions] == [
        1,
        0,
        3,
        0,
        0,
        6,
    ]


@pytest.mark.parametrize("name", ["outputs", "report"])
def test_a_link_in_the_place_of_a_result_is_not_followed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"run 0 0 1 99 1\n")

    def run_and_leave_link(
        argv: Sequence[str], *, mounts: Sequence[Mount], **_options: object
    ) -> CompletedProcess:
        completed = _run_until_too_much(argv, mounts=mounts)
        result = mounts[1].source / name
        result.unlink(missing_ok=True)
        result.symlink_to(secret)
        return completed

    monkeypatch.setattr(sandbox, "run", run_and_leave_link)
    buffer = Buffer(size=8, content=bytes(8))
    launch = replace(_launch(1), buffers=(buffer,))
    (execution,) = run_launches(PROGRAM, [launch])
    assert execution.completed_blocks != 99
    assert execution.buffers in ((), (b"",))


def _launch(seed: int) -> KernelLaunch:
    return KernelLaunch(grid=(1, 1, 1), block=(1, 1, 1), max_seconds=1.0, seed=seed)


def _run_until_too_much(
    argv: Sequence[str], *, mounts: Sequence[Mount], **_options: object
) -> CompletedProcess:
    """Tell each launch of the job with its seed as the number of its blocks, up to the first
    that takes too much.
    """
    work, results = (mount.source for mount in mounts)
    heads = (
        line.split()
        for line in (work / "job").read_text().splitlines()
        if line.startswith("launch ")
    )
    with (results / "report").open("w") as report:
        for seed in (int(head[10]) for head in heads):
            if seed == TOO_MUCH:
                return CompletedProcess(
                    argv=tuple(argv),
                    exit_code=-9,
                    output=b"",
                    errors=b"",
                    timed_out=False,
                )
            report.write(f"run 0 0 1 {seed} 1\n")
    return CompletedProcess(
        argv=tuple(argv), exit_code=0, output=b"", errors=b"", timed_out=False
    )
