"""Files and folders of a dataset: whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.dataset.destination import (
    create_file_atomically,
    create_folder_atomically,
)
from crawler.errors import Misconfigured


class Interrupted(Exception):
    """Ends a block before its time."""


def test_a_file_takes_its_name_when_all_is_written(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with create_file_atomically(path) as file:
        file.write(b"rows")
        assert not path.exists()
    assert path.read_bytes() == b"rows"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupted_file_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"old")

    def write_half() -> None:
        with create_file_atomically(path) as file:
            file.write(b"half")
            raise Interrupted

    with pytest.raises(Interrupted):
        write_half()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "old.cu").touch()
    with create_folder_atomically(folder) as part:
        (part / "new.cu").touch()
        assert (folder / "old.cu").exists()
    assert [path.name for path in folder.iterdir()] == ["new.cu"]
    assert list(tmp_path.iterdir()) == [folder]


def test_an_interrupted_folder_leaves_the_old_one(tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "old.cu").touch()

    def fill_half() -> None:
        with create_folder_atomically(folder) as part:
            (part / "new.cu").touch()
            raise Interrupted

    with pytest.raises(Interrupted):
        fill_half()
    assert [path.name for path in folder.iterdir()] == ["old.cu"]
    assert list(tmp_path.iterdir()) == [folder]


def test_what_a_dead_export_left_is_not_taken_over(tmp_path: Path) -> None:
    part = tmp_path / ".tree.kernelset-part"
    (part / "src").mkdir(parents=True)
    (part / "src" / "stale.cu").touch()
    with create_folder_atomically(tmp_path / "tree") as folder:
        assert list(folder.iterdir()) == []


def test_two_exports_do_not_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with create_file_atomically(path) as file:
        file.write(b"first")
        with pytest.raises(Misconfigured, match="another export") as caught:  # noqa: SIM117
            with create_file_atomically(path):
                pass
        assert caught.value.code == "busy"
    assert path.read_bytes() == b"first"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(Misconfigured, match="make it first"),
        create_file_atomically(tmp_path / "none" / "rows.jsonl"),
    ):
        pass
