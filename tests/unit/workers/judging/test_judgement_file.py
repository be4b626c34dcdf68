"""Judgements are kept as they come, and what was cut off is not taken for one."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.errors import Misconfigured
from crawler.judging.candidate import Candidate
from crawler.judging.judgement import Judgement
from workers.judging.judgement_file import open_judgement_file

CANDIDATE = Candidate(task_id="a", number=0, completion="x")


def judgement(candidate: Candidate = CANDIDATE, **fields: object) -> Judgement:
    return Judgement(
        task_id=candidate.task_id,
        number=candidate.number,
        completion=candidate.digest,
        **fields,  # type: ignore[arg-type]
    )


def test_what_was_added_is_found_by_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    added = judgement(pass_call=True, pass_exe=False, exe_err_msg="ä\u2028\n")
    with open_judgement_file(path) as file:
        assert file.find(CANDIDATE) is None
        file.add([added])
    with open_judgement_file(path) as file:
        assert file.find(CANDIDATE) == added
        assert file.judgements == (added,)


@pytest.mark.parametrize(
    "other",
    [
        Candidate(task_id="b", number=0, completion="x"),
        Candidate(task_id="a", number=1, completion="x"),
        Candidate(task_id="a", number=0, completion="y"),
    ],
)
def test_another_candidate_was_not_judged(tmp_path: Path, other: Candidate) -> None:
    with open_judgement_file(tmp_path / "results.jsonl") as file:
        file.add([judgement()])
        assert file.find(other) is None


def test_a_line_that_a_kill_cut_off_is_judged_again(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    other = Candidate(task_id="b", number=0, completion="x")
    with open_judgement_file(path) as file:
        file.add([judgement(), judgement(other)])
    whole = path.read_bytes()
    first_bytes = whole.index(b"\n") + 1
    for size in (first_bytes, first_bytes + 1, len(whole) - 1):
        path.write_bytes(whole[:size])
        with open_judgement_file(path) as file:
            assert file.find(CANDIDATE) is not None
            assert file.find(other) is None
        assert path.read_bytes() == whole[:first_bytes]


@pytest.mark.parametrize(
    "content",
    [b"a note", b'{"schema": 1', b"{}", b'{"task_id":"a","completion":"x"}'],
)
def test_a_file_without_an_end_of_its_line_keeps_what_it_has(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(Misconfigured) as raised, open_judgement_file(path):
        pass
    assert raised.value.code == "bad-results"
    assert path.read_bytes() == content


@pytest.mark.parametrize("content", [b"{}\n", b"text\n", b'{"schema": 3}\n', b"\xff\n"])
def test_a_file_of_something_else_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(content)
    with pytest.raises(Misconfigured) as raised, open_judgement_file(path):
        pass
    assert raised.value.code == "bad-results"
    assert path.read_bytes() == content


def test_two_processes_do_not_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with (
        open_judgement_file(path),
        pytest.raises(Misconfigured) as raised,
        open_judgement_file(path),
    ):
        pass
    assert raised.value.code == "results-in-use"


def test_a_source_is_found_by_its_task_and_what_it_ran_on(tmp_path: Path) -> None:
    with open_judgement_file(tmp_path / "results.jsonl") as file:
        file.add([judgement(source="s", task="t", device="cpu")])
        assert file.find_source("t", "s", "cpu") is not None
        assert file.find_source("t", "s", "cuda") is None
        assert file.find_source("u", "s", "cpu") is None


def test_who_was_not_judged_stands_for_no_source(tmp_path: Path) -> None:
    with open_judgement_file(tmp_path / "results.jsonl") as file:
        file.add([judgement(code="not-judged")])
        assert file.find_source("", "", "") is None
