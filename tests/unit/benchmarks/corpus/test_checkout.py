"""Another checkout's program is run, bounded in time, and what varies of its rows is left out."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from benchmarks.corpus.checkout import Checkout


def make_checkout(folder: Path, program: str) -> Checkout:
    """Return a checkout whose `kernelset` is a shell script."""
    path = folder / ".venv" / "bin" / "kernelset"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{program}\n")
    path.chmod(0o755)
    return Checkout(folder)


def is_running(process_id: int) -> bool:
    """Tell whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return False
    return state[0] != "Z"


def test_a_program_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path, "exec sleep 600")
    with pytest.raises(subprocess.TimeoutExpired):
        checkout.run("crawl", home=tmp_path, seconds=0.1)


def test_what_a_program_leaves_running_ends_with_it(tmp_path: Path) -> None:
    # The child inherits the outputs, so a reader of pipes would wait for its end.
    checkout = make_checkout(tmp_path, "sleep 600 & echo $!")
    child = int(checkout.run("crawl", home=tmp_path).stdout)
    deadline = time.monotonic() + 30
    while is_running(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(child)


def test_state_lies_in_the_home_and_both_outputs_are_returned(tmp_path: Path) -> None:
    checkout = make_checkout(
        tmp_path, 'echo "$KERNELSET_HOME $*"; echo why >&2; exit 3'
    )
    ended = checkout.run("port", "k.cu", home=tmp_path / "home")
    assert ended.stdout.decode() == f"{tmp_path / 'home'} port k.cu\n"
    assert (ended.stderr, ended.returncode) == (b"why\n", 3)


def test_a_crawl_that_fails_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_checkout(tmp_path, "echo no such package >&2; exit 1").crawl(
        "pypi:x", tmp_path
    )
    assert "no such package" in capsys.readouterr().err


def test_rows_are_read_without_times_and_folders_of_headers(tmp_path: Path) -> None:
    row = (
        '{"id": "k", "stages": {"extract": "1"}, "builds": [{"seconds": 3, '
        '"toolchain": {"name": "clang", "digest": "0f"}}]}'
    )
    checkout = make_checkout(tmp_path, f"echo '{row}' > \"$3\"")
    assert checkout.export_rows(tmp_path) == {
        "k": {
            "id": "k",
            "builds": [{"toolchain": {"name": "clang", "digest": ""}}],
        }
    }


def test_what_is_written_for_a_source_is_read_and_removed(tmp_path: Path) -> None:
    checkout = make_checkout(
        tmp_path,
        'if [ "$1" = port ]; then echo ported; exit; fi\n'
        'mkdir -p "$5/deep" && echo unit > "$5/deep/k.cu"; exit 2',
    )
    written = checkout.extract_and_port(tmp_path / "k.cu", tmp_path)
    assert written == {"exit code": b"2", "deep/k.cu": b"unit\n", "port": b"ported\n"}
    assert not (tmp_path / "units").exists()
