"""The one place that ends the command line: each kind of end has its exit code and says what to
do.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from crawler.errors import (
    BadArchive,
    ConfigureFailed,
    CrawlError,
    MissingTool,
    NoKernels,
    NotFound,
)
from workers import cli


def ended(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> object:
    def fail() -> int:
        raise error

    monkeypatch.setattr(cli, "_called", fail)
    with pytest.raises(SystemExit) as raised:
        cli.main()
    return raised.value.code


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFound("no such project: check its name"), cli.USAGE),
        (MissingTool("no clang: run `deploy/bootstrap`"), cli.USAGE),
        (NoKernels("none: look elsewhere"), cli.NOTHING),
        (BadArchive("it is cut off: fetch it again"), cli.FAILED),
        (KeyboardInterrupt(), cli.INTERRUPTED),
        (FileNotFoundError(2, "No such file", "a.cu"), cli.USAGE),
        (OSError(28, "No space left on device"), cli.USAGE),
    ],
)
def test_each_error_has_its_exit_code_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
) -> None:
    assert ended(monkeypatch, error) == code
    told = capsys.readouterr()
    assert told.out == ""
    assert "Traceback" not in told.err
    if isinstance(error, CrawlError):
        assert told.err == f"error: {error} [{error.code}]\n"


def test_a_tools_last_words_are_shown_harmless(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = ConfigureFailed("cmake failed: mend it", output="No CUDA\x1b[2J here\n")
    assert ended(monkeypatch, error) == cli.FAILED
    assert "No CUDA\\x1b[2J here" in capsys.readouterr().err


def test_a_bug_leaves_a_report_that_can_be_sent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["kernelset", "query"])
    assert ended(monkeypatch, ZeroDivisionError("oops")) == cli.BUG
    (report,) = tmp_path.iterdir()
    assert str(report) in capsys.readouterr().err
    text = report.read_text()
    assert "command: kernelset query" in text
    assert "ZeroDivisionError: oops" in text
