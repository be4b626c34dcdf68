"""The names under which projects include what our few headers hold."""

from __future__ import annotations

import json

import pytest

from crawler import headers
from crawler.headers.overlay import read_header_aliases, render_overlay


def test_every_alias_means_a_header_that_there_is() -> None:
    missing = {
        target
        for _, target in read_header_aliases()
        if not (headers.ROOT / target).is_file()
    }
    assert not missing


def test_no_alias_hides_a_header_of_ours_or_stands_twice() -> None:
    names = [name for name, _ in read_header_aliases()]
    assert len(names) == len(set(names))
    assert not [name for name in names if (headers.ROOT / name).is_file()]


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("cuda/cub/block/block_reduce.cuh", "cuda/cub/cub.cuh"),
        ("common/thrust/device_vector.h", "common/thrust/thrust.h"),
        ("torch/ATen/cuda/CUDAContext.h", "torch/kernelset/torch_prelude.h"),
    ],
)
def test_a_name_in_use_means_its_library(name: str, target: str) -> None:
    assert dict(read_header_aliases())[name] == target


def test_the_overlay_is_json_with_absolute_folders() -> None:
    overlay = json.loads(render_overlay())
    assert overlay["version"] == 0
    aliases = {
        f"{root['name']}/{file['name']}"
        for root in overlay["roots"]
        for file in root["contents"]
    }
    assert aliases == {str(headers.ROOT / name) for name, _ in read_header_aliases()}
