from __future__ import annotations

import pytest

from crawler.builds.setup_py.environment_switches import (
    find_device_switches,
    select_build_switches,
)


@pytest.mark.parametrize(
    "name",
    [
        "P_BUILD_OPS",
        "P_WITH_CUDA",
        "BUILD_CUDA_EXT",
        "USE_KERNELS",
        "P_FORCE_BUILD",
        "DS_BUILD_FUSED_ADAM",
    ],
)
def test_what_asks_for_more_is_switched_on(name: str) -> None:
    assert select_build_switches([name]) == {name: "1"}


OFF = "P_SKIP_CUDA_BUILD P_USE_PRECOMPILED CUDA_HOME NVCC_THREADS P_BUILD_DEBUG P_BUILD_VERSION PATH USE_ROCM"


@pytest.mark.parametrize(
    "name",
    [
        *OFF.split(),
        "BUILD_XPU_OPS",
        "P_DISABLE_CUDA",
        "lower_build",
        "P_BUILD_" + "X" * 80,
    ],
)
def test_what_asks_for_less_or_for_a_value_is_left_alone(name: str) -> None:
    assert select_build_switches([name]) == {}


def test_a_text_names_its_switches() -> None:
    text = "if os.getenv('P_USE_CUDA'): ...\nx = os.environ['CUDA_ARCH_LIST'] or environ.get(\"P_NO_CUDA\")"
    assert find_device_switches(text) == {"P_USE_CUDA": "1"}
