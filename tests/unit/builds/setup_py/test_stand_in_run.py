from __future__ import annotations

import json
from pathlib import Path

import pytest

from crawler.builds.setup_py.stand_in_run import (
    OUT_OF_TIME_EXIT_CODE,
    StandInOptions,
    _make_environment,
    explain_end,
    is_out_of_time,
    read_record,
)
from crawler.model import Dialect
from crawler.process import CompletedProcess


def complete(
    exit_code: int = 0, output: str = "", *, timed_out: bool = False
) -> CompletedProcess:
    return CompletedProcess(
        argv=("python",),
        exit_code=exit_code,
        output=output.encode(),
        errors=b"",
        timed_out=timed_out,
    )


def test_options_are_named_in_the_log() -> None:
    options = StandInOptions(
        dialect=Dialect.HIP, switches={"WITH_CUDA": "1"}, skips_failures=True
    )
    assert str(options) == "hip WITH_CUDA past failures"
    assert str(StandInOptions()) == "cuda"


def test_a_setup_sees_the_toolkit_of_its_dialect_alone() -> None:
    switches = {"FORCE_CUDA": "0", "BUILD_OPS": "1"}
    cuda = _make_environment(StandInOptions(switches=switches))
    assert "CUDA_HOME" in cuda
    assert "ROCM_HOME" not in cuda
    assert (cuda["FORCE_CUDA"], cuda["BUILD_OPS"]) == ("0", "1")
    hip = _make_environment(StandInOptions(dialect=Dialect.HIP))
    assert hip["ROCM_HOME"] == "/opt/rocm"
    assert "CUDA_HOME" not in hip


def test_a_record_is_read(tmp_path: Path) -> None:
    record = {
        "extensions": [{"name": "ops"}],
        "read_variables": ["WITH_CUDA"],
        "failed": False,
    }
    (tmp_path / "setup.json").write_text(json.dumps(record))
    setup = read_record(tmp_path)
    assert [extension.name for extension in setup.extensions] == ["ops"]
    assert (setup.read_variables, setup.failed) == (["WITH_CUDA"], False)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"\xff", b"[" * 5000, b'{"failed": 3}']
)
def test_a_malformed_record_is_a_failed_run(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "setup.json").write_bytes(content)
    setup = read_record(tmp_path)
    assert setup.failed
    assert setup.extensions == []


def test_a_missing_record_is_a_failed_run(tmp_path: Path) -> None:
    assert read_record(tmp_path).failed


@pytest.mark.parametrize(
    ("completed", "is_late"),
    [
        (complete(), False),
        (complete(1), False),
        (complete(OUT_OF_TIME_EXIT_CODE), True),
        (complete(timed_out=True), True),
    ],
)
def test_the_stand_ins_themselves_may_say_that_time_is_over(
    completed: CompletedProcess, is_late: bool
) -> None:
    assert is_out_of_time(completed) is is_late


def test_the_last_line_says_how_a_run_ended() -> None:
    assert explain_end(None) == "there is none"
    assert explain_end(complete(3)) == "exit code 3"
    assert (
        explain_end(complete(1, "first\nValueError: no GPU\n")) == "ValueError: no GPU"
    )
    assert explain_end(complete(1, "x" * 500)) == "x" * 200
    assert "it took over" in explain_end(complete(timed_out=True))
