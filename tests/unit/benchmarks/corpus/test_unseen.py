"""The bench for the unseen: what a seed draws, and first figures that nothing overwrites."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corpus.sights import (
    append_sight,
    compiled_share,
    format_report,
    read_sights,
)
from benchmarks.corpus.unseen import (
    count_rows,
    describe_units,
    draw_projects,
    main,
)

PROJECT = Path(__file__).resolve().parents[3] / "fixtures/projects/rollers"


def make_row(name: str, status: str = "pass", **fields: Any) -> dict[str, Any]:
    return {
        "path": "src/a.cu",
        "name": name,
        "found_by": "ast",
        "dialect": "cuda",
        "digest": "d" if status else "",
        "pass_call": {"sm_80": status} if status else {},
        "reasons": [],
        **fields,
    }


def make_sight(project: str, passed: int, failed: int, **fields: Any) -> dict[str, Any]:
    rows = [make_row(f"k{number}") for number in range(passed)]
    rows += [make_row(f"f{number}", "fail") for number in range(failed)]
    pairs = {(row["path"], row["name"]) for row in rows}
    return {"project": project, "seconds": 1.0, **count_rows(rows, pairs), **fields}


def _make_repository(folder: Path) -> None:
    shutil.copytree(PROJECT, folder)
    author = ("-c", "user.name=someone", "-c", "user.email=someone@example.org")
    for words in (("init", "-q"), ("add", "-A"), (*author, "commit", "-qm", "Begin")):
        subprocess.run(["git", "-C", str(folder), *words], check=True)


def test_the_same_seed_draws_the_same_order(tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("# a comment\n\n" + "\n".join(f"owner/n{n}" for n in range(20)))
    drawn = draw_projects(names, 5)
    assert drawn == draw_projects(names, 5)
    assert drawn != draw_projects(names, 6)
    assert sorted(drawn) == sorted(f"owner/n{number}" for number in range(20))


def test_found_counts_pairs_of_path_and_name() -> None:
    rows = [
        make_row("ns::f<float>"),
        make_row("f", path="vendored/a.cu"),
        make_row("g", found_by="syntax"),
    ]
    sight = count_rows(rows, {("src/a.cu", "f"), ("src/a.cu", "g"), ("src/b.cu", "h")})
    assert (sight["true"], sight["found"], sight["by_ast"]) == (3, 2, 1)
    assert sight["missed"] == ["src/b.cu:h"]


def test_a_kernel_without_a_unit_counts_as_one_that_does_not_compile() -> None:
    rows = [make_row("f"), make_row("g", "")]
    sight = count_rows(rows, set())
    assert compiled_share(sight, "sm_80") == 0.5


def test_a_kernel_that_no_compiler_can_judge_is_left_out() -> None:
    rows = [make_row("f"), make_row("g", "unsupported")]
    assert compiled_share(count_rows(rows, set()), "sm_80") == 1.0


def test_a_kernel_in_hip_is_not_expected_to_compile_for_cuda() -> None:
    ported: dict[str, Any] = {"pass_call": {"gfx90a": "pass"}, "dialect": "hip"}
    sight = count_rows([make_row("f"), make_row("g", **ported)], set())
    assert compiled_share(sight, "sm_80") == 1.0


def test_a_project_of_which_nothing_can_be_judged_has_no_share(tmp_path: Path) -> None:
    records = tmp_path / "records.jsonl"
    sight = {
        "project": "a/b",
        "seconds": 1.0,
        **count_rows([make_row("f", "unsupported")], set()),
    }
    append_sight(records, sight)
    assert any("none to judge" in line for line in format_report(read_sights(records)))


def test_the_first_figure_stays_beside_the_later_one(tmp_path: Path) -> None:
    records = tmp_path / "kept" / "records.jsonl"
    append_sight(records, make_sight("a/b", passed=1, failed=3))
    append_sight(records, make_sight("a/b", passed=4, failed=0))
    lines = format_report(read_sights(records))
    rows = [line for line in lines if line.startswith("| a/b")]
    assert "1 of 4 (25%)" in rows[0]
    assert "4 of 4 (100%)" in rows[1]


def test_the_worst_project_stands_first_and_all_are_summed(tmp_path: Path) -> None:
    records = tmp_path / "records.jsonl"
    append_sight(records, make_sight("good/one", passed=9, failed=1))
    append_sight(records, make_sight("bad/one", passed=1, failed=9))
    append_sight(records, make_sight("no/kernels", passed=0, failed=0))
    lines = format_report(read_sights(records))
    names = [line.split(" | ")[0] for line in lines if line.startswith("| ")]
    assert names == ["| project", "| ---", "| bad/one", "| good/one", "| all"]
    assert "10 of 20 (50%)" in next(line for line in lines if "| all" in line)
    assert lines[-1] == "Without a kernel of their own: no/kernels."


def test_a_mirror_that_is_not_whole_is_replaced_by_the_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _make_repository(tmp_path / "owner+rollers" / "repo")
    objects = tmp_path / "owner+rollers" / "repo" / ".git" / "objects"
    shutil.rmtree(objects)
    names = tmp_path / "names.txt"
    names.write_text("owner/rollers\n")
    words = ["--names", names, "--mirrors", tmp_path, "--records", tmp_path / "r.jsonl"]
    assert main(list(map(str, words))) == 0
    assert read_sights(tmp_path / "r.jsonl") == {}
    assert "owner/rollers: " in capsys.readouterr().err


def test_a_mirror_that_is_too_large_is_passed_over(tmp_path: Path) -> None:
    _make_repository(tmp_path / "owner+rollers" / "repo")
    (tmp_path / "owner+rollers" / "repo" / "weights.bin").write_bytes(b"w" * 1_000_001)
    names = tmp_path / "names.txt"
    names.write_text("owner/rollers\n")
    words = ["--names", names, "--mirrors", tmp_path, "--records", tmp_path / "r.jsonl"]
    assert main([*map(str, words), "--max-megabytes", "1"]) == 0
    assert read_sights(tmp_path / "r.jsonl") == {}


@pytest.mark.apt
def test_a_project_is_crawled_once_and_again_only_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _make_repository(tmp_path / "mirrors" / "owner+rollers" / "repo")
    names = tmp_path / "names.txt"
    names.write_text("absent/project\nowner/rollers\n")
    records = tmp_path / "records.jsonl"
    words = ["--names", names, "--mirrors", tmp_path / "mirrors", "--records", records]
    argv = list(map(str, words))

    assert main(argv) == 0
    [sight] = read_sights(records)["owner/rollers"]
    assert sight["true"] == sight["found"] == sight["by_ast"] > 0
    assert sight["seconds"] > 0

    assert main(argv) == 0
    assert len(read_sights(records)["owner/rollers"]) == 1
    assert main([*argv, "--again"]) == 0
    assert len(read_sights(records)["owner/rollers"]) == 2
    assert "Again, after something was mended" in capsys.readouterr().out


def make_exported_row(rung: str, lines: int, *builds: dict[str, str]) -> dict[str, Any]:
    empty = {
        "target": "sm_80",
        "status": "pass",
        "code": "",
        "message": "",
        "fidelity": "",
    }
    return {
        "unit": {"rung": rung},
        "measures": {"lines": 10, "unit_lines": lines},
        "builds": [{**empty, **build} for build in builds],
    }


def test_units_are_described_by_rung_fidelity_size_and_failures() -> None:
    failure = {
        "status": "fail",
        "code": "compile-error",
        "message": "unit.cu:3: no such x",
    }
    described = describe_units(
        [
            make_exported_row("minimal", 10, {"fidelity": "identical"}),
            make_exported_row("minimal", 20, {"fidelity": "different"}),
            make_exported_row("reduced", 90, {"fidelity": "identical"}, failure),
            {"unit": None, "builds": [], "measures": {}},
        ]
    )
    assert described["rungs"] == {"minimal": 2, "reduced": 1}
    assert described["fidelity"] == {"sm_80": {"identical": 2, "different": 1}}
    assert described["unit_ratio"] == 2.0
    assert described["absent"] == {}
    assert described["failures"] == ["1: sm_80 compile-error: no such x"]


def test_the_report_counts_units_whose_code_is_the_same() -> None:
    sights = [
        make_sight(
            "a/a", 1, 0, fidelity={"sm_80": {"identical": 2, "not-comparable": 5}}
        ),
        make_sight("b/b", 1, 0, fidelity={"sm_80": {"equivalent": 1, "different": 1}}),
    ]
    lines = format_report({sight["project"]: [sight] for sight in sights})
    cells = {
        line.split(" | ")[0].strip("| "): line.split(" | ")[8] for line in lines[4:7]
    }
    assert cells == {
        "a/a": "2 of 2 (100%)",
        "b/b": "1 of 2 (50%)",
        "all": "3 of 4 (75%)",
    }


def test_headers_that_a_tree_lacks_are_counted_apart() -> None:
    lacking = {"status": "fail", "code": "missing-header", "message": "no such header"}
    sight = make_sight(
        "a/a", 1, 2, **describe_units([make_exported_row("minimal", 9, lacking)])
    )
    assert sight["absent"] == {"sm_80": 1}
    (row,) = [
        line for line in format_report({"a/a": [sight]}) if line.startswith("| a/a")
    ]
    assert row.split(" | ")[5] == "1 of 3 (33%)"
    assert row.split(" | ")[7] == "1 of 2 (50%)"
