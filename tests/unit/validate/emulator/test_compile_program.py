"""Programs are compiled in a folder of their own, in the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.process_limits import Limits
from crawler.sandbox.work_folder import open_work_folder
from crawler.validate.emulator.compile_program import (
    PROGRAM_NAME,
    run_in_work_folder,
)

LIMITS = Limits(seconds=20)


@pytest.mark.apt
def test_a_command_leaves_its_program_and_nothing_else() -> None:
    script = f"echo done > {PROGRAM_NAME}; echo more > other"
    with open_work_folder("cpu") as work:
        completed = run_in_work_folder(("/bin/sh", "-c", script), work, LIMITS)
        assert completed.exit_code == 0
        assert (work / PROGRAM_NAME).read_text() == "done\n"


@pytest.mark.apt
def test_a_command_sees_no_file_of_this_machine(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    with open_work_folder("cpu") as work:
        completed = run_in_work_folder(("/bin/cat", str(secret)), work, LIMITS)
    assert completed.exit_code != 0
    assert "hidden" not in completed.text
