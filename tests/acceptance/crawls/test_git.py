"""From a git repository to its kernels, and what is said where there is none."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.servers.git import remove_object

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset
    from tests.servers.git import GitProject

pytestmark = pytest.mark.apt

KERNEL = "// SPDX-License-Identifier: MIT\n__global__ void {name}(float* x) {{ x[threadIdx.x] = 1; }}\n"


def test_the_kernels_of_a_git_repository_say_where_they_are_from(
    kernelset: Kernelset, git_project: Callable[..., GitProject]
) -> None:
    project = git_project("origin/owner/waves.git")
    first = project.commit({"src/wave.cu": KERNEL.format(name="wave")})
    # `größe.cu` of a system that had latin-1
    raw_name = os.fsdecode(b"src/gr\xf6\xdfe.cu")
    second = project.commit({raw_name: KERNEL.format(name="tide")})
    locator = f"git+file://{project.folder}"
    listing = kernelset.run("crawl", locator, "--dry-run")
    assert (listing.stdout.split(), (kernelset.home / "kernelset.db").exists()) == (
        ["git", "waves", second],
        False,
    )

    kernelset.run("crawl", locator, "--targets", "sm_80", "--workers", 1)
    rows = kernelset.rows("query")
    paths_by_name = {row["name"]: row["path"] for row in rows}
    assert paths_by_name == {"tide": "src/gr%F6%DFe.cu", "wave": "src/wave.cu"}
    assert kernelset.rows("query", "path = src/gr%F6%DFe.cu")[0]["name"] == "tide"
    assert {
        (row["repo"], row["commit"], row["pass_call"]["sm_80"]) for row in rows
    } == {("waves", second, "pass")}
    assert {(row["url"], row["licence"]) for row in rows} == {
        (f"file://{project.folder}", "MIT")
    }

    kernelset.run("crawl", f"{locator}@{first}", "--targets", "sm_80", "--workers", 1)
    assert [row["name"] for row in kernelset.rows("query", f"commit = {first}")] == [
        "wave"
    ]
    again = kernelset.run("crawl", f"{locator}@{first}", "--targets", "sm_80")
    assert "nothing was redone" in again.stdout


def test_what_a_partial_clone_lacks_is_named_and_costs_its_own_kernels(
    kernelset: Kernelset, git_project: Callable[..., GitProject]
) -> None:
    project = git_project("origin/owner/waves.git")
    project.commit(
        {
            "src/wave.cu": KERNEL.format(name="wave"),
            "src/tide.cu": '#include "tables.h"\n' + KERNEL.format(name="tide"),
            "src/tables.h": "#define ROWS 4\n",
            "src/lost.cu": KERNEL.format(name="lost"),
        }
    )
    for path in ("src/tables.h", "src/lost.cu"):
        remove_object(project, path)

    crawl = kernelset.run(
        "crawl", f"git+file://{project.folder}", "--targets", "sm_80", "--workers", 1
    )
    [line] = [line for line in crawl.stdout.splitlines() if "not sent" in line]
    assert line.split(maxsplit=3)[3] == "2 (src/lost.cu, src/tables.h)"
    names = {row["name"]: row["pass_call"]["sm_80"] for row in kernelset.rows("query")}
    assert names == {"wave": "pass", "tide": "pass"}


def test_what_cannot_be_fetched_is_a_clear_error(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    absent = kernelset.run("crawl", f"git+file://{tmp_path}/absent", code=1)
    assert "[not-found]" in absent.stderr
    assert "check its spelling" in absent.stderr
    assert "Traceback" not in absent.stderr
    kernelset.sound()


def test_credentials_are_neither_stored_nor_shown(kernelset: Kernelset) -> None:
    refused = kernelset.run(
        "crawl", "git+https://reader:pa55word@example.org/owner/name.git", code=2
    )
    assert "docs/configuration.md" in refused.stderr
    leaks = [
        path
        for path in kernelset.home.rglob("*")
        if path.is_file() and b"pa55word" in path.read_bytes()
    ]
    assert (leaks, "pa55word" in refused.stderr) == ([], False)
