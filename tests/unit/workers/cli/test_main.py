"""The one place that ends the command line: each kind of end has its exit code and says what to
do.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest
from typer import TyperException

from crawler.errors import (
    BadArchive,
    ConfigureFailed,
    CrawlError,
    MissingTool,
    NoKernels,
    NotFound,
)
from workers import cli
from workers.cli import exit_codes


def exit_code_of(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> object:
    def fail() -> int:
        raise error

    monkeypatch.setattr(cli, "_call_app", fail)
    with pytest.raises(SystemExit) as raised:
        cli.main()
    return raised.value.code


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFound("no such project: check its name"), exit_codes.USAGE),
        (MissingTool("no clang: run `deploy/bootstrap`"), exit_codes.USAGE),
        (NoKernels("none: look elsewhere"), exit_codes.NOTHING),
        (BadArchive("it is cut off: fetch it again"), exit_codes.FAILED),
        (KeyboardInterrupt(), exit_codes.INTERRUPTED),
        (FileNotFoundError(2, "No such file", "a.cu"), exit_codes.USAGE),
        (OSError(28, "No space left on device"), exit_codes.USAGE),
    ],
)
def test_each_error_has_its_exit_code_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
) -> None:
    assert exit_code_of(monkeypatch, error) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    if isinstance(error, CrawlError):
        assert captured.err == f"error: {error} [{error.code}]\n"


@pytest.mark.parametrize(
    ("message", "printed"),
    [
        ("give a locator", "error: give a locator. See `kernelset --help`.\n"),
        ("No such option.", "error: No such option. See `kernelset --help`.\n"),
    ],
)
def test_a_usage_error_ends_before_the_next_sentence(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    message: str,
    printed: str,
) -> None:
    error = TyperException(message)
    assert exit_code_of(monkeypatch, error) == exit_codes.USAGE
    assert capsys.readouterr().err == printed


def test_a_tools_last_words_are_shown_harmless(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = ConfigureFailed("cmake failed: mend it", output="No CUDA\x1b[2J here\n")
    assert exit_code_of(monkeypatch, error) == exit_codes.FAILED
    assert "No CUDA\\x1b[2J here" in capsys.readouterr().err


def test_a_bug_leaves_a_report_that_can_be_sent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["kernelset", "query"])
    assert exit_code_of(monkeypatch, ZeroDivisionError("oops")) == exit_codes.BUG
    (report,) = tmp_path.iterdir()
    assert str(report) in capsys.readouterr().err
    text = report.read_text()
    assert "command: kernelset query" in text
    assert "ZeroDivisionError: oops" in text
