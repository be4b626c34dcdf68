"""Folders that the sandbox's user may read, as long as a run takes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crawler.sandbox.work_folder import make_readable_folder, open_work_folder


def test_a_work_folder_is_readable_and_goes_in_the_end() -> None:
    with open_work_folder("test") as work:
        assert work.stat().st_mode & 0o777 == 0o755
        (work / "left").write_text("behind")
    assert not work.exists()


def test_a_work_folder_goes_where_its_work_fails() -> None:
    folders: list[Path] = []

    def fail_at_work() -> None:
        with open_work_folder("test") as work:
            folders.append(work)
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        fail_at_work()
    (folder,) = folders
    assert not folder.exists()


def test_each_work_has_a_folder_of_its_own() -> None:
    with open_work_folder("test") as first, open_work_folder("test") as second:
        assert first != second


def test_a_work_folder_says_what_it_is_for() -> None:
    with open_work_folder("ptxas") as work:
        assert work.name.startswith("kernelset-ptxas-")


def test_a_folder_within_is_readable_whatever_the_users_mask_says() -> None:
    earlier = os.umask(0o077)
    try:
        with open_work_folder("test") as work:
            folder = make_readable_folder(work / "results")
            assert folder == work / "results"
            assert folder.stat().st_mode & 0o777 == 0o755
    finally:
        os.umask(earlier)


def test_a_work_folder_that_is_gone_already_is_no_fault() -> None:
    with open_work_folder("test") as work:
        work.rmdir()
    assert not work.exists()
