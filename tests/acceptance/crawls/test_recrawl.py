"""Crawling again does what is new and nothing else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt


def events(ended: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in ended.stderr.splitlines() if line.startswith("{")
    ]


def test_a_changed_folder_is_crawled_anew(kernelset: Kernelset, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "a.cu").write_text("__global__ void first(float* x) { x[0] = 1; }\n")
    kernelset.run("crawl", folder, "--targets", "sm_80", "--workers", 1)
    (folder / "b.cu").write_text("__global__ void second(float* x) { x[0] = 2; }\n")
    kernelset.run("crawl", folder, "--targets", "sm_80", "--workers", 1)
    rows = kernelset.rows("query")
    assert sorted(row["name"] for row in rows) == ["first", "first", "second"]
    assert len({row["commit"] for row in rows}) == 2


def test_other_targets_are_built_and_nothing_is_parsed_again(
    kernelset: Kernelset, project: Path
) -> None:
    kernelset.run("crawl", project, "--targets", "sm_80")
    again = events(kernelset.run("crawl", project, "--targets", "sm_80,sm_90"))
    assert "extract" not in {event["stage"] for event in again}
    built = {
        event["subject"].split(": ")[1].split(",")[0]
        for event in again
        if event["stage"] == "validate"
    }
    assert built == {"sm_90"}
    assert {frozenset(row["pass_call"]) for row in kernelset.rows("query")} == {
        frozenset({"sm_80", "sm_90"}),
        frozenset(),
    }


def test_a_folder_that_was_missing_is_found_once_it_is_there(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    kernelset.run("crawl", tmp_path / "late", code=1)
    (tmp_path / "late").mkdir()
    (tmp_path / "late" / "a.cu").write_text(
        "__global__ void k(float* x) { x[0] = 1; }\n"
    )
    kernelset.run("crawl", tmp_path / "late", "--targets", "sm_80")
    (row,) = kernelset.rows("query")
    assert row["name"] == "k"
