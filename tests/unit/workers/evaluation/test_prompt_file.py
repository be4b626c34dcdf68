"""Files of prompts: what an export wrote is read, anything else is said to be none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crawler.errors import Misconfigured
from workers.evaluation.prompt_file import read_prompts


def make_row(**fields: Any) -> dict[str, Any]:
    row = {
        "schema": "kernelset.instruct/1",
        "task_id": "0123456789abcdef/scale",
        "prompt": "Write the HIP kernel `scale`.",
        "language": "HIP",
        "canonical_solution": "{}",
        "tags": ["class:elementwise"],
        # what an export has besides is not looked at
        "place": {"repository": "numbers"},
    }
    return row | fields


def write_rows(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_prompts_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    other = make_row(schema="kernelset.complete/1", task_id="b", language="CUDA")
    path = write_rows(tmp_path / "tasks.jsonl", make_row(), other)
    first, second = read_prompts(path)
    assert (first.task_id, first.language) == ("0123456789abcdef/scale", "HIP")
    assert first.tags == ("class:elementwise",)
    assert (second.task_id, second.language) == ("b", "CUDA")


def test_an_empty_export_has_no_prompts(tmp_path: Path) -> None:
    assert list(read_prompts(write_rows(tmp_path / "tasks.jsonl"))) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 2"),
        ('{"task_id": "a"}', "line 2"),
        (json.dumps(make_row(task_id="")), "line 2"),
        (json.dumps(make_row(schema="kernelset.pairs/1")), "line 2 is of another view"),
    ],
)
def test_another_file_is_refused_by_its_line(
    tmp_path: Path, line: str, words: str
) -> None:
    path = write_rows(tmp_path / "tasks.jsonl", make_row())
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(Misconfigured, match=words) as refused:
        list(read_prompts(path))
    assert refused.value.code == "bad-prompts"
    assert "export instruct" in str(refused.value)


@pytest.mark.parametrize("name", ["", "no-such-file"])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        list(read_prompts(tmp_path / name))
    assert refused.value.code == "bad-prompts"
