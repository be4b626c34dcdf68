"""Where the state may lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.errors import Misconfigured
from storage.database import file_system
from storage.open import open_storage


def test_a_local_disk_has_a_kind_and_is_taken(tmp_path: Path) -> None:
    assert file_system.file_system_magic(tmp_path) > 0
    file_system.require_local_disk(tmp_path)


def test_kinds_are_told_apart() -> None:
    assert file_system.file_system_magic(Path("/proc")) == 0x9FA0, "PROC_SUPER_MAGIC"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="missing"):
        file_system.file_system_magic(tmp_path / "missing")


@pytest.mark.parametrize(
    ("magic", "name"), [(0x6969, "NFS"), (0xFF534D42, "CIFS"), (0x0BD00BD0, "Lustre")]
)
def test_a_network_file_system_is_refused_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, magic: int, name: str
) -> None:
    monkeypatch.setattr(file_system, "file_system_magic", lambda path: magic)
    with pytest.raises(Misconfigured, match=f"lies on {name}.*KERNELSET_HOME"):
        open_storage(tmp_path / "home")
    assert list((tmp_path / "home").iterdir()) == []
