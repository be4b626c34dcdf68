"""The chart: rendered by Helm itself for every profile, and right by the schemas of Kubernetes."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from cloudcoil.models.keda import v1alpha1

helm = pytest.importorskip("helm_python", reason="Helm has no wheel for this machine")

FOLDER = Path(__file__).resolve().parents[3] / "deploy" / "helm"
CHART = FOLDER / "kernelset"
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
PROFILES: dict[str, dict[str, Any]] = {
    path.stem: yaml.safe_load(path.read_text()) for path in FOLDER.glob("profiles/*")
}
PROFILES["as it is"] = {}
OF_OTHERS = {"keda.sh/v1alpha1", "monitoring.coreos.com/v1"}
NEWEST = kubernetes_validate.latest_version()
Object = dict[str, Any]


def render(values: Mapping[str, Any]) -> list[Object]:
    with helm.Chart.load(str(CHART)) as chart:
        files = chart.render(dict(values), name="ks", namespace="kernels")
    parsed = (
        document
        for name, text in sorted(files.items())
        if name.endswith(".yaml")
        for document in yaml.safe_load_all(text)
    )
    return [document for document in parsed if document]


@cache
def objects(profile: str) -> tuple[Object, ...]:
    return tuple(render(PROFILES[profile]))


def of_kind(profile: str, kind: str) -> dict[str, Object]:
    return {
        document["metadata"]["name"]: document
        for document in objects(profile)
        if document["kind"] == kind
    }


def workers(profile: str) -> dict[str, Object]:
    named = of_kind(profile, "Deployment").values()
    return {
        label: deployment
        for deployment in named
        if (label := deployment["metadata"]["labels"].get("kernelset/queue"))
    }


def pod(deployment: Object) -> Object:
    template: Object = deployment["spec"]["template"]["spec"]
    return template


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
        assert pod(deployment)["containers"][0]["args"][:3] == [
            "worker",
            "--queues",
            queue,
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


def test_the_ledger_scales_every_queue_and_nothing_else_does() -> None:
    scaled = of_kind("mixed-amd", "ScaledObject")
    assert {scaler["spec"]["scaleTargetRef"]["name"] for scaler in scaled.values()} == {
        worker["metadata"]["name"] for worker in workers("mixed-amd").values()
    }
    gpu = scaled["ks-validate-rocm-gfx942"]["spec"]
    assert gpu["minReplicaCount"] == 0
    assert "queue = 'validate.rocm.gfx942'" in gpu["triggers"][0]["metadata"]["query"]
    login = of_kind("mixed-amd", "TriggerAuthentication")[
        gpu["triggers"][0]["authenticationRef"]["name"]
    ]
    assert login["spec"]["secretTargetRef"] == [
        {"parameter": "connection", "name": "kernelset", "key": "database"}
    ]
    assert all(
        "replicas" not in worker["spec"] for worker in workers("mixed-amd").values()
    )
    assert not of_kind("cpu", "ScaledObject")


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


def test_a_queue_without_a_pod_is_promised_one() -> None:
    for profile in PROFILES:
        for deployment in of_kind(profile, "Deployment").values():
            environment = {
                variable["name"]: variable["value"]
                for variable in pod(deployment)["containers"][0]["env"]
            }
            promised = set(environment.get("KERNELSET_AUTOSCALED", "").split(",")) - {
                ""
            }
            assert promised == (
                set(workers(profile)) if of_kind(profile, "ScaledObject") else set()
            )
    documents = render({"autoscaling": {"enabled": True, "minimum": 1}})
    assert "KERNELSET_AUTOSCALED" not in json.dumps(documents)


@pytest.mark.parametrize("kind", ["ScaledObject", "TriggerAuthentication"])
def test_what_keda_reads_fits_its_schema(kind: str) -> None:
    for document in of_kind("mixed-amd", kind).values():
        read = getattr(v1alpha1, kind).model_validate(document)
        # a field that it does not know would be dropped
        assert (
            read.model_dump(by_alias=True, exclude_unset=True, mode="json")["spec"]
            == document["spec"]
        )


def test_a_mistake_in_what_keda_reads_would_be_found() -> None:
    (wrong, *_) = json.loads(
        json.dumps(list(of_kind("mixed-amd", "ScaledObject").values()))
    )
    wrong["spec"]["triggers"][0]["metadata"]["targetQueryValue"] = 20
    with pytest.raises(ValueError, match="targetQueryValue"):
        v1alpha1.ScaledObject.model_validate(wrong)


@pytest.mark.parametrize("profile", PROFILES)
def test_only_what_fetches_reaches_the_internet(profile: str) -> None:
    policies = of_kind(profile, "NetworkPolicy")
    nothing = policies["ks-nothing"]["spec"]
    assert nothing["policyTypes"] == ["Ingress", "Egress"]
    assert {"ingress", "egress"}.isdisjoint(nothing)
    reach = policies["ks-internet"]["spec"]["podSelector"]["matchLabels"].items()
    outside = {
        queue
        for queue, worker in workers(profile).items()
        if reach <= worker["spec"]["template"]["metadata"]["labels"].items()
    }
    assert outside == {"list", "clone"}
    (block,) = (
        peer["ipBlock"] for peer in policies["ks-internet"]["spec"]["egress"][0]["to"]
    )
    assert "169.254.0.0/16" in block["except"]
    assert [
        rule["ports"][0]["port"] for rule in policies["ks-servers"]["spec"]["egress"]
    ] == [53, 5432, 6379, 8333]


@pytest.mark.parametrize("profile", PROFILES)
def test_secrets_are_files_and_pods_have_no_token(profile: str) -> None:
    jobs = of_kind(profile, "Job").values()
    for owner in (*of_kind(profile, "Deployment").values(), *jobs):
        inside = pod(owner)
        (container,) = inside["containers"]
        assert inside["automountServiceAccountToken"] is False
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
        assert not [
            variable for variable in container["env"] if "valueFrom" in variable
        ]
        assert {
            variable["name"]
            for variable in container["env"]
            if variable["name"].endswith("_FILE")
        } >= {"KERNELSET_DATABASE_FILE"}
    assert all(
        job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
        for job in jobs
    )


def test_each_mode_of_the_sandbox_gives_no_more_than_it_needs() -> None:
    by_mode = {
        mode: render({"sandbox": {"mode": mode}}) for mode in ("users", "admin", "none")
    }
    named = {
        mode: {
            document["metadata"]["name"]: document
            for document in made
            if document["kind"] == "Deployment"
        }
        for mode, made in by_mode.items()
    }
    context = {
        mode: pod(made["ks-extract"])["containers"][0]["securityContext"]
        for mode, made in named.items()
    }
    assert pod(named["users"]["ks-extract"])["hostUsers"] is False
    assert (context["users"]["procMount"], context["users"]["runAsNonRoot"]) == (
        "Unmasked",
        True,
    )
    assert context["admin"]["runAsUser"] == 0
    assert "SYS_ADMIN" in context["admin"]["capabilities"]["add"]
    assert context["none"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert "add" not in context["none"]["capabilities"]
    for made in named.values():
        (fetches,) = pod(made["ks-clone"])["containers"]
        assert fetches["securityContext"] == context["none"]
        assert fetches["startupProbe"]["exec"]["command"][-2:] == [
            "--without",
            "sandbox",
        ]
    assert (
        "--without"
        not in pod(named["users"]["ks-extract"])["containers"][0]["startupProbe"][
            "exec"
        ]["command"]
    )


@pytest.mark.parametrize(
    ("values", "named"),
    [
        (
            {
                "gpus": {
                    "gfx942": {
                        "vendor": "amd",
                        "replicas": 1,
                        "max": 1,
                        "tasksPerWorker": 1,
                    }
                }
            },
            "deviceIds",
        ),
        (
            {
                "gpus": {
                    "mi300x": {
                        "vendor": "nvidia",
                        "replicas": 1,
                        "max": 1,
                        "tasksPerWorker": 1,
                    }
                }
            },
            "mi300x",
        ),
        (
            {"queues": {"extrakt": {"replicas": 1, "max": 1, "tasksPerWorker": 1}}},
            "extrakt",
        ),
        ({"images": {"cpu": "kernelset"}}, "images/cpu"),
        ({"environment": {"PATH": "/tmp"}}, "PATH"),
        ({"environment": {"KERNELSET_TARGETS": "sm_80"}}, "KERNELSET_TARGETS"),
        (
            {"environment": {"KERNELSET_DATABASE": "postgresql://"}},
            "KERNELSET_DATABASE",
        ),
        ({"sandbox": {"mode": "privileged"}}, "sandbox/mode"),
        ({"taskSecond": 5}, "taskSecond"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_values_that_cannot_be_meant_are_refused(
    values: Mapping[str, Any], named: str
) -> None:
    with pytest.raises(helm.HelmError, match=named):
        render(values)
