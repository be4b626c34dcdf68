"""A queue has one name: that of its tasks, of workers that serve it, and of what compose, chart
and Slurm say.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from crawler.errors import Misconfigured
from storage.ledger.interface import Stage
from tests.stand_ins import drivers
from workers.cluster import capabilities
from workers.tasks.queues import queue_of

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())[
    "services"
]
EVERYWHERE = {queue_of(stage) for stage in Stage if stage is not Stage.VALIDATE_DEVICE}
AMD, NVIDIA = (
    ("rocm", {"arch": "gfx942:sramecc+:xnack-"}),
    ("cuda", {"major": "9", "minor": "0"}),
)


def parse_worker(
    words: list[str], verbs: dict[str, Any]
) -> tuple[list[str], int | None]:
    """What the program itself understands by the words behind `kernelset`."""
    assert words[0] == "worker"
    options = verbs["worker"].make_context("worker", list(words[1:])).params
    patterns = [pattern for pattern in options["queues"].split(",") if pattern]
    return patterns, options["gpu"]


def test_compose_and_chart_serve_every_queue_once(verbs: dict[str, Any]) -> None:
    served = [
        queue
        for name, service in COMPOSE.items()
        if "worker-" in name
        for queue in parse_worker(service["command"], verbs)[0]
    ]
    # those of GPUs name none, and so serve whatever their GPU can
    assert sorted(served) == sorted(EVERYWHERE)
    assert (
        set(
            yaml.safe_load((DEPLOY / "helm/kernelset/values.yaml").read_text())[
                "queues"
            ]
        )
        == EVERYWHERE
    )


@pytest.mark.apt
def test_a_machine_that_has_everything_serves_every_queue_but_those_of_devices() -> (
    None
):
    assert set(capabilities.servable_queues()) == EVERYWHERE


@pytest.mark.apt
@pytest.mark.parametrize(("runtime", "model"), [AMD, NVIDIA], ids=["amd", "nvidia"])
def test_what_serves_a_gpu_is_served_by_that_gpu(
    runtime: str,
    model: dict[str, str],
    verbs: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = drivers.install(tmp_path / "driver", runtime, **model)
    tmp_path.chmod(0o755)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(library.parent))
    arch = {"rocm": "gfx942", "cuda": "sm_90"}[runtime]
    queue = queue_of(Stage.VALIDATE, f"{runtime}:{arch}")
    # where its vendor's compiler is, too
    both = {queue, queue_of(Stage.JUDGE, f"{runtime}:{arch}")}
    patterns, gpu = parse_worker(COMPOSE[f"worker-{runtime}"]["command"], verbs)
    assert {queue} <= set(capabilities.select_queues(patterns, gpu)) <= both
    patterns, gpu = parse_worker(_of_the_chart(runtime, arch), verbs)
    assert {queue} <= set(capabilities.select_queues(patterns, gpu)) <= both
    with pytest.raises(Misconfigured, match=r"cannot serve \*\..*--gpu 0"):
        capabilities.select_queues(patterns)
    words = _of_slurm(tmp_path, SLURM_GPUS_ON_NODE="2", **{_VISIBLE[runtime]: "0"})
    gpu = parse_worker([*words, "--queues", ""], verbs)[1]
    assert {queue} <= set(capabilities.select_queues((), gpu)) <= both


_VISIBLE = {"rocm": "ROCR_VISIBLE_DEVICES", "cuda": "CUDA_VISIBLE_DEVICES"}


def _of_the_chart(runtime: str, arch: str) -> list[str]:
    helm = pytest.importorskip(
        "helm_python", reason="Helm has no wheel for this machine"
    )
    devices: dict[str, dict[str, object]] = {
        "rocm": {"vendor": "amd", "deviceIds": ["74a1"]},
        "cuda": {"vendor": "nvidia"},
    }
    values = {
        "gpus": {
            arch: {**devices[runtime], "replicas": 1, "max": 1, "tasksPerWorker": 1}
        }
    }
    with helm.Chart.load(str(DEPLOY / "helm" / "kernelset")) as chart:
        text = chart.render(values, name="ks", namespace="kernels")[
            "kernelset/templates/workers.yaml"
        ]
    (deployment,) = (
        document
        for document in yaml.safe_load_all(text)
        if document and f".{arch}" in str(document["metadata"])
    )
    words: list[str] = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
    return words


def _of_slurm(folder: Path, **environment: str) -> list[str]:
    """What a task of the job script starts."""
    (folder / "kernelset").write_text('#!/bin/sh\necho "$@"\n')
    (folder / "kernelset").chmod(0o755)
    environment |= {
        "PATH": f"{folder}:/usr/bin:/bin",
        "KERNELSET_HOME": str(folder / "home"),
    }
    return subprocess.run(
        [DEPLOY / "slurm/worker"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()


def test_a_slurm_task_serves_its_own_gpu_and_without_one_no_gpu(tmp_path: Path) -> None:
    assert _of_slurm(tmp_path, SLURM_GPUS_ON_NODE="8", ROCR_VISIBLE_DEVICES="3") == [
        "worker",
        "--gpu",
        "3",
    ]
    assert _of_slurm(tmp_path, SLURM_GPUS_ON_NODE="8", CUDA_VISIBLE_DEVICES="5,6") == [
        "worker",
        "--gpu",
        "5",
    ]
    assert _of_slurm(tmp_path, SLURM_GPUS_ON_NODE="8", WORKER_QUEUES="extract") == [
        "worker",
        "--queues",
        "extract",
    ]
    assert _of_slurm(tmp_path) == ["worker"]


def test_documents_name_queues_that_there_are() -> None:
    for path in (
        ROOT / "deploy/README.md",
        ROOT / "docs/operating.md",
        ROOT / "docs/cluster.md",
    ):
        for name in re.findall(r"WORKER_QUEUES=([a-z.,*-]+)", path.read_text()):
            assert set(name.strip(".,").split(",")) <= {*EVERYWHERE, "validate.*"}, path
