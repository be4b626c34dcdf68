"""No archive of the list writes outside of its folder, or leaves a link or a device in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.errors import BadArchive
from crawler.sources.archive.unpack import unpack_archive
from tests.integration.attacks.packed import ARCHIVES
from tests.unit.sources.archive.packed_archives import FORMS, LIMITS, tar

SET_IDS = 0o6000


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Path]:
    """A folder in which nothing but `in/deep` may change."""
    (tmp_path / "in/deep").mkdir(parents=True)
    yield tmp_path
    for path in tmp_path.rglob("*"):
        if not path.is_relative_to(tmp_path / "in/deep"):
            assert path.relative_to(tmp_path).as_posix() == "in"
    assert not Path("/tmp/out").exists()


@pytest.mark.parametrize("form", ["tar", "tar.gz"])
@pytest.mark.parametrize("name", sorted(ARCHIVES))
def test_it_stays_inside(name: str, form: str, room: Path) -> None:
    archive = room / f"archive.{form}"
    archive.write_bytes(FORMS[form](tar(*ARCHIVES[name])))
    destination = room / "in/deep"
    try:
        unpack_archive(archive, destination, LIMITS)
    except BadArchive:
        assert list(destination.iterdir()) == []
    finally:
        archive.unlink()

    for path in destination.rglob("*"):
        assert not path.is_symlink()
        assert path.is_dir() or path.is_file()
        assert not path.stat().st_mode & SET_IDS
        assert path.is_dir() or path.stat().st_nlink == 1
