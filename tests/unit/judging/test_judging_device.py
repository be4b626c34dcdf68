"""Candidates run on a device of this machine, which is named with its arch."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.errors import Misconfigured
from crawler.judging import judging_device
from crawler.judging.judging_device import (
    check_device_name,
    find_backend,
    require_arch,
    resolve_device,
)
from crawler.validate.devices.gpu_detection import Gpu

GPU = Gpu(runtime="rocm", index=0, name="a", arch="gfx942", library=Path("lib"))


@pytest.mark.parametrize(
    ("device", "backend"),
    [("cpu", "cpu"), ("cuda", "cuda"), ("cuda:sm_90", "cuda"), ("rocm:gfx942", "hip")],
)
def test_each_device_is_a_backend_of_the_judge(device: str, backend: str) -> None:
    check_device_name(device)
    assert find_backend(device) == backend


@pytest.mark.parametrize("device", ["tpu", "hip", "", "rocm:", "cpu:x", "cuda:../x"])
def test_what_is_no_device_is_refused_with_what_is(device: str) -> None:
    with pytest.raises(Misconfigured, match="give --device cpu, cuda, rocm") as raised:
        check_device_name(device)
    assert raised.value.code == "bad-device"


@pytest.mark.parametrize("device", ["rocm", "cuda"])
def test_a_queue_wants_an_arch(device: str) -> None:
    require_arch("cpu")
    require_arch(f"{device}:x1")
    with pytest.raises(Misconfigured, match=f"{device} names none"):
        require_arch(device)


def test_a_runtime_stands_for_the_gpu_that_is_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(judging_device, "find_gpu", lambda _: GPU)
    assert resolve_device("rocm") == "rocm:gfx942"
    assert resolve_device("cpu") == "cpu"


def test_without_such_a_gpu_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging_device, "find_gpu", lambda _: None)
    with pytest.raises(Misconfigured, match="driver of rocm") as raised:
        resolve_device("rocm:gfx1")
    assert raised.value.code == "no-device"
