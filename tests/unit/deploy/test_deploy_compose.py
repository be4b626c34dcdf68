"""deploy/compose.yaml: right by the compose specification, and as safe as it says."""

from __future__ import annotations

import os
import re
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from compose_spec import PyCompose

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"
TEXT = (DEPLOY / "compose.yaml").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = {
    name: service
    for name, service in SERVICES.items()
    if str(service["image"]).startswith("kernelset:")
}
# what `${NAME:-word}` becomes when nobody says otherwise
PLAIN = yaml.safe_load(re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", TEXT))


def test_the_file_fits_the_specification() -> None:
    parsed = PyCompose.from_yaml(yaml.safe_dump(PLAIN))
    assert set(parsed.service_names()) == set(SERVICES)


def test_a_mistake_would_be_found() -> None:
    wrong = yaml.safe_load(yaml.safe_dump(PLAIN))
    wrong["services"]["s3"]["deploy"]["resources"]["limits"]["memory"] = "lots"
    with pytest.raises(ValueError, match="unknown unit"):
        PyCompose.from_yaml(yaml.safe_dump(wrong))


def test_each_profile_has_all_that_it_depends_on() -> None:
    for profile in ("cpu", "rocm", "cuda"):
        members = {
            name for name, service in SERVICES.items() if profile in service["profiles"]
        }
        assert {
            "valkey",
            "postgres",
            "s3",
            "migrate",
            "dispatcher",
            "worker-fetch",
            "worker-cpu",
        } <= members
        for name in members:
            assert set(SERVICES[name].get("depends_on", {})) <= members
    assert "worker-rocm" in SERVICES
    assert "worker-cuda" in SERVICES


def test_whoever_runs_a_strangers_code_reaches_no_internet() -> None:
    assert COMPOSE["networks"]["servers"]["internal"] is True
    for name, service in SERVICES.items():
        assert ("internet" in service["networks"]) == (name == "worker-fetch"), name
        assert ("ports" in service) == (name == "web"), name


def test_the_page_is_reached_from_this_machine_alone() -> None:
    web = OURS["web"]
    (published,) = web["ports"]
    assert published.startswith("127.0.0.1:")
    assert published.endswith(f":{web['command'][-1]}")
    options = COMPOSE["networks"]["page"]["driver_opts"]
    assert options == {"com.docker.network.bridge.enable_ip_masquerade": "false"}
    assert set(web["networks"]) == {"servers", "page"}
    assert [name for name in SERVICES if "page" in SERVICES[name]["networks"]] == [
        "web"
    ]


def test_everything_is_bounded_and_served_by_a_pinned_image() -> None:
    for name, service in SERVICES.items():
        assert {"cpus", "memory"} <= set(service["deploy"]["resources"]["limits"]), name
        assert re.search(r":(\d+\.\d+|cpu$|rocm$|cuda$)", service["image"]), name
    for name in ("valkey", "postgres", "s3", "dispatcher", "web"):
        assert SERVICES[name]["healthcheck"]["test"]


def test_our_containers_have_no_capability_and_no_writable_root() -> None:
    for name, service in OURS.items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["read_only"] is True, name
        assert "user" not in service, name
        assert "privileged" not in service, name


def test_the_worker_of_amd_gets_its_devices_and_the_hosts_groups() -> None:
    worker = SERVICES["worker-rocm"]
    assert [device.split(":")[0] for device in worker["devices"]] == [
        "/dev/kfd",
        "/dev/dri",
    ]
    video, render = yaml.safe_load(yaml.safe_dump(PLAIN))["services"]["worker-rocm"][
        "group_add"
    ]
    assert (video, str(render).isdecimal()) == ("video", True), (
        "the host's render group has another number in the image"
    )
    assert worker["image"].endswith(":rocm")
    (devices,) = SERVICES["worker-cuda"]["deploy"]["resources"]["reservations"][
        "devices"
    ]
    assert (devices["driver"], devices["capabilities"]) == ("nvidia", ["gpu"])


def test_whatever_executes_has_what_its_sandbox_needs_and_nothing_else_has() -> None:
    for name, service in OURS.items():
        executes = name.startswith("worker-") and name != "worker-fetch"
        assert bool(service.get("security_opt")) == executes, name
    for option in SERVICES["worker-cpu"]["security_opt"]:
        kind, value = option.split("=")
        assert kind != "seccomp" or (DEPLOY / value).is_file()


def test_a_worker_may_end_its_task_before_it_is_killed() -> None:
    seconds = int(OURS["worker-cpu"]["environment"]["KERNELSET_TASK_SECONDS"])
    for name in (worker for worker in OURS if worker.startswith("worker-")):
        assert OURS[name]["stop_grace_period"] == f"{seconds // 3600}h"


def test_no_secret_stands_in_the_file_or_in_an_environment() -> None:
    for name, service in SERVICES.items():
        for variable, value in service.get("environment", {}).items():
            if re.search("PASSWORD|DATABASE$|BROKER$|CREDENTIALS|KEY", variable):
                assert str(value).startswith("/run/secrets/"), (name, variable)
        for variable, value in service.get("environment", {}).items():
            if str(value).startswith("/run/secrets/"):
                assert Path(value).name in service["secrets"], (name, variable)


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deploy") / "secrets.d"
    subprocess.run([DEPLOY / "secrets", folder], check=True)
    return folder


def test_the_secrets_that_are_made_are_those_that_are_asked_for(secrets: Path) -> None:
    named = {secret["file"] for secret in COMPOSE["secrets"].values()}
    assert named == {f"./secrets.d/{path.name}" for path in secrets.iterdir()}
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o444 for path in secrets.iterdir())
    assert (
        "/deploy/secrets.d/" in (DEPLOY.parent / ".gitignore").read_text().splitlines()
    )


def test_secrets_fit_each_other_and_are_never_made_twice(secrets: Path) -> None:
    made = {path.name: path.read_text() for path in secrets.iterdir()}
    assert f":{made['postgres_password'].strip()}@postgres:" in made["database"]
    assert f":{made['valkey_password'].strip()}@valkey:" in made["broker"]
    access, secret = made["s3_keys"].strip().split(",")
    assert (
        f"aws_access_key_id={access}\naws_secret_access_key={secret}\n"
        in made["s3_credentials"]
    )
    words = [
        made["postgres_password"].strip(),
        made["valkey_password"].strip(),
        access,
        secret,
    ]
    assert len(set(words)) == 4
    assert all(re.fullmatch(r"\w{32}", word) for word in words)
    subprocess.run(
        [DEPLOY / "secrets", secrets], check=True, env={**os.environ, "LC_ALL": "C"}
    )
    assert made == {path.name: path.read_text() for path in secrets.iterdir()}
