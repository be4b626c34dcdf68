"""Files and folders of ours may be replaced; nobody else's is lost."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from crawler.dataset.destination import MARKER_FILE
from crawler.dataset.replacement import can_replace
from crawler.dataset.rows.row import SCHEMA_NAME


@pytest.mark.parametrize(
    ("content", "is_ours"),
    [
        (b"", True),
        (f'{{"schema":"{SCHEMA_NAME}","id":""}}\n'.encode(), True),
        (b'{"schema":"another/1"}', False),
        (f"{SCHEMA_NAME},name\n".encode(), True),
        (f"notes on {SCHEMA_NAME}\n".encode(), False),
        (b"PAR1 rows " + SCHEMA_NAME.encode() + b"PAR1", True),
        (b"PAR1 someone's table PAR1", False),
        (b"notes", False),
    ],
)
def test_a_file_of_ours_may_be_replaced(
    tmp_path: Path, content: bytes, is_ours: bool
) -> None:
    path = tmp_path / "rows"
    path.write_bytes(content)
    assert can_replace(path) is is_ours


def test_a_folder_of_ours_may_be_replaced_and_a_link_never(tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    assert can_replace(folder)
    folder.mkdir()
    assert can_replace(folder)
    (folder / "notes.txt").touch()
    assert not can_replace(folder)
    (folder / MARKER_FILE).touch()
    assert can_replace(folder)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    assert not can_replace(link)


@pytest.mark.parametrize("name", ["notes.txt", "mmcv/notes.txt", "mmcv/kernel.cu"])
def test_what_a_user_added_or_changed_in_our_folder_is_kept(
    tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "tree"
    (folder / "mmcv").mkdir(parents=True)
    (folder / "mmcv" / "kernel.cu").write_text("ours")
    (folder / MARKER_FILE).touch()
    assert can_replace(folder)
    time.sleep(0.02)
    (folder / name).write_text("mine")
    # as a copy that keeps the times of what it copies
    os.utime(folder / name, (0, 0))
    assert not can_replace(folder)
