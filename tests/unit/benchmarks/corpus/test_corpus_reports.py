"""Reports of crawled packages: their table, and what is held against the truth."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]


def test_a_crawl_of_packages_becomes_a_table() -> None:
    line = {
        "locator": "pypi:p==1",
        "exit_codes": [0, 0],
        "seconds": [9.5, 0.9],
        "truth": 3,
        "found": 2,
        "by_ast": 1,
        "missing": ["a.cu:k"],
        "unknown": ["b.cu:false"],
        "rows": 4,
        "units": 2,
        "pass_call": {"sm_80": {"pass": 1, "fail": 1}},
        "reasons": [["compile-error", 1]],
    }
    code = "import json, sys; from benchmarks.corpus.corpus import format_report; print('\\n'.join(format_report(json.load(sys.stdin))))"
    argv = [sys.executable, "-c", code]
    output = subprocess.run(
        argv,
        cwd=ROOT,
        input=json.dumps([line]),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = [
        [cell.strip() for cell in row.strip("|").split("|")]
        for row in output.splitlines()
        if row.startswith("|")
    ]
    cells = dict(zip(rows[0], rows[2], strict=True))
    assert (cells["found of true"], cells["passes sm_80"], cells["seconds, again"]) == (
        "2 of 3",
        "1 of 2",
        "9.5 s, 0.9 s",
    )
    assert "misses `a.cu:k`" in output
    assert "shows `b.cu:false`, which nothing explains" in output


def test_an_index_is_held_against_the_truth_and_against_what_is_explained_beside_it() -> (
    None
):
    rows = [
        {"path": "csrc/bias_act.cu", "name": "false", "found_by": "ast"},
        {
            "path": "third_party/cutlass/include/cutlass/device_kernel.h",
            "name": "Kernel",
            "found_by": "syntactic",
        },
        {"path": "scripts/autogen_fna.py", "name": "{NAME}", "found_by": "string"},
    ]
    code = "import json, sys; from benchmarks.corpus.recall import measure_recall; r = measure_recall(json.load(sys.stdin), 'natten'); "
    code += "print(json.dumps([r.truth, r.found, r.by_ast, r.explained, r.unknown]))"
    argv = [sys.executable, "-c", code]
    output = subprocess.run(
        argv,
        cwd=ROOT,
        input=json.dumps(rows),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert json.loads(output) == [12, 1, 0, 1, ["csrc/bias_act.cu:false"]]
