"""Unpacking where everything that appears is seen."""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.errors import CrawlError
from crawler.sources.archive.unpack import unpack_archive
from crawler.sources.interface import Limits
from tests.unit.sources.archive.packed_archives import LIMITS


@pytest.fixture
def unpack(tmp_path: Path) -> Callable[..., dict[str, bytes]]:
    """Unpack bytes, and hold that nothing appeared but in the destination."""

    def call(
        content: bytes, form: str = "tar", limits: Limits = LIMITS
    ) -> dict[str, bytes]:
        room = Path(tempfile.mkdtemp(dir=tmp_path))
        archive, destination = room / f"a.{form}", room / "in" / "deep"
        destination.mkdir(parents=True)
        archive.write_bytes(content)
        try:
            unpack_archive(archive, destination, limits)
        except CrawlError:
            assert list(destination.iterdir()) == []
            raise
        finally:
            everywhere = {
                path for path in room.rglob("*") if not path.is_relative_to(destination)
            }
            assert everywhere == {archive, destination.parent}
        paths = list(destination.rglob("*"))
        assert all(
            stat.S_ISREG(path.lstat().st_mode) or path.is_dir() for path in paths
        )
        return {
            path.relative_to(destination).as_posix(): path.read_bytes()
            for path in paths
            if path.is_file()
        }

    return call
