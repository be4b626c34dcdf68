"""Drivers that are found, and GPUs that the environment leaves visible."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.validate.devices import gpu_detection
from crawler.validate.devices.gpu_detection import (
    Gpu,
    build_gpu,
    explain_missing_gpu,
    find_driver_library,
    find_gpu,
    is_visible,
)


def build_plain_gpu(index: int, runtime: str = "rocm", arch: str = "gfx942") -> Gpu:
    return Gpu(
        runtime=runtime,
        index=index,
        name="AMD Instinct MI300X",
        arch=arch,
        library=Path("/lib/none.so"),
    )


def test_a_worker_sees_its_own_gpu_alone() -> None:
    third = build_plain_gpu(3)
    assert third.environment == {"ROCR_VISIBLE_DEVICES": "3"}
    assert build_plain_gpu(3, "cuda").environment == {"CUDA_VISIBLE_DEVICES": "3"}
    assert is_visible(third, {})
    assert is_visible(third, third.environment)
    assert not is_visible(build_plain_gpu(2), third.environment)
    assert not is_visible(build_plain_gpu(0), {"HIP_VISIBLE_DEVICES": "1, 2"})
    assert not is_visible(build_plain_gpu(0), {"ROCR_VISIBLE_DEVICES": ""})


def test_the_library_is_searched_for_where_the_user_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()
    (folders[0] / "libcuda.so").touch()
    (folders[1] / "libcuda.so.1").touch()
    monkeypatch.setenv("LD_LIBRARY_PATH", f":{folders[0]}:{folders[1]}:")
    assert find_driver_library("cuda") == folders[0] / "libcuda.so"


def test_a_description_makes_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    description = {
        "index": 1,
        "name": "NVIDIA A100",
        "arch": "sm_80",
        "driver": 12040,
        "memory_bytes": 1 << 30,
    }
    gpu = build_gpu("cuda", Path("/lib/libcuda.so"), description, {1: "MIG 1g.5gb"})
    assert (gpu.device, gpu.driver) == ("cuda:sm_80", "12040")
    assert gpu.details == "NVIDIA A100, MIG 1g.5gb"
    assert gpu.memory_bytes == 1 << 30


def test_a_gpu_is_found_by_its_runtime_or_its_arch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gpus = (build_plain_gpu(0, arch="gfx90a"), build_plain_gpu(1, arch="gfx942"))
    monkeypatch.setattr(gpu_detection, "detect_gpus", lambda _: gpus)
    assert find_gpu("rocm") == gpus[0]
    assert find_gpu("rocm:gfx942") == gpus[1]
    assert find_gpu("rocm:gfx1100") is None
    assert find_gpu("vulkan") is None

    verdict = explain_missing_gpu("rocm:gfx1100")
    assert "there are rocm:gfx90a, rocm:gfx942 here" in verdict.message


def test_a_machine_without_a_driver_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_detection, "detect_gpus", lambda _: ())
    monkeypatch.setattr(gpu_detection, "find_driver_library", lambda _: None)
    verdict = explain_missing_gpu("cuda")
    assert verdict.code == "no-device"
    assert "there is no driver of cuda here" in verdict.message


def test_lines_that_describe_no_working_device_are_left_out() -> None:
    output = b"\n".join(
        (
            b"warning: no json",
            b'{"index": 0, "arch": "gfx942", "wrong": ""}',
            b'{"index": 1, "arch": "gfx942", "wrong": "memory"}',
            b'{"index": 2, "message": "no device"}',
            b"[1]",
        )
    )
    descriptions = list(gpu_detection._iter_descriptions(output))
    assert [description["index"] for description in descriptions] == [0]
