"""The services of deploy/compose.yaml, started without Docker: a crawl through all queues ends
as on one machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.compose_launcher import Cluster, patiently
from tests.stand_ins.slurm import Job

PROGRAM = Path(sys.executable).parent / "kernelset"
PROJECTS = {
    "scaled": "template <typename T> __global__ void scaled(T* y, const T* x, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i] * T(2);\n}\n"
    "void run(float* y, const float* x, int n) { scaled<float><<<(n + 127) / 128, 128>>>(y, x, n); }\n",
    # nothing to find inputs for
    "idle": "__global__ void idle() {}\nvoid run() { idle<<<1, 32>>>(); }\n",
}
STAGES = {
    "list",
    "clone",
    "build-db",
    "extract",
    "link",
    "port",
    "validate.build",
    "validate.cpu",
}
QUICK = {"KERNELSET_STRENGTH_SECONDS": "0", "KERNELSET_TARGETS": "gfx90a"}
Row = dict[str, Any]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    (tmp_path / "cluster").mkdir()
    made = Cluster(tmp_path / "cluster")
    made.overridden = dict(QUICK)
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture
def projects(tmp_path: Path) -> list[str]:
    for name, text in PROJECTS.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.cu").write_text(text)
    return [str(tmp_path / name) for name in PROJECTS]


def ask(environment: dict[str, str], *words: str) -> list[Row]:
    ended = subprocess.run(
        [PROGRAM, *words, "--json"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def lasting(rows: list[Row]) -> list[Row]:
    """What does not depend on when it was done, nor on runs, which are not asked for on one
    machine.
    """
    of_runs = ("_exe", "extents", "oracle", "strength", "mutants", "runs", "reasons")
    left_out = ("seconds", "time", *of_runs)
    lasting_rows = [
        {
            key: value
            for key, value in row.items()
            if not any(word in key for word in left_out)
        }
        for row in rows
    ]
    return sorted(lasting_rows, key=lambda row: json.dumps(row, sort_keys=True))


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.apt
def test_a_crawl_goes_through_all_queues_and_a_slurm_job_and_ends_as_on_one_machine(
    cluster: Cluster, projects: list[str], tmp_path: Path
) -> None:
    cluster.start("dispatcher", "worker-fetch")
    assert cluster.begin("enqueue", *projects).wait(60) == 0, cluster.read_log(
        "enqueue"
    )
    served = cluster.services["worker-cpu"]["command"][2]
    job = Job(
        tmp_path, cluster.environment("worker-cpu") | {"WORKER_QUEUES": served}, tasks=1
    )
    job.start()
    job.until('"stage": "build-db"', seconds=120)
    job.warn()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "KERNELSET_HOME": str(tmp_path / "home"),
    }
    ask(environment | QUICK, "crawl", *projects)
    assert job.end() == 0, job.read_output()
    assert "draining" in job.read_output()

    cluster.start("worker-cpu")
    patiently(lambda: metrics(cluster) >= STAGES)
    # the same question again, of the same tasks
    enqueued = cluster.begin("enqueue", *projects, "--wait", "--json")
    assert enqueued.wait(200) == 0, (
        cluster.read_log("enqueue") + cluster.read_log("worker-cpu")[-5000:]
    )
    assert (
        json.loads(cluster.read_log("enqueue").splitlines()[-1])["state"] == "complete"
    )
    done = (
        stages(job.read_output())
        | stages(cluster.read_log("worker-cpu"))
        | stages(cluster.read_log("worker-fetch"))
    )
    assert done == {
        "list",
        "clone",
        "build-db",
        "extract",
        "link",
        "port",
        "validate",
        "validate.cpu",
    }
    expected = lasting(ask(environment, "query", "pass_call.gfx90a=pass"))
    assert len(expected) == 2
    assert (
        lasting(ask(cluster.environment("enqueue"), "query", "pass_call.gfx90a=pass"))
        == expected
    )


def stages(log: str) -> set[str]:
    """The stages of the tasks that a worker's log says were done."""
    events = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    return {
        event["stage"]
        for event in events
        if event.get("event") == "task-ended" and event["state"] == "done"
    }


def metrics(cluster: Cluster) -> set[str]:
    """The queues of which the dispatcher tells that workers serve them."""
    url = f"http://127.0.0.1:{cluster.ports[':9464']}"
    with urllib.request.urlopen(f"{url}/healthz", timeout=10) as answer:
        assert answer.status == 200
    with urllib.request.urlopen(f"{url}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    return {
        line.split('"')[1] for line in lines if line.startswith("kernelset_workers{")
    }
