"""`make bench` finds every benchmark, and each writes a report of what it really measured."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROJECT = ROOT / "tests/fixtures/projects/rollers"


def run_benchmarks(*words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "benchmarks", *map(str, words)]
    ended = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == code, ended.stderr
    return ended


def test_all_are_listed_with_what_they_measure() -> None:
    listed = {
        line.split()[0]: line.split(maxsplit=1)[1]
        for line in run_benchmarks("--list").stdout.splitlines()
    }
    files = (ROOT / "benchmarks").rglob("*.py")
    assert set(listed) == {
        path.stem for path in files if "def main(" in path.read_text()
    } - {"__main__"}
    assert "by default" in listed["headers_coverage"]
    assert "by default" not in listed["corpus"]
    assert (
        "no benchmark is called speed: there is"
        in run_benchmarks("speed", code=2).stderr
    )


@pytest.mark.parametrize(
    ("words", "measured"),
    [
        (("storage_speed", "--kernels", "200"), "200 synthetic kernels"),
        (("archive_refusal", "--members", "50"), "and was taken"),
        (
            (
                *("dataset_scale", "--kernels", "40", "--copies", "3"),
                *("--databases", "sqlite", "--rows", "20"),
            ),
            "index of 120 kernels",
        ),
        (
            (
                *("web_speed", "--kernels", "40", "--copies", "2", "--requests", "2"),
                *("--databases", "sqlite"),
            ),
            "| a review's whole text |",
        ),
        pytest.param(
            ("headers_coverage", PROJECT), "files clean", marks=pytest.mark.apt
        ),
    ],
)
def test_a_report_says_how_it_came_about(
    tmp_path: Path, words: tuple[object, ...], measured: str
) -> None:
    run_benchmarks("--results", tmp_path, *words)
    (report,) = tmp_path.iterdir()
    assert report.name == f"{words[0]}.md"
    text = report.read_text()
    assert text.startswith("# ")
    assert f"python -m benchmarks {words[0]}" in text
    assert measured in text
    assert str(ROOT) not in text


def test_a_committed_report_is_of_a_benchmark_that_exists() -> None:
    for report in (ROOT / "benchmarks/results").glob("*.md"):
        assert list((ROOT / "benchmarks").rglob(f"{report.stem}.py"))
        assert re.search(
            rf"python -m benchmarks[. ]{report.stem}\b", report.read_text()
        )
