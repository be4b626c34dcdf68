"""Which header libraries are found, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.libraries import discovery
from crawler.toolchains import discovery as toolchains
from tests.header_libraries import naming, plant_cccl, plant_thrust


def test_a_named_folder_goes_before_the_usual_ones(thrust: Path) -> None:
    installed_library = discovery.find_installed("thrust")
    assert installed_library is not None
    assert installed_library.version == "1.17.2"
    assert dict(installed_library.parts)["thrust"] == thrust / "thrust"


def test_the_first_of_two_named_folders_counts(tmp_path: Path) -> None:
    newer = plant_thrust(tmp_path / "newer", thrust=101705, cub=101705)
    older = plant_thrust(tmp_path / "older")
    with naming(newer, older):
        installed_library = discovery.find_installed("thrust")

    assert installed_library is not None
    assert installed_library.version == "1.17.5"


def test_a_library_that_is_named_changes_what_verdicts_depend_on(
    tmp_path: Path,
) -> None:
    # it is asked for once a process, which has its settings by then
    compute_digest = toolchains.toolchain_digest.__wrapped__
    before = compute_digest()
    with naming(plant_thrust(tmp_path)):
        assert compute_digest() != before

    assert compute_digest() == before


def test_a_wheel_beside_this_program_is_found_without_a_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant_cccl(tmp_path / "nvidia/cu13/include/cccl", thrust=300099)
    (tmp_path / "nvidia/cu13/include/cccl/cuda/std/__cccl/version.h").write_text(
        "#define CCCL_VERSION 3009009\n"
    )
    monkeypatch.setattr(discovery, "_find_packages", lambda: tmp_path)
    # what was found before is forgotten, and found again afterwards
    with naming(tmp_path / "nowhere"):
        installed_library = discovery.find_installed("cccl")

    assert installed_library is not None
    assert installed_library.version == "3.9.9"


def test_folders_are_separated_by_colons_or_commas() -> None:
    assert discovery.split_folders("/a:/b, /c,") == (Path("/a"), Path("/b"), Path("/c"))


def test_a_header_is_claimed_by_its_first_folder_alone() -> None:
    claimed = discovery.find_claiming("<cub/cub.cuh>")
    assert claimed is not None
    assert claimed.name == "thrust"
    assert discovery.find_claiming("project/thrust/sort.h") is None
