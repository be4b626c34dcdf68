"""The numbers of offload archs, and the folder for what is dear to make."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crawler.validate import cache, isa


@pytest.mark.parametrize(
    ("arch", "number"),
    [("gfx90a", 9010), ("gfx942", 9402), ("gfx1100", 11000), ("gfx1201", 12001), ("gfx906", 9006), ("sm_80", 0)],
)
def test_isa_versions(arch: str, number: int) -> None:
    assert isa.version(arch) == number


def test_what_is_made_once_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    calls = []

    def make(folder: Path) -> bool:
        calls.append(folder)
        (folder / "made").write_text("x")
        return True

    first = cache.made("thing", make)
    assert first == tmp_path / "thing"
    assert cache.made("thing", make) == first
    assert len(calls) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["thing"]


def test_what_could_not_be_made_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)

    def fail(folder: Path) -> bool:
        (folder / "half").write_text("x")
        return False

    assert cache.made("thing", fail) is None
    assert list(tmp_path.iterdir()) == []


def test_of_two_that_make_at_once_the_first_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)

    def make(folder: Path) -> bool:
        (folder / "mine").write_text("second")
        (tmp_path / "thing").mkdir()
        (tmp_path / "thing" / "theirs").write_text("first")
        return True

    made = cache.made("thing", make)
    assert made is not None
    assert [path.name for path in made.iterdir()] == ["theirs"]
    assert [path.name for path in tmp_path.iterdir()] == ["thing"]


def test_only_the_newest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    monkeypatch.setattr(cache, "_KEPT", 3)
    for age in range(5):
        (tmp_path / f"old-{age}").mkdir()
        os.utime(tmp_path / f"old-{age}", (1_000_000 - age, 1_000_000 - age))
    assert cache.made("thing", lambda _: True) == tmp_path / "thing"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old-0", "old-1", "thing"]
