"""Two people review on the command line, to agreement, and export what they accepted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crawler.errors import Misconfigured
from storage.open import open_storage
from tests.unit.storage.samples import REPO, make_kernel, make_unit
from workers.cli.app import app
from workers.cli.exit_codes import DONE, NOTHING

UNIT = make_unit("__global__ void saxpy(float* y) {}\n")
OTHER = make_unit("__global__ void \x1b[31mnms() {}\n")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    with open_storage(home) as storage:
        storage.index.put_kernels(
            REPO,
            [
                make_kernel("saxpy", 1, unit=UNIT),
                make_kernel("nms", 2, unit=OTHER),
                make_kernel("lost", 3),
            ],
        )
    return home


def run(home: Path, *words: str) -> object:
    return _call(home, "review", *words)


def _call(home: Path, *words: str) -> object:
    return app(
        ["--home", str(home), *words],
        prog_name="kernelset",
        standalone_mode=False,
    )


def read_json(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_two_reviewers_come_to_agree(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(home, "next", "--reviewer", "ada", "--json") == DONE
    assert run(home, "next", "--reviewer", "bob", "--json") == DONE
    ada, bob = read_json(capsys)
    assert (ada["unit"], bob["unit"]) == (UNIT.digest, OTHER.digest)
    assert "saxpy" in ada["source"]
    assert ada["reviews"] == []

    digest = UNIT.digest[:8]
    assert run(home, "accept", digest, "--met", "all", "--reviewer", "ada") == DONE
    assert "its reviewers come to: accepted" in capsys.readouterr().out
    why = ("--unmet", "tests-cover", "--comment", "source:1:who calls it?")
    assert run(home, "reject", digest, *why, "--reviewer", "bob", "--json") == DONE
    assert read_json(capsys)[0]["state"] == "disputed"
    assert run(home, "agreement", "--json") == DONE
    (measured,) = read_json(capsys)
    assert measured["disputed"] == [UNIT.digest]
    assert measured["agreeing"] == 0

    assert run(home, "accept", digest, "--reviewer", "bob", "--json") == DONE
    assert read_json(capsys)[0]["state"] == "accepted"
    assert run(home, "list", "--state", "accepted", "--json") == DONE
    rows = read_json(capsys)
    assert [(row["reviewer"], row["verdict"]) for row in rows] == [
        ("ada", "accepted"),
        ("bob", "accepted"),
    ]


def test_who_has_said_nothing_sees_nothing(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    digest = UNIT.digest
    run(home, "reject", digest, "--note", "a race, see line 1", "--reviewer", "ada")
    capsys.readouterr()
    assert run(home, "show", digest, "--reviewer", "bob") == DONE
    page = capsys.readouterr()
    assert "a race" not in page.out + page.err
    assert "rejected" not in page.out + page.err
    assert "once bob has given a verdict" in page.err
    assert run(home, "show", digest, "--reviewer", "ada") == DONE
    assert "a race, see line 1" in capsys.readouterr().out


def test_a_source_cannot_act_on_the_terminal(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(home, "show", OTHER.digest, "--reviewer", "ada") == DONE
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\\x1b[31mnms" in printed


def test_nothing_left_is_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(home, "agreement") == NOTHING
    for digest in (UNIT.digest, OTHER.digest):
        run(home, "accept", digest, "--reviewer", "ada")
    assert run(home, "next", "--reviewer", "ada") == NOTHING
    assert "nothing is left" in capsys.readouterr().err
    assert run(home, "accept", "0000", "--reviewer", "ada") == NOTHING
    assert "no unit's digest starts so" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("reject", UNIT.digest), "say why"),
        (("accept", UNIT.digest, "--met", "beauty"), "no `beauty`"),
        (("accept", UNIT.digest, "--comment", "line 3"), "PART:LINE:TEXT"),
        (("accept", UNIT.digest, "--comment", "code:3:x"), "source, port, prompt"),
        (("import", "none.jsonl", "--form", "xml"), "no form is called 'xml'"),
    ],
)
def test_what_is_wrong_is_said(
    home: Path, words: tuple[str, ...], message: str
) -> None:
    with pytest.raises(Misconfigured, match=message):
        run(home, *words)


def test_reviews_go_to_another_store_and_are_there_once(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "reviews.jsonl")
    run(home, "accept", UNIT.digest, "--reviewer", "ada", "--note", "good")
    assert run(home, "export", file) == DONE
    with open_storage(tmp_path / "other") as storage:
        storage.index.put_kernels(REPO, [make_kernel("saxpy", 1, unit=UNIT)])
    capsys.readouterr()
    assert run(tmp_path / "other", "import", file, "--json") == DONE
    assert run(tmp_path / "other", "import", file, "--json") == DONE
    assert [row["added"] for row in read_json(capsys)] == [1, 0]
    with open_storage(tmp_path / "other") as storage:
        (row,) = storage.index.query("review = accepted")
    assert row.name == "saxpy"
    with open_storage(tmp_path / "empty"):
        pass
    with pytest.raises(Misconfigured, match="crawl what the file is about"):
        run(tmp_path / "empty", "import", file)


def test_an_export_takes_only_what_was_accepted(home: Path, tmp_path: Path) -> None:
    run(home, "accept", UNIT.digest, "--reviewer", "ada")
    run(home, "reject", OTHER.digest, "--reviewer", "ada", "--note", "no bounds")
    file = tmp_path / "accepted.jsonl"
    words = ("kernels", str(file), "--licence", "any", "--where", "review = accepted")
    assert _call(home, "export", *words) == DONE
    (row,) = map(json.loads, file.read_text().splitlines())
    assert (row["name"], row["review"]) == ("saxpy", "accepted")
    assert [review["reviewer"] for review in row["reviews"]] == ["ada"]


def test_what_is_to_be_labelled_elsewhere_comes_back(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tasks.jsonl"
    chosen = ("export", str(file), "name = saxpy", "--form", "label-studio")
    assert run(home, *chosen) == DONE
    (task,) = map(json.loads, file.read_text().splitlines())
    choice = {"from_name": "verdict", "value": {"choices": ["Accepted"]}}
    task["annotations"] = [{"completed_by": 7, "result": [choice]}]
    file.write_text(json.dumps([task]))
    assert run(home, "import", str(file), "--form", "label-studio") == DONE
    capsys.readouterr()
    run(home, "list", "--json")
    (row,) = read_json(capsys)
    assert (row["unit"], row["reviewer"]) == (UNIT.digest, "7")
    assert row["origin"] == "label-studio"
