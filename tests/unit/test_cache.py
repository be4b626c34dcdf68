"""The numbers of offload archs, and the folder for what is dear to make."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from crawler import cache
from crawler.validate.toolchains import amd_device_library


@pytest.mark.parametrize(
    ("arch", "number"),
    [
        ("gfx90a", 9010),
        ("gfx942", 9402),
        ("gfx1100", 11000),
        ("gfx1201", 12001),
        ("gfx906", 9006),
        ("sm_80", 0),
    ],
)
def test_isa_versions(arch: str, number: int) -> None:
    assert amd_device_library.isa_version(arch) == number


@pytest.fixture(autouse=True)
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cache, "ensure_cache_folder", lambda: tmp_path)
    return tmp_path


@dataclass
class Maker:
    """Makes a folder that holds `file`, and counts how often."""

    text: str = "x"
    times: int = 0
    meanwhile: Callable[[], None] = lambda: None

    def __call__(self, folder: Path) -> bool:
        self.times += 1
        self.meanwhile()
        (folder / "file").write_text(self.text)
        return True


def build_thing(name: str, make: Callable[[Path], bool]) -> Path | None:
    return cache.get_or_build(name, make, required_file="file")


def names(room: Path) -> list[str]:
    return sorted(path.name for path in room.iterdir())


def test_what_is_made_once_is_kept(room: Path) -> None:
    make = Maker()
    assert build_thing("thing", make) == build_thing("thing", make) == room / "thing"
    assert (make.times, names(room)) == (1, ["thing"])


def test_what_could_not_be_made_leaves_nothing(room: Path) -> None:
    def fail(folder: Path) -> bool:
        (folder / "half").write_text("x")
        return False

    assert build_thing("thing", fail) is None
    assert names(room) == []


def test_of_two_that_make_at_once_the_first_is_kept(room: Path) -> None:
    def another() -> None:
        build_thing("thing", Maker("first"))

    assert build_thing("thing", Maker("second", meanwhile=another)) == room / "thing"
    assert (room / "thing" / "file").read_text() == "first"
    assert names(room) == ["thing"]


def age_folders(room: Path, count: int, *, hours: float, prefix: str = "") -> None:
    for number in range(count):
        build_thing(f"{prefix}old-{number}", Maker())
    for number in range(count):
        used = time.time() - 3600 * hours - number
        os.utime(room / f"{prefix}old-{number}", (used, used))


def test_of_what_nobody_uses_only_the_latest_are_kept(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_MAX_IDLE_FOLDERS", 3)
    age_folders(room, 5, hours=2)
    build_thing("old-3", Maker())
    build_thing("thing", Maker())
    assert names(room) == ["old-0", "old-3", "thing"]


def test_objects_of_a_large_project_outlive_other_folders(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_MAX_IDLE_FOLDERS", 1)
    monkeypatch.setattr(cache, "_MAX_IDLE_OBJECTS", 3)
    age_folders(room, 5, hours=2, prefix="object-")
    age_folders(room, 2, hours=2)
    build_thing("thing", Maker())
    assert names(room) == [*(f"object-old-{number}" for number in range(3)), "thing"]


def test_idle_files_and_what_was_left_aside_go_too(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_MAX_IDLE_FOLDERS", 0)
    (room / "suite-1.lock").touch()
    (room / "removing-1-old").mkdir()
    (room / "removing-1-suite-2.lock").touch()
    for path in room.iterdir():
        os.utime(path, (0, 0))

    build_thing("thing", Maker())
    assert names(room) == ["thing"]


def test_what_is_in_use_stays_however_much_there_is(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_MAX_IDLE_FOLDERS", 2)
    age_folders(room, 5, hours=0.9)
    build_thing("thing", Maker())
    assert names(room) == [*(f"old-{number}" for number in range(5)), "thing"]


@pytest.mark.parametrize("lost", ["file", "folder", "everything"])
def test_what_was_removed_is_made_again(
    room: Path, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(cache, "_shared_folder", lambda: room / "ours")
    make = Maker()
    first = build_thing("thing", make)
    assert first == room / "ours" / "thing"
    {"file": first / "file", "folder": first, "everything": first.parent}[lost].rename(
        room / "gone"
    )
    assert build_thing("thing", make) == first
    assert ((first / "file").read_text(), make.times, names(room / "ours")) == (
        "x",
        2,
        ["thing"],
    )


def test_none_is_ever_given_that_another_removes(room: Path) -> None:
    """Processes that prune as hard as they can, beside one that asks and looks."""
    code = (
        "import sys; from pathlib import Path; from crawler import cache\n"
        "cache.ensure_cache_folder = lambda: Path(sys.argv[1]); cache._MAX_IDLE_FOLDERS = 0\n"
        "print(flush=True)\n"
        "while True: cache.get_or_build(f'other-{sys.argv[2]}', lambda folder: (folder / 'file').touch() is None, required_file='file')"
        ", cache._prune()\n"
    )
    pruning = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(room), str(number)], stdout=subprocess.PIPE
        )
        for number in range(2)
    ]
    try:
        for process in pruning:
            assert process.stdout
            process.stdout.readline()
        for number in range(200):
            (room / "thing").mkdir(exist_ok=True)
            (room / "thing" / "file").touch()
            if number % 2:
                os.utime(room / "thing", (0, 0))
            folder = build_thing("thing", Maker())
            assert folder
            time.sleep(0.001)
            assert (folder / "file").is_file(), number
    finally:
        for process in pruning:
            process.kill()
            process.communicate()


def test_a_folder_of_somebody_else_is_not_used(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    (room / "theirs").mkdir()
    (room / "ours").symlink_to(room / "theirs")
    monkeypatch.setattr(cache, "_shared_folder", lambda: room / "ours")
    folder = build_thing("thing", Maker())
    assert folder
    assert list((room / "theirs").iterdir()) == []
    shutil.rmtree(folder.parent)
