"""What a killed benchmark left is read without its half lines."""

from __future__ import annotations

from pathlib import Path

from benchmarks.json_lines import read_json_lines


def test_a_file_that_does_not_exist_has_no_values(tmp_path: Path) -> None:
    assert list(read_json_lines(tmp_path / "none.jsonl")) == []


def test_half_lines_are_skipped_wherever_they_are(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text('{"unit": "a"}\n{"unit": "b\n{"unit": "c"}\n{"uni')
    assert list(read_json_lines(path)) == [{"unit": "a"}, {"unit": "c"}]


def test_the_end_of_a_whole_line_may_be_longer(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.jsonl"
    path.write_text('{"key": 1, "outcome": {}}\n{"key": 2, "outcome": {}\n')
    rows = list(read_json_lines(path, end="}}"))
    assert rows == [{"key": 1, "outcome": {}}]
