"""Candidates are read from what other programs write, and from what nobody should write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.errors import Misconfigured
from crawler.judging import candidate_files
from crawler.judging.candidate_files import read_candidates


def write(folder: Path, *lines: object) -> Path:
    file = folder / "candidates.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_lines_of_human_eval_are_numbered_by_task(tmp_path: Path) -> None:
    rows = [("a", "1"), ("b", "2"), ("a", "3")]
    file = write(tmp_path, *({"task_id": t, "completion": c} for t, c in rows))
    read = [
        (candidate.task_id, candidate.number, candidate.completion)
        for candidate in read_candidates(file)
    ]
    assert read == [("a", 0, "1"), ("b", 0, "2"), ("a", 1, "3")]


def test_a_solution_of_compute_eval_is_in_cuda(tmp_path: Path) -> None:
    files = [{"path": "solution.cu", "content": "int a;"}]
    row = {"task_id": "a", "type": "file", "files": files}
    (candidate,) = read_candidates(write(tmp_path, row))
    assert (candidate.completion, candidate.language) == ("int a;", "cuda")


def test_an_empty_answer_is_one(tmp_path: Path) -> None:
    (candidate,) = read_candidates(write(tmp_path, {"task_id": "a", "completion": ""}))
    assert candidate.completion == ""


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"task_id": "a"},
        {"task_id": "a", "files": []},
        {"task_id": "", "completion": "x"},
        {"task_id": "a" * 1001, "completion": "x"},
        {"task_id": "a\0b", "completion": "x"},
        {"task_id": 3, "completion": "x"},
        {"task_id": "a", "completion": ["x"]},
        [],
        "task",
    ],
)
def test_a_line_that_is_no_candidate_is_named(tmp_path: Path, line: object) -> None:
    file = write(tmp_path, {"task_id": "a", "completion": "x"}, line)
    with pytest.raises(Misconfigured, match="line 2") as raised:
        list(read_candidates(file))
    assert raised.value.code == "bad-candidates"


@given(st.binary(max_size=200))
def test_no_bytes_are_a_bug(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.mktemp("fuzz") / "candidates.jsonl"
    file.write_bytes(content)
    try:
        candidates = list(read_candidates(file))
    except Misconfigured:
        return
    # nothing but blank lines is read without a complaint, unless hypothesis writes JSON
    assert candidates == [] or b"task_id" in content


def test_a_line_without_an_end_costs_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidate_files, "_MAX_LINE_BYTES", 100)
    file = write(tmp_path, {"task_id": "a", "completion": "x" * 200})
    with pytest.raises(Misconfigured, match="over 100 bytes"):
        list(read_candidates(file))


def test_sources_of_a_folder_are_named_by_their_tasks(tmp_path: Path) -> None:
    for name in ("second/test_k.cu", "first/test_k.cu", "test_j.hip", "notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    (tmp_path / "test_link.cu").symlink_to("/etc/passwd")
    read = [
        (candidate.task_id, candidate.number, candidate.completion, candidate.language)
        for candidate in read_candidates(tmp_path)
    ]
    assert read == [
        ("test_j", 0, "test_j.hip", "hip"),
        ("test_k", 0, "first/test_k.cu", "cuda"),
        ("test_k", 1, "second/test_k.cu", "cuda"),
    ]


def test_what_is_not_there_is_said_with_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="task_id"):
        list(read_candidates(tmp_path / "none"))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deep"),
        (b'{"task_id": "a", "completion": "\xff"}', "utf-8"),
    ],
)
def test_bytes_that_no_program_means_are_refused(
    tmp_path: Path, line: bytes, reason: str
) -> None:
    file = tmp_path / "candidates.jsonl"
    file.write_bytes(line + b"\n")
    with pytest.raises(Misconfigured, match=reason):
        list(read_candidates(file))
