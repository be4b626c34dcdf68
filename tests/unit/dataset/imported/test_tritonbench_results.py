"""Results of an agent are joined by file name, and what is no such file is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crawler.dataset.imported.sample import ImportedSample
from crawler.dataset.imported.tritonbench_results import TritonBenchResults
from crawler.errors import Misconfigured

ROW = {
    "instruction": "Write a softmax.",
    "label": "label text",
    "predict": "first try",
    "test_code": "assert True",
    "filename": "softmax.py",
}
MEMORY = {
    "pass_call": True,
    "pass_exe": False,
    "pass_perf": None,
    # as GaAgent writes it, by `str(None)`
    "call_err_msg": "None",
    "exe_err_msg": "max difference 0.5",
    "call_candidate": "second try",
    "exe_candidate": None,
    "perf_candidates": [["fast", 0.5, 0.9], ["faster", 0.4, 0.95]],
    "temp_strategy": "tile it",
    "reflection": "the mask was wrong",
    "perf_debug_num": 3,
}


def write(folder: Path, rows: list[Any], memory: Any = None) -> TritonBenchResults:
    file = folder / "results.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    if memory is None:
        return TritonBenchResults(file)
    (folder / "results_mem.json").write_text(json.dumps(memory))
    return TritonBenchResults(file, folder / "results_mem.json")


def refuse(folder: Path, content: bytes) -> str:
    file = folder / "results.jsonl"
    file.write_bytes(content)
    with pytest.raises(Misconfigured) as raised:
        list(TritonBenchResults(file))
    assert raised.value.code == "bad-import"
    assert str(file) in str(raised.value)
    assert len(str(raised.value)) < 1000
    return str(raised.value)


def test_a_row_is_joined_with_what_the_agent_kept_of_it(tmp_path: Path) -> None:
    (sample,) = write(tmp_path, [ROW], {"softmax.py": MEMORY})
    assert sample == ImportedSample(
        filename="softmax.py",
        instruction="Write a softmax.",
        label="label text",
        predict="first try",
        test_code="assert True",
        pass_call=True,
        pass_exe=False,
        pass_perf=None,
        exe_error="max difference 0.5",
        call_candidates=("second try",),
        perf_candidates=("fast", "faster"),
        strategy="tile it",
        reflection="the mask was wrong",
    )
    assert sample.is_failed


def test_a_row_without_a_memory_has_not_been_run_and_has_not_failed(
    tmp_path: Path,
) -> None:
    other = {**ROW, "filename": "other.py", "predict": None}
    results = write(tmp_path, [ROW, other], {"softmax.py": MEMORY, "gone.py": MEMORY})
    _, sample = results
    assert (sample.pass_call, sample.pass_exe, sample.pass_perf) == (None, None, None)
    assert not sample.is_failed
    assert not sample.is_run
    assert sample.predict == ""
    assert results.list_unmatched_names() == ["gone.py"]


def test_null_is_not_run(tmp_path: Path) -> None:
    memory = {"pass_call": None, "pass_exe": None, "pass_perf": None}
    (sample,) = write(tmp_path, [ROW], {"softmax.py": memory})
    assert not sample.is_failed


def test_a_row_may_hold_its_own_verdicts_and_the_memory_counts(tmp_path: Path) -> None:
    judged = {**ROW, "pass_call": False, "call_err_msg": "no such name"}
    (alone,) = write(tmp_path, [judged])
    assert alone.is_failed
    assert alone.call_error == "no such name"
    (remembered,) = write(tmp_path, [judged], {"softmax.py": {"pass_call": True}})
    assert not remembered.is_failed


def test_names_with_slashes_are_joined_as_they_stand(tmp_path: Path) -> None:
    rows = [{**ROW, "filename": name} for name in ("a/k.py", "b/k.py")]
    first, second = write(tmp_path, rows, {"b/k.py": {"pass_exe": False}})
    assert [first.is_failed, second.is_failed] == [False, True]


def test_what_a_compiler_printed_in_no_encoding_is_kept(tmp_path: Path) -> None:
    (sample,) = write(tmp_path, [{**ROW, "call_err_msg": "bad \udcff byte"}])
    assert sample.call_error == "bad ? byte"


def test_numbers_that_are_none_are_read_since_python_writes_them(
    tmp_path: Path,
) -> None:
    memory = {"perf_candidates": [["fast", float("nan"), float("inf")]]}
    (sample,) = write(tmp_path, [ROW], {"softmax.py": memory})
    assert sample.perf_candidates == ("fast",)


def test_a_name_that_two_rows_have_is_refused_with_both_lines(tmp_path: Path) -> None:
    line = json.dumps(ROW).encode() + b"\n"
    assert "lines 1 and 3 are both of `softmax.py`" in refuse(
        tmp_path, line + b"\n" + line
    )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"{", "line 1 is no JSON"),
        (b"[]", "line 1 is a list and no object"),
        (b"3", "line 1 is a number and no object"),
        (b'"\xff"', "line 1 is no UTF-8"),
        (b"{}", "line 1 has no `filename`"),
        (b'{"filename": 3}', "line 1 has no `filename`"),
        (b'{"filename": "a\\u0000b"}', "no name of a file"),
        (b'{"filename": "a", "label": 3}', "`label` of line 1 is a number"),
        (b'{"filename": "a", "predict": {}}', "`predict` of line 1 is an object"),
        (b'{"filename": "a", "pass_exe": "no"}', "give true, false or null"),
        (b'{"filename": "a", "pass_exe": 0}', "give true, false or null"),
        (b'{"filename": "a", "perf_candidates": [[1]]}', "give a list of texts"),
        (b'{"filename": "a", "filename": "b"}', "`filename` stands twice"),
        (b"[" * 100_000, "too deeply"),
        (b'{"filename": "' + b"a" * 2000 + b'"}', "no name of a file"),
    ],
)
def test_what_is_no_row_is_refused_with_its_line(
    tmp_path: Path, line: bytes, problem: str
) -> None:
    assert problem in refuse(tmp_path, line)


def test_a_line_without_an_end_costs_no_more_than_the_longest_one(
    tmp_path: Path,
) -> None:
    assert "line 1 is longer than 16 MiB" in refuse(tmp_path, b'"' * (17 << 20))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"none\.jsonl cannot be imported"):
        list(TritonBenchResults(tmp_path / "none.jsonl"))


@pytest.mark.parametrize(
    ("memory", "problem"),
    [
        ("[]", "no object whose keys are file names"),
        ('{"a": {}, "a": {}}', "`a` stands twice"),
        ("nonsense", "it is no JSON"),
    ],
)
def test_a_memory_that_is_none_is_refused(
    tmp_path: Path, memory: str, problem: str
) -> None:
    (tmp_path / "mem.json").write_text(memory)
    with pytest.raises(Misconfigured, match=problem) as raised:
        TritonBenchResults(tmp_path / "results.jsonl", tmp_path / "mem.json")
    assert raised.value.code == "bad-import"


def test_an_entry_of_the_memory_that_is_no_object_is_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"the memory of `softmax\.py` is a list"):
        list(write(tmp_path, [ROW], {"softmax.py": []}))
