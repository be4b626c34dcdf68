"""Results are imported by one command, and another one lays out what failed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crawler.errors import Misconfigured
from workers.cli.app import app

ROWS = [
    {"filename": "good.py", "pass_call": True, "pass_exe": True},
    {"filename": "bad.py", "predict": "x", "pass_call": True, "pass_exe": False},
    {"filename": "later.py", "pass_call": None},
]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    file = tmp_path / "results.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return file


def run(tmp_path: Path, *words: object) -> object:
    home = ("--home", str(tmp_path / "home"))
    return app([*home, *map(str, words)], prog_name="kernelset", standalone_mode=False)


def test_what_was_imported_is_counted_and_laid_out(
    tmp_path: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, "import", "tritonbench", results, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "name": "results",
        "samples": 3,
        "failed": 1,
        "passed": 1,
        "not_run": 1,
    }
    out = tmp_path / "debug_workspace"
    words = ("export", "debug", out, "--format", "folder", "--imported", "results")
    assert run(tmp_path, *words) == 0
    assert "1 failed samples of results" in capsys.readouterr().out
    folders = [path for path in out.iterdir() if path.is_dir()]
    assert [path.name for path in folders] == ["bad"]
    assert (out / "bad/2_initial_predict.hip.cpp").read_text() == "x\n"
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    run(tmp_path, *words)
    assert before == {
        path: path.read_bytes() for path in out.rglob("*") if path.is_file()
    }


def test_names_that_only_the_memory_has_are_told(
    tmp_path: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = tmp_path / "mem.json"
    memory.write_text(json.dumps({"gone\x1b.py": {}}))
    run(tmp_path, "import", "tritonbench", results, "--memory", memory)
    note = capsys.readouterr().err
    assert "1 file names of the memory are in no row" in note
    assert "\x1b" not in note


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("export", "debug", "OUT.jsonl", "--imported", "nothing"), "no-such-import"),
        (("export", "pairs", "OUT.jsonl", "--imported", "results"), "bad-view"),
        (("export", "debug", "OUT", "--imported", "results"), "bad-format"),
        (
            ("export", "debug", "OUT.jsonl", "--imported", "results", "--where", "a"),
            "bad-options",
        ),
        (("import", "tritonbench", "RESULTS", "--name", "a\nb"), "bad-import"),
    ],
)
def test_what_does_not_go_together_is_refused(
    tmp_path: Path, results: Path, words: tuple[str, ...], code: str
) -> None:
    run(tmp_path, "import", "tritonbench", results)
    filled = [
        word.replace("OUT", str(tmp_path / "out")).replace("RESULTS", str(results))
        for word in words
    ]
    with pytest.raises(Misconfigured) as raised:
        run(tmp_path, *filled)
    assert raised.value.code == code
    assert not list(tmp_path.glob("out*"))


def test_where_nothing_failed_the_exit_code_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fine.jsonl").write_text(json.dumps(ROWS[0]))
    run(tmp_path, "import", "tritonbench", tmp_path / "fine.jsonl")
    words = ("export", "debug", tmp_path / "out.jsonl", "--imported", "fine")
    assert run(tmp_path, *words) == 4
    assert "what was not run has not" in capsys.readouterr().err
