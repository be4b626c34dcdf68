"""A switch for device code brings the one for its language."""

from __future__ import annotations

import pytest

from crawler.cpp.preprocessor.switch_names import (
    name_companion_switches,
    read_warp_size,
)
from crawler.model import Dialect


@pytest.mark.parametrize(
    ("name", "dialect", "companions"),
    [
        ("LIB_USE_GPU", Dialect.CUDA, {"LIB_USE_CUDA"}),
        ("LIB_USE_GPU", None, {"LIB_USE_CUDA"}),
        ("LIB_USE_GPU", Dialect.HIP, {"LIB_USE_HIP"}),
        ("LIB_USE_CUDA", Dialect.CUDA, {"LIB_USE_GPU"}),
        ("GPU_SUPPORT", Dialect.CUDA, {"CUDA_SUPPORT"}),
        ("LIB_USE_OPENMP", Dialect.CUDA, set()),
        ("SHIPPING", Dialect.CUDA, set()),
        ("CUDART", Dialect.CUDA, set()),
    ],
)
def test_the_companions_of_a_switch(
    name: str, dialect: Dialect | None, companions: set[str]
) -> None:
    assert name_companion_switches([name], dialect) == companions


def test_a_switch_that_is_set_is_nobodys_companion() -> None:
    names = ["LIB_USE_GPU", "LIB_USE_CUDA"]
    assert not name_companion_switches(names, Dialect.CUDA)


@pytest.mark.parametrize(
    ("name", "dialect", "value"),
    [
        ("LIB_WARP_SIZE", Dialect.CUDA, "32"),
        ("LIB_WARPSIZE", None, "32"),
        ("LIB_WARP_SIZE", Dialect.HIP, "64"),
        ("LIB_WARP_SIZE_LIMIT", Dialect.CUDA, ""),
        ("LIB_BLOCK_SIZE", Dialect.CUDA, ""),
    ],
)
def test_the_lanes_of_a_warp(name: str, dialect: Dialect | None, value: str) -> None:
    assert read_warp_size(name, dialect) == value
