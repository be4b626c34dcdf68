"""The chart serves the page where that is asked for, and to nobody who is not named."""

from __future__ import annotations

from typing import Any

import kubernetes_validate
import pytest

from tests.unit.deploy.rendered_chart import (
    PROFILES,
    Object,
    helm,
    of_kind,
    pod,
    render,
)
from workers.web.server import list_allowed_hosts

ADDRESS = "https://kernels.example.org"
GATEWAY = {"namespaceSelector": {"matchLabels": {"name": "gateway"}}}
NEWEST = kubernetes_validate.latest_version()


def render_web(reached_from: tuple[Object, ...] = (), **web: Any) -> dict[str, Object]:
    """Return what the chart adds for the page, by kind."""
    values: dict[str, Any] = {
        "web": {"enabled": True, **web},
        "networkPolicies": {"webFrom": list(reached_from)},
    }
    return {
        document["kind"]: document
        for document in render(values)
        if document["metadata"]["name"] == "ks-web"
    }


def environment_of(deployment: Object) -> dict[str, str]:
    (container,) = pod(deployment)["containers"]
    return {variable["name"]: variable["value"] for variable in container["env"]}


@pytest.mark.parametrize("profile", PROFILES)
def test_no_page_is_served_unasked(profile: str) -> None:
    assert not {
        name for kind in ("Deployment", "Service") for name in of_kind(profile, kind)
    } & {"ks-web"}


def test_the_page_fits_kubernetes_and_its_service_finds_it() -> None:
    added = render_web((GATEWAY,), secretKey="web_secret", address=ADDRESS)
    assert set(added) == {
        "Deployment",
        "Service",
        "PodDisruptionBudget",
        "NetworkPolicy",
    }
    for document in added.values():
        kubernetes_validate.validate(document, NEWEST, strict=True)

    labels = added["Deployment"]["spec"]["template"]["metadata"]["labels"].items()
    (container,) = pod(added["Deployment"])["containers"]
    assert container["args"] == ["web", "--host", "0.0.0.0", "--port", "8471"]
    assert added["Service"]["spec"]["selector"].items() <= labels
    (served,) = added["Service"]["spec"]["ports"]
    (listening,) = container["ports"]
    assert served["targetPort"] == listening["name"]
    policy = added["NetworkPolicy"]["spec"]
    assert policy["podSelector"]["matchLabels"].items() <= labels
    assert policy["ingress"][0]["from"] == [GATEWAY]


def test_nobody_reaches_a_page_for_which_nobody_is_named() -> None:
    assert "NetworkPolicy" not in render_web()
    assert "ks-nothing" in of_kind("as it is", "NetworkPolicy")


def test_probes_ask_under_a_name_that_the_page_answers_to() -> None:
    (container,) = pod(render_web(address=ADDRESS)["Deployment"])["containers"]
    for name in ("readinessProbe", "livenessProbe"):
        (header,) = container[name]["httpGet"]["httpHeaders"]
        assert header["name"] == "Host"
        assert header["value"] in list_allowed_hosts("0.0.0.0", ADDRESS)


def test_its_secrets_are_files_of_the_secret() -> None:
    added = render_web(address=ADDRESS, secretKey="web_secret", oidcSecretKey="oidc")
    environment = environment_of(added["Deployment"])
    assert environment["KERNELSET_WEB_ADDRESS"] == ADDRESS
    folder = "/run/secrets/kernelset"
    assert environment["KERNELSET_WEB_SECRET_FILE"] == f"{folder}/web_secret"
    assert environment["KERNELSET_OIDC_CLIENT_SECRET_FILE"] == f"{folder}/oidc"

    plain = environment_of(render_web()["Deployment"])
    assert not {name for name in plain if "WEB" in name or "OIDC" in name}


def test_only_who_says_so_reaches_a_provider_on_the_internet() -> None:
    for internet in (False, True):
        template = render_web(internet=internet)["Deployment"]["spec"]["template"]
        label = template["metadata"]["labels"]["kernelset/internet"]
        assert label == str(internet).lower()


def test_an_ingress_leads_from_the_address_to_the_page() -> None:
    assert "Ingress" not in render_web(address=ADDRESS)
    added = render_web(
        address=ADDRESS,
        ingress={
            "enabled": True,
            "className": "nginx",
            "annotations": {"cert-manager.io/cluster-issuer": "ca"},
            "tlsSecret": "page-tls",
        },
    )
    ingress = added["Ingress"]
    kubernetes_validate.validate(ingress, NEWEST, strict=True)
    host = "kernels.example.org"
    assert host in list_allowed_hosts("0.0.0.0", ADDRESS)
    spec = ingress["spec"]
    assert spec["ingressClassName"] == "nginx"
    assert spec["tls"] == [{"hosts": [host], "secretName": "page-tls"}]
    (rule,) = spec["rules"]
    assert rule["host"] == host
    (path,) = rule["http"]["paths"]
    backend = path["backend"]["service"]
    assert backend["name"] == added["Service"]["metadata"]["name"]
    (served,) = added["Service"]["spec"]["ports"]
    assert backend["port"]["name"] == served["name"]


def test_an_ingress_without_https_asks_for_no_certificate() -> None:
    address = "http://kernels.example.org:8080"
    spec = render_web(address=address, ingress={"enabled": True})["Ingress"]["spec"]
    assert "tls" not in spec
    assert [rule["host"] for rule in spec["rules"]] == ["kernels.example.org"]


@pytest.mark.parametrize(
    ("web", "message"),
    [
        ({"replicas": 2}, "web.secretKey"),
        ({"address": "kernels.example.org"}, "address"),
        ({"port": 80}, "port"),
        ({"hosts": []}, "hosts"),
        ({"ingress": {"enabled": True}}, "web.address"),
        ({"ingress": {"enabled": True, "host": "x"}}, "host"),
    ],
)
def test_what_cannot_work_is_refused(web: dict[str, Any], message: str) -> None:
    with pytest.raises(helm.HelmError, match=message):
        render_web(**web)


def test_no_secret_of_the_page_stands_in_an_environment() -> None:
    with pytest.raises(helm.HelmError, match="KERNELSET_WEB_SECRET"):
        render({"environment": {"KERNELSET_WEB_SECRET": "s"}})
