"""Where Thrust and CUB are found together."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.libraries.known.thrust import PLUGIN
from tests.header_libraries import plant_thrust


def test_a_cub_of_another_version_does_not_go_with_it(tmp_path: Path) -> None:
    assert PLUGIN.find_in(plant_thrust(tmp_path, cub=101600)) is None


def test_a_patch_of_one_alone_is_no_other_version(tmp_path: Path) -> None:
    folders = PLUGIN.find_in(plant_thrust(tmp_path, thrust=101703))
    assert folders is not None
    assert folders.version == "1.17.3"


@pytest.mark.parametrize("part", ["thrust/version.h", "cub/version.cuh"])
def test_half_of_it_is_none(tmp_path: Path, part: str) -> None:
    folder = plant_thrust(tmp_path)
    (folder / part).unlink()
    assert PLUGIN.find_in(folder) is None


def test_from_version_2_on_it_is_a_part_of_cccl(tmp_path: Path) -> None:
    assert PLUGIN.find_in(plant_thrust(tmp_path, thrust=200500, cub=200500)) is None
