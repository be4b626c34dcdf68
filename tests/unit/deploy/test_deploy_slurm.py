"""The job script: a worker for each task, drained at the warning, and the job queued again."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.stand_ins.slurm import ROOT, Job

SCRIPT = ROOT / "deploy/slurm/worker.sbatch"
WORKER = """#!/bin/bash
echo "task $SLURM_PROCID home $(basename "$KERNELSET_HOME") said $*"
trap 'echo drained; exit 0' TERM
[ -n "$FAIL" ] && exit 3
while :; do sleep 0.02; done
"""
Started = Callable[..., Job]


@pytest.fixture
def start_job(tmp_path: Path) -> Started:
    """Start the job with a worker that only says what it is asked for."""

    def start(**environment: str) -> Job:
        (tmp_path / "kernelset").write_text(WORKER)
        (tmp_path / "kernelset").chmod(0o755)
        path = f"{tmp_path}:/usr/bin:/bin"
        job = Job(
            tmp_path, {"TMPDIR": str(tmp_path), "FAIL": "", "PATH": path, **environment}
        )
        job.start()
        return job

    return start


def test_workers_drain_at_the_warning_and_the_job_is_queued_again(
    start_job: Started,
) -> None:
    job = start_job(WORKER_QUEUES="extract,validate.*", WORKER_REQUEUE="yes")
    job.until("said worker --queues extract,validate.*", times=2)
    job.warn()
    assert job.end() == 0
    assert job.read_output().count("drained") == 2
    assert job.read_output().rstrip().endswith("scontrol requeue 42")
    assert len(set(re.findall(r"home (\S+)", job.read_output()))) == 2


def test_a_job_that_is_not_to_come_back_is_not_queued_again(start_job: Started) -> None:
    job = start_job()
    job.until("said worker\n", times=2)
    job.warn()
    assert job.end() == 0
    assert "scontrol" not in job.read_output()


def test_a_worker_that_fails_fails_the_job(start_job: Started) -> None:
    job = start_job(FAIL="yes", WORKER_REQUEUE="yes")
    assert job.end() == 3
    assert "scontrol" not in job.read_output()


def test_each_task_has_its_own_gpu(start_job: Started) -> None:
    job = start_job(SLURM_GPUS_ON_NODE="2")
    job.until("said worker", times=2)
    job.warn()
    assert job.end() == 0
    assert "--gpus-per-task=1 --gpu-bind=single:1" in job.read_output()


def test_an_image_is_entered_with_its_home(tmp_path: Path) -> None:
    (tmp_path / "apptainer").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "apptainer").chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "WORKER_IMAGE": "kernelset.sif",
        "KERNELSET_HOME": str(tmp_path / "home"),
    }
    ended = subprocess.run(
        [ROOT / "deploy/slurm/worker"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    words = re.sub(r" --(rocm|nv)", "", ended.stdout).split()
    assert words == [
        "exec",
        "--bind",
        str(tmp_path / "home"),
        "kernelset.sif",
        "kernelset",
        "worker",
    ]


def test_the_warning_comes_early_enough_for_a_task() -> None:
    (warning,) = re.findall(
        r"^#SBATCH --signal=B:USR1@(\d+)$", SCRIPT.read_text(), re.MULTILINE
    )
    assert int(warning) >= 600
