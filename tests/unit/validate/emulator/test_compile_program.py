"""Programs are compiled in a folder of their own, in the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.process_limits import Limits
from crawler.validate.emulator.compile_program import (
    PROGRAM_NAME,
    open_work_folder,
    run_in_work_folder,
)

LIMITS = Limits(seconds=20)


def test_a_work_folder_is_readable_and_goes_in_the_end() -> None:
    with open_work_folder() as work:
        assert work.stat().st_mode & 0o777 == 0o755
        (work / "left").write_text("behind")
    assert not work.exists()


def test_a_work_folder_goes_where_its_work_fails() -> None:
    folders: list[Path] = []

    def fail_at_work() -> None:
        with open_work_folder() as work:
            folders.append(work)
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        fail_at_work()
    (folder,) = folders
    assert not folder.exists()


def test_each_work_has_a_folder_of_its_own() -> None:
    with open_work_folder() as first, open_work_folder() as second:
        assert first != second


@pytest.mark.apt
def test_a_command_leaves_its_program_and_nothing_else() -> None:
    script = f"echo done > {PROGRAM_NAME}; echo more > other"
    with open_work_folder() as work:
        completed = run_in_work_folder(("/bin/sh", "-c", script), work, LIMITS)
        assert completed.exit_code == 0
        assert (work / PROGRAM_NAME).read_text() == "done\n"


@pytest.mark.apt
def test_a_command_sees_no_file_of_this_machine(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    with open_work_folder() as work:
        completed = run_in_work_folder(("/bin/cat", str(secret)), work, LIMITS)
    assert completed.exit_code != 0
    assert "hidden" not in completed.text
