"""What the chart lets a pod reach, and what it refuses to render."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.unit.deploy.rendered_chart import (
    PROFILES,
    helm,
    of_kind,
    pod,
    render,
    workers,
)


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


def test_where_namespaces_are_refused_a_pod_has_no_right_and_is_asked_for_its_sandbox() -> (
    None
):
    made = {
        document["metadata"]["name"]: document
        for document in render({"sandbox": {"mode": "landlock"}})
        if document["kind"] == "Deployment"
    }
    (container,) = pod(made["ks-extract"])["containers"]
    security = container["securityContext"]
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    assert security["allowPrivilegeEscalation"] is False
    assert "procMount" not in security
    assert "hostUsers" not in pod(made["ks-extract"])
    assert {"name": "KERNELSET_SANDBOX", "value": "landlock"} in container["env"]
    assert "--without" not in container["startupProbe"]["exec"]["command"]
    # what fetches runs nothing of a stranger
    (fetches,) = pod(made["ks-clone"])["containers"]
    assert "KERNELSET_SANDBOX" not in {each["name"] for each in fetches["env"]}


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
