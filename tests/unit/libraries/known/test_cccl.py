"""Where CCCL is found, and under which version."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.libraries.known.cccl import PLUGIN
from tests.header_libraries import plant_cccl, plant_thrust


def test_it_is_thrust_cub_and_libcudacxx_of_one_folder(tmp_path: Path) -> None:
    folder = plant_cccl(tmp_path)
    folders = PLUGIN.find_in(folder)
    assert folders is not None
    assert folders.version == "3.0.1"
    assert dict(folders.parts) == {
        name: folder / name for name in ("thrust", "cub", "cuda", "nv")
    }


def test_a_toolkit_of_cuda_13_has_it_in_a_folder_of_its_own(tmp_path: Path) -> None:
    plant_cccl(tmp_path / "include/cccl")
    folders = PLUGIN.find_in(tmp_path / "include")
    assert folders is not None
    assert dict(folders.parts)["cuda"] == tmp_path / "include/cccl/cuda"


def test_the_three_folders_of_a_checkout_are_one_library(tmp_path: Path) -> None:
    plant_cccl(tmp_path / "flat")
    checkout = tmp_path / "cccl"
    for part in ("thrust", "cub"):
        (checkout / part).mkdir(parents=True)
        (tmp_path / "flat" / part).rename(checkout / part / part)
    (checkout / "libcudacxx/include").mkdir(parents=True)
    for part in ("cuda", "nv"):
        (tmp_path / "flat" / part).rename(checkout / "libcudacxx/include" / part)

    folders = PLUGIN.find_in(checkout)
    assert folders is not None
    assert dict(folders.parts) == {
        "thrust": checkout / "thrust/thrust",
        "cub": checkout / "cub/cub",
        "cuda": checkout / "libcudacxx/include/cuda",
        "nv": checkout / "libcudacxx/include/nv",
    }


def test_before_it_had_a_number_its_thrust_tells(tmp_path: Path) -> None:
    folder = plant_cccl(tmp_path, thrust=200200)
    (folder / "cuda/std/__cccl/version.h").unlink()
    folders = PLUGIN.find_in(folder)
    assert folders is not None
    assert folders.version == "2.2.0"


def test_a_thrust_of_version_1_beside_a_libcudacxx_is_none(tmp_path: Path) -> None:
    assert PLUGIN.find_in(plant_cccl(tmp_path, thrust=101702)) is None


@pytest.mark.parametrize("part", ["cuda", "nv"])
def test_without_libcudacxx_it_is_none(tmp_path: Path, part: str) -> None:
    folder = plant_thrust(tmp_path, thrust=300001, cub=300001)
    (folder / part).mkdir()
    assert PLUGIN.find_in(folder) is None
