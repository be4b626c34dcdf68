"""The chart scales every queue by the ledger, as KEDA reads it."""

from __future__ import annotations

import json

import pytest
from cloudcoil.models.keda import v1alpha1

from storage.ledger.interface import Stage
from tests.unit.deploy.rendered_chart import PROFILES, of_kind, pod, render, workers
from workers.tasks.queues import stage_of


def test_the_ledger_scales_every_queue_and_nothing_else_does() -> None:
    scaled = of_kind("mixed-amd", "ScaledObject")
    assert {scaler["spec"]["scaleTargetRef"]["name"] for scaler in scaled.values()} == {
        worker["metadata"]["name"] for worker in workers("mixed-amd").values()
    }
    gpu = scaled["ks-validate-rocm-gfx942"]["spec"]
    assert gpu["minReplicaCount"] == 0
    query = gpu["triggers"][0]["metadata"]["query"]
    assert "queue IN ('validate.rocm.gfx942', 'judge.rocm.gfx942')" in query
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
            served = set(workers(profile))
            served |= {
                queue.replace("validate.", "judge.")
                for queue in served
                if stage_of(queue) is Stage.VALIDATE_DEVICE
            }
            assert promised == (served if of_kind(profile, "ScaledObject") else set())
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
