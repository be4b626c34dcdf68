"""A sample that failed becomes a folder with what is needed to find out why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crawler.dataset.exporters.folder import PLUGIN as FOLDER
from crawler.dataset.imported.debug_folders import ImportedDebug, ImportedRow
from crawler.dataset.imported.sample import ImportedSample
from crawler.dataset.interface import RowContext
from crawler.field_docstrings import read_field_docstrings

VIEW = ImportedDebug("first")
FAILED = ImportedSample(
    filename="attention/fused.py",
    instruction="Write it.",
    label="def label(): ...",
    predict="def first(): ...",
    test_code="assert label()\n",
    pass_call=True,
    pass_exe=False,
    exe_error="wrong by 0.5, ask jane.roe@example.com",
    call_candidates=("second", "third"),
    exe_candidates=("fourth",),
    perf_candidates=("fifth", "sixth"),
    strategy="tile it",
    reflection="the mask was wrong",
)


def make_row(sample: ImportedSample) -> ImportedRow | None:
    rows = list(VIEW.make_rows(sample, RowContext()))
    return rows[0] if rows else None


def test_a_folder_has_what_the_results_say() -> None:
    row = make_row(FAILED)
    assert row
    assert row.folder == "attention_fused"
    assert (row.pass_call, row.pass_exe, row.pass_perf) == ("pass", "fail", "not-run")
    assert row.files == {
        "0_instruction.txt": "Write it.\n",
        "1_label_source.py": "def label(): ...\n",
        "2_initial_predict.hip.cpp": "def first(): ...\n",
        "3_test_code.py": "assert label()\n",
        "error_log.txt": "pass_call: pass\n\npass_exe: fail\nwrong by 0.5, ask "
        "<redacted:email>\n\npass_perf: not-run\n",
        "candidate_call_fix": "second\n",
        "candidate_call_fix_2": "third\n",
        "candidate_exe_fix": "fourth\n",
        "candidate_perf_fix_1": "fifth\n",
        "candidate_perf_fix_2": "sixth\n",
        "reflection_strategy.md": "# Strategy\n\ntile it\n\n# Reflection\n\n"
        "the mask was wrong\n",
    }
    assert row.redactions == {"email": 1}


@pytest.mark.parametrize(
    "sample",
    [
        ImportedSample(filename="a.py"),
        ImportedSample(filename="a.py", pass_call=True, pass_exe=True),
    ],
)
def test_what_passed_or_was_not_run_has_no_folder(sample: ImportedSample) -> None:
    assert make_row(sample) is None


def test_what_the_results_do_not_have_is_no_file() -> None:
    row = make_row(ImportedSample(filename="k.hip", pass_call=False))
    assert row
    assert list(row.files) == ["error_log.txt"]


@pytest.mark.parametrize(
    ("filename", "folder", "label"),
    [
        ("../../etc/passwd", "etc_passwd", "1_label_source.txt"),
        ("..", "unnamed", "1_label_source.txt"),
        ("/", "unnamed", "1_label_source.txt"),
        ("a.b/c.$(id)", "a_b_c", "1_label_source.txt"),
        ("a.cu", "a", "1_label_source.cu"),
    ],
)
def test_a_hostile_name_makes_a_plain_folder(
    filename: str, folder: str, label: str
) -> None:
    row = make_row(ImportedSample(filename=filename, pass_call=False, label="x"))
    assert row
    assert row.folder == folder
    assert label in row.files


def test_samples_whose_names_differ_by_suffix_have_folders_of_their_own(
    tmp_path: Path,
) -> None:
    samples = [
        ImportedSample(filename=name, pass_call=False, predict=name)
        for name in ("k.py", "k.hip", "K.cu")
    ]
    out = tmp_path / "debug_workspace"
    # formats hand on what they were given
    assert FOLDER.write(VIEW, iter(samples), out, RowContext()) == 3  # type: ignore[arg-type]
    predicted = {
        path.read_text().strip() for path in out.glob("*/2_initial_predict.hip.cpp")
    }
    assert predicted == {"k.py", "k.hip", "K.cu"}
    lines = (out / "rows.jsonl").read_text().splitlines()
    assert [json.loads(line)["filename"] for line in lines] == ["k.py", "k.hip", "K.cu"]


def test_every_field_says_what_it_means() -> None:
    assert set(read_field_docstrings(ImportedRow)) == set(ImportedRow.__slots__)
