"""One command from a folder to kernels that compile, and what can be asked afterwards."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt

KERNELS = [
    "axpy_kernel",
    "block_sum",
    "scale_kernel",
    "scale_kernel",
    "stamp_kernel",
    "wave_kernel",
]


def test_the_closing_table_says_what_came_of_it(
    crawled_home: tuple[Kernelset, str],
) -> None:
    table = dict(line.split("  ", 1) for line in crawled_home[1].splitlines())
    table = {name.strip(): value.strip() for name, value in table.items()}
    assert table["repositories"] == "1"
    assert table["files with kernels"] == "6"
    assert table["kernels"] == "6 (ast 6)"
    assert table["units"] == "6"
    assert table["compiled for sm_80"] == "4 of 5 (fail 1, pass 4)"
    assert table["compiled for gfx90a"] == "5 of 6 (fail 1, pass 5)"
    assert table["reasons"] == "missing-header 1"
    assert table["failures"] == "none"
    assert float(table["kernels an hour"].replace(",", "")) > 0


def test_a_second_run_redoes_nothing(
    crawled_home: tuple[Kernelset, str], project: Path
) -> None:
    again = crawled_home[0].run("crawl", project)
    assert "nothing was redone" in again.stdout
    first = [
        line
        for line in crawled_home[1].splitlines()
        if not line.startswith(("crawl", "this run", "kernels an"))
    ]
    assert first == [line for line in again.stdout.splitlines() if line in first]


def test_a_row_has_what_the_query_promises(crawled_home: tuple[Kernelset, str]) -> None:
    rows = crawled_home[0].rows("query")
    assert sorted(row["name"] for row in rows) == KERNELS
    (row,) = [row for row in rows if row["name"] == "block_sum"]
    assert (row["repo"], row["path"], row["dialect"], row["found_by"]) == (
        "rollers",
        "include/reduce.cuh",
        "cuda",
        "ast",
    )
    assert row["pass_call"] == {"sm_80": "pass", "gfx90a": "pass"}
    assert (row["licence"], row["licence_class"], row["is_template"]) == (
        "MIT",
        "permissive",
        True,
    )
    assert sorted(row["instantiations"]) == ["double_256", "float_256", "int_256"]
    assert row["launches"] == 3
    assert row["ports"]
    assert row["flags_origin"] in ("exported", "borrowed")
    assert len(crawled_home[0].rows("query", "--limit", "2")) == 2


def test_a_kernel_that_does_not_compile_says_why(
    crawled_home: tuple[Kernelset, str],
) -> None:
    (row,) = [
        row for row in crawled_home[0].rows("query") if row["name"] == "stamp_kernel"
    ]
    assert row["pass_call"] == {"sm_80": "fail", "gfx90a": "fail"}
    assert "missing-header" in row["reasons"]
    assert "not_in_this_project" in crawled_home[0].run("show", "stamp_kernel").stdout


def test_show_finds_a_kernel_by_name_and_by_digest(
    crawled_home: tuple[Kernelset, str],
) -> None:
    by_name = crawled_home[0].run("show", "axpy_kernel").stdout
    assert "<<<grid, 128, 0, 0>>>" in by_name
    (row,) = crawled_home[0].rows("show", "axpy_kernel")
    assert crawled_home[0].rows("show", row["digest"][:12]) == [row]
    assert (
        "no kernel is called"
        in crawled_home[0].run("show", "no_such_kernel", code=4).stderr
    )


def test_status_has_the_funnel(crawled_home: tuple[Kernelset, str]) -> None:
    (status,) = crawled_home[0].rows("status")
    assert status["by_layer"] == {"ast": 6}
    assert status["reasons"] == {"missing-header": 1}
    assert {task["stage"] for task in status["tasks"]} == {
        "list", "clone", "build-db", "extract", "link", "port", "validate", "validate.cpu",
    }  # fmt: skip
    states = {
        (task["stage"] == "validate.cpu", task["state"]) for task in status["tasks"]
    }
    assert states == {(False, "done"), (True, "ready")}, (
        "kernels are run where that is asked for"
    )
    assert crawled_home[0].run("failures").stdout == ""


def test_an_export_is_permissive_unless_asked_otherwise(
    crawled_home: tuple[Kernelset, str], tmp_path: Path
) -> None:
    result = crawled_home[0].run("export", "kernels", tmp_path / "k.jsonl")
    rows = [
        json.loads(line) for line in (tmp_path / "k.jsonl").read_text().splitlines()
    ]
    assert {row["licence"]["spdx"] for row in rows} == {"MIT"}
    assert (
        "left out 1 kernels for their licence: 1 GPL-3.0-only (copyleft)"
        in result.stderr
    )
    crawled_home[0].run("export", "kernels", tmp_path / "k.jsonl", "--licence", "any")
    assert len((tmp_path / "k.jsonl").read_text().splitlines()) == 6
    crawled_home[0].run("export", "kernels", tmp_path / "k.parquet", "--licence", "any")
    assert (tmp_path / "k.parquet").read_bytes()[:4] == b"PAR1"


def test_an_export_to_a_tree_has_a_folder_for_each_kernel(
    crawled_home: tuple[Kernelset, str], tmp_path: Path
) -> None:
    crawled_home[0].run("export", "kernels", tmp_path / "tree", "--licence", "any")
    (folder,) = [
        path
        for path in (tmp_path / "tree").iterdir()
        if path.is_dir() and path.name not in ("include", "notices")
    ]
    assert (folder / "block_sum/block_sum.hip").is_file()
    described = json.loads((folder / "block_sum/block_sum.json").read_text())
    assert {launch["block"] for launch in described["launches"]} == {"ROLLERS_BLOCK"}
    for label in ("float_256", "double_256", "int_256"):
        text = folder / f"block_sum/instantiations/block_sum_{label}.cu"
        assert text.is_file()
    assert len(list(folder.glob("*/scale_kernel*.cu"))) == 2
    assert not list(folder.glob("*/stamp_kernel*.hip"))


def test_an_export_never_overwrites_what_is_not_ours(
    crawled_home: tuple[Kernelset, str], tmp_path: Path
) -> None:
    (tmp_path / "thesis.jsonl").write_text("chapter one\n")
    refused = crawled_home[0].run(
        "export", "kernels", tmp_path / "thesis.jsonl", code=2
    )
    assert "--force" in refused.stderr
    assert (tmp_path / "thesis.jsonl").read_text() == "chapter one\n"
    crawled_home[0].run("export", "kernels", tmp_path / "thesis.jsonl", "--force")
    crawled_home[0].run("export", "kernels", tmp_path / "nowhere" / "k.jsonl", code=2)


def test_a_reader_that_goes_away_is_no_error(
    crawled_home: tuple[Kernelset, str],
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    child = crawled_home[0].start("query", stdout=writer)
    os.close(writer)
    assert child.communicate()[1] == ""
    assert child.returncode == 0


def test_every_question_can_be_narrowed_to_a_crawl(
    crawled_home: tuple[Kernelset, str], tmp_path: Path
) -> None:
    home, identity = crawled_home[0], crawled_home[1].split()[1]
    assert len(home.rows("query", "--crawl", identity)) == 6
    (status,) = home.rows("status", "--crawl", identity)
    assert (status["crawl"], status["kernels"]) == (identity, 6)
    out = tmp_path / "k.jsonl"
    home.run("export", "kernels", out, "--licence", "any", "--crawl", identity)
    assert len(out.read_text().splitlines()) == 6
    for words in (["status"], ["failures"], ["export", "kernels", out]):
        home.run(*words, "--crawl", "0f3c", code=4)


def test_a_dry_run_lists_and_keeps_nothing(kernelset: Kernelset, project: Path) -> None:
    assert "rollers" in kernelset.run("crawl", project, "--dry-run").stdout
    assert not (kernelset.home / "kernelset.db").exists()
