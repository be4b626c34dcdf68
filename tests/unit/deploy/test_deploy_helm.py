"""The chart is right by the schemas of Kubernetes, and serves every queue."""

from __future__ import annotations

import json
from collections import defaultdict

import kubernetes_validate
import pytest

from tests.unit.deploy.rendered_chart import (
    CHART,
    PROFILES,
    VALUES,
    Object,
    helm,
    objects,
    of_kind,
    pod,
    render,
    workers,
)

OF_OTHERS = {"keda.sh/v1alpha1", "monitoring.coreos.com/v1"}
NEWEST = kubernetes_validate.latest_version()


def test_the_chart_is_linted() -> None:
    result = helm.lint(str(CHART))
    assert result["errors"] == []
    assert {message["error"] for message in result["messages"]} <= {
        "icon is recommended"
    }


@pytest.mark.parametrize("version", ["1.30", NEWEST])
def test_all_profiles_fit_kubernetes(version: str) -> None:
    """Each kind as the list that Kubernetes has of it: reading its schemas is what takes time."""
    by_kind: dict[tuple[str, str], list[Object]] = defaultdict(list)
    for document in (document for profile in PROFILES for document in objects(profile)):
        by_kind[document["apiVersion"], document["kind"]].append(document)
    for (api, kind), items in by_kind.items():
        if api not in OF_OTHERS:
            kubernetes_validate.validate(
                {"apiVersion": api, "kind": f"{kind}List", "items": items},
                version,
                strict=True,
            )
    assert {kind for _, kind in by_kind} >= {
        "Deployment",
        "Job",
        "NetworkPolicy",
        "PodDisruptionBudget",
        "Service",
    }


def test_a_mistake_would_be_found() -> None:
    wrong = json.loads(json.dumps(next(iter(workers("cpu").values()))))
    pod(wrong)["terminationGraceSeconds"] = 5
    with pytest.raises(
        kubernetes_validate.ValidationError, match="terminationGraceSeconds"
    ):
        kubernetes_validate.validate(
            {"apiVersion": "apps/v1", "kind": "DeploymentList", "items": [wrong]},
            NEWEST,
            strict=True,
        )


@pytest.mark.parametrize("profile", PROFILES)
def test_every_queue_has_a_deployment_that_serves_it_and_a_budget(profile: str) -> None:
    archs = PROFILES[profile].get("gpus", {})
    devices = {
        f"validate.{'rocm' if architecture['vendor'] == 'amd' else 'cuda'}.{arch}"
        for arch, architecture in archs.items()
    }
    assert set(workers(profile)) == set(VALUES["queues"]) | devices
    for queue, deployment in workers(profile).items():
        # whatever its GPU can: what runs there, and what judges candidates there
        pattern = queue.replace("validate.", "*.") if queue in devices else queue
        assert pod(deployment)["containers"][0]["args"][:3] == [
            "worker",
            "--queues",
            pattern,
        ]
        (container,) = pod(deployment)["containers"]
        environment = {
            variable["name"]: variable["value"] for variable in container["env"]
        }
        named = {
            f"{'rocm' if architecture['vendor'] == 'amd' else 'cuda'}:{arch}"
            for arch, architecture in archs.items()
        }
        assert set(environment["KERNELSET_DEVICES"].split(",")) == named | {"cpu"}, (
            "or nothing is sent to those queues"
        )
    assert set(of_kind(profile, "PodDisruptionBudget")) == set(
        of_kind(profile, "Deployment")
    )


@pytest.mark.parametrize("profile", PROFILES)
def test_selectors_find_their_own_pods_and_no_others(profile: str) -> None:
    labels = {
        name: deployment["spec"]["template"]["metadata"]["labels"]
        for name, deployment in of_kind(profile, "Deployment").items()
    }
    for kind in ("Deployment", "PodDisruptionBudget"):
        for name, selecting in of_kind(profile, kind).items():
            selector = selecting["spec"]["selector"]["matchLabels"].items()
            assert [
                target for target, label in labels.items() if selector <= label.items()
            ] == [name]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_worker_may_end_its_task_before_it_is_killed(profile: str) -> None:
    for worker in workers(profile).values():
        assert pod(worker)["terminationGracePeriodSeconds"] > VALUES["taskSeconds"]


def test_a_gpu_goes_to_the_pods_of_its_arch_alone() -> None:
    amd, nvidia = workers("mixed-amd"), workers("nvidia")
    for queue, worker in (amd | nvidia).items():
        limits = pod(worker)["containers"][0]["resources"]["limits"]
        assert ("amd.com/gpu" in limits, "nvidia.com/gpu" in limits) == (
            ".rocm." in queue,
            ".cuda." in queue,
        )
    assert expressions(amd["validate.rocm.gfx90a"]) == {
        "amd.com/gpu.device-id": ["740f", "7408"]
    }
    assert expressions(amd["validate.rocm.gfx942"]) == {
        "amd.com/gpu.device-id": ["74a1", "74b5"]
    }
    compute = {
        "nvidia.com/gpu.compute.major": ["9"],
        "nvidia.com/gpu.compute.minor": ["0"],
    }
    assert expressions(nvidia["validate.cuda.sm_90"]) == compute
    assert pod(amd["validate.rocm.gfx942"])["tolerations"][0]["key"] == "amd.com/gpu"
    assert (
        pod(amd["validate.rocm.gfx942"])["containers"][0]["image"]
        == VALUES["images"]["rocm"]
    )


def expressions(deployment: Object) -> dict[str, list[str]]:
    affinity = pod(deployment)["affinity"]["nodeAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]
    (term,) = affinity["nodeSelectorTerms"]
    return {
        expression["key"]: expression["values"]
        for expression in term["matchExpressions"]
    }


def test_no_variable_is_set_twice() -> None:
    own = {
        "environment": {
            "KERNELSET_DEVICES": "rocm:gfx942",
            "OTEL_SERVICE_NAME": "kernels",
        }
    }
    for document in render(PROFILES["mixed-amd"] | own):
        if document["kind"] == "Deployment":
            names = [
                variable["name"] for variable in pod(document)["containers"][0]["env"]
            ]
            assert len(set(names)) == len(names)
            assert "OTEL_SERVICE_NAME" in names
