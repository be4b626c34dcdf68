"""Where nothing isolates, no file of the machine gets into what is stored."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.acceptance.conftest import Kernelset

SOURCE = """#include "{secret}"
__global__ void fill(int* x) {{ x[threadIdx.x] = SECRET; }}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A source that reads a file beside its project."""
    secret = tmp_path / "secret.h"
    secret.write_text("#define SECRET 90210\n")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "fill.cu").write_text(SOURCE.format(secret=secret))
    return folder


@pytest.fixture(autouse=True)
def _without_bubblewrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("git", "clang++-19", "clang++-18", "clang++"):
        path = shutil.which(name)
        if path:
            (programs / name).symlink_to(path)
    monkeypatch.setenv("PATH", str(programs))


def test_nothing_is_crawled_and_the_message_says_what_to_do(
    kernelset: Kernelset, project: Path
) -> None:
    message = kernelset.run("crawl", project, code=2).stderr
    assert "[no-sandbox]" in message
    assert "bubblewrap is not installed" in message
    assert "KERNELSET_UNSANDBOXED_PARSING=1" in message
    assert not list(kernelset.home.glob("blobs/**/*.pack"))


def test_nothing_is_extracted_and_nothing_compiled(
    kernelset: Kernelset, project: Path, tmp_path: Path
) -> None:
    source = project / "fill.cu"
    out = tmp_path / "out"
    for words in (
        ["extract", "--input-file", source, "--output-dir", out],
        ["validate", source, "--targets", "sm_80"],
    ):
        message = kernelset.run(*words, code=2).stderr
        assert "[no-sandbox]" in message
    assert not out.exists()


def test_a_setting_allows_it(kernelset: Kernelset, project: Path) -> None:
    kernelset.home.mkdir()
    settings = kernelset.home / "kernelset.toml"
    settings.write_text("unsandboxed_parsing = true\n")
    kernelset.run("crawl", project, "--targets", "sm_80")
    (kernel,) = kernelset.rows("query")
    assert kernel["name"] == "fill"


def test_what_is_executed_is_not_allowed_by_it(
    kernelset: Kernelset, project: Path
) -> None:
    kernelset.home.mkdir()
    settings = kernelset.home / "kernelset.toml"
    settings.write_text("unsandboxed_parsing = true\n")
    message = kernelset.run("crawl", project, "--device", "cpu", code=2).stderr
    assert "kernels run inside the sandbox only" in message


def test_doctor_says_what_is_missing(kernelset: Kernelset) -> None:
    findings = {row["name"]: row for row in kernelset.rows("doctor", code=2)}
    assert findings["sandbox"]["state"] == "missing"
