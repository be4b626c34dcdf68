from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from crawler.builds.make import make_script
from crawler.builds.make.make_call import MakeCall
from crawler.builds.make.make_script import (
    END_MARK,
    RunMode,
    split_output,
    write_script,
)
from crawler.process_limits import Limits

MODE = RunMode(flags=("-n", "-w"), call_seconds=5, limits=Limits(seconds=10))


def write_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, makefiles: list[str]
) -> Path:
    """Write a script for one folder for each Makefile, which runs outside of a sandbox."""
    monkeypatch.setattr(make_script, "SOURCE_MOUNT", str(tmp_path))
    calls = []
    for number, text in enumerate(makefiles):
        folder = tmp_path / f"part {number}"
        folder.mkdir()
        (folder / "Makefile").write_text(text)
        calls.append(MakeCall(folder=folder.name, makefile="Makefile"))
    return write_script(calls, MODE, tmp_path, is_clean=True)


@pytest.mark.apt("make")
def test_what_each_call_printed_is_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    makefiles = ["all:\n\tnvcc -c a.cu\n", "all:\n\tnvcc -c b.cu\n", "all: absent\n"]
    script = write_calls(tmp_path, monkeypatch, makefiles)
    ended = subprocess.run(["sh", script], capture_output=True, text=True, check=True)
    output_by_number = split_output(ended.stdout)
    assert "nvcc -c a.cu" in output_by_number[0]
    assert "nvcc -c b.cu" in output_by_number[1]
    assert f"{END_MARK} 0" in output_by_number[1]
    assert f"{END_MARK} 2" in output_by_number[2]


@pytest.mark.apt("make")
def test_what_prints_without_end_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_script, "_MAX_PRINTED_BYTES", 1000)
    flood = "all:\n\t+@while :; do echo flood; done\n"
    script = write_calls(tmp_path, monkeypatch, [flood, "all:\n\tnvcc -c b.cu\n"])
    ended = subprocess.run(["sh", script], capture_output=True, text=True, check=True)
    output_by_number = split_output(ended.stdout)
    assert END_MARK not in output_by_number[0]
    assert "nvcc -c b.cu" in output_by_number[1]


def test_scripts_of_one_folder_have_names_of_their_own(tmp_path: Path) -> None:
    call = MakeCall(folder="", makefile="Makefile")
    first = write_script([call], MODE, tmp_path, is_clean=True)
    second = write_script([call], MODE, tmp_path, is_clean=False)
    assert first != second
    assert " -B " in first.read_text()
    assert " -B " not in second.read_text()


def test_no_output_is_of_no_call() -> None:
    assert split_output("sh: cannot open /jobs\n") == {}
