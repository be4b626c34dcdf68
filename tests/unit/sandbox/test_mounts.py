"""Mounts that everybody can read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from crawler.sandbox.mounts import Mount, ensure_readable


def test_a_file_that_is_removed_while_a_folder_is_looked_at_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept").write_text("")
    (tmp_path / "pruned").write_text("")
    tmp_path.chmod(0o755)
    walk = os.walk

    def pruning(top: Path) -> Iterator[tuple[str, list[str], list[str]]]:
        for listed in walk(top):
            (tmp_path / "pruned").unlink()
            yield listed

    monkeypatch.setattr("crawler.sandbox.mounts.os.walk", pruning)
    mount = Mount(source=tmp_path, target="/seen")
    with ExitStack() as held:
        assert ensure_readable(mount, held) == mount
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
