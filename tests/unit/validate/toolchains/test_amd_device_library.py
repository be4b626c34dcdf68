"""AMD's device library, and the offload archs that it knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.validate.toolchains import amd_device_library


@pytest.mark.parametrize(
    ("arch", "version"),
    [
        ("gfx942", 9402),
        ("gfx90a", 9010),
        ("gfx1100", 11000),
        ("gfx1201", 12001),
        ("gfx", 0),
        ("sm_80", 0),
        ("gfx942:xnack+", 0),
        ("gfx9-generic", 0),
    ],
)
def test_an_arch_has_its_number(arch: str, version: int) -> None:
    assert amd_device_library.isa_version(arch) == version


def test_archs_come_the_oldest_first_and_other_files_do_not_count(
    tmp_path: Path,
) -> None:
    for suffix in ("1100", "90a", "942", "generic", "9-4-generic"):
        (tmp_path / f"oclc_isa_version_{suffix}.bc").touch()
    (tmp_path / "ocml.bc").touch()
    archs = amd_device_library.list_archs(tmp_path)
    assert archs == ("gfx90a", "gfx942", "gfx1100")
    assert amd_device_library.is_known_arch("gfx942", tmp_path)
    assert not amd_device_library.is_known_arch("gfx1201", tmp_path)
