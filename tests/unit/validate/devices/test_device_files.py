"""Which device files a GPU has to itself, and which all of its kind share."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.validate.devices import device_files
from crawler.validate.devices.device_files import list_render_nodes
from crawler.validate.devices.gpu_detection import Gpu, build_gpu


def test_each_gpu_has_its_own_render_node(tmp_path: Path) -> None:
    for node, text in {
        "0": "cpu_cores_count 64\nsimd_count 0\ndrm_render_minor 0\n",
        "10": "simd_count 440\ngfx_target_version 90010\ndrm_render_minor 129\n",
        "2": "simd_count 440\ngfx_target_version 90010\ndrm_render_minor 128\n",
        "3": "nonsense\n",
    }.items():
        (tmp_path / node).mkdir()
        (tmp_path / node / "properties").write_text(text)
    # what cannot be read, as in a container that was not given that GPU, is none
    (tmp_path / "4" / "properties").mkdir(parents=True)
    assert list_render_nodes(tmp_path) == [
        Path("/dev/dri/renderD128"),
        Path("/dev/dri/renderD129"),
    ]


def test_a_gpu_is_shown_what_all_share_and_its_own_render_node_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kfd, *nodes = (
        tmp_path / name for name in ("kfd", "renderD128", "renderD129", "renderD130")
    )
    for node in (kfd, *nodes):
        node.touch()
    monkeypatch.setattr(device_files, "list_shared_files", lambda _: (kfd,))
    monkeypatch.setattr(device_files, "list_render_nodes", lambda _: nodes)

    def build_second_gpu() -> Gpu:
        return build_gpu(
            "rocm", Path("/lib/none.so"), {"index": 1, "arch": "gfx942"}, {}
        )

    assert build_second_gpu().device_files == (kfd, nodes[1])
    # in the sandbox it is the only one, and so the first
    assert build_second_gpu().sandbox_environment == {"ROCR_VISIBLE_DEVICES": "0"}
    # a container that was not given the first counts from the next
    nodes[0].unlink()
    assert build_second_gpu().device_files == (kfd, nodes[2])
