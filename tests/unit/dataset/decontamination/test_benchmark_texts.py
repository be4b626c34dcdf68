"""Benchmarks are read in whatever form they come, and no kernel of one is passed over."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from crawler.dataset.decontamination import benchmark_texts
from crawler.dataset.decontamination.benchmark_texts import (
    _iter_strings,
    iter_benchmark_texts,
)
from crawler.errors import Misconfigured

KERNEL = "__global__ void saxpy(float* y) { *y = 1; }"
HOST = "int main() { return 0; }"


def read(path: Path) -> list[tuple[str, str]]:
    return [
        (benchmark_text.item, benchmark_text.text)
        for benchmark_text in iter_benchmark_texts(path)
    ]


def read_items(path: Path) -> list[str]:
    return [item for item, _ in read(path)]


def write_parquet(path: Path, **columns: list[Any]) -> None:
    parquet.write_table(pa.table(columns), path)


def write_lines(path: Path, *values: object) -> None:
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values))


def test_a_source_is_one_text_named_by_its_file(tmp_path: Path) -> None:
    source = tmp_path / "saxpy.cu"
    source.write_text(KERNEL)
    assert read(source) == [("saxpy.cu", KERNEL)]


@pytest.mark.parametrize("name", ["a.cu", "b.py", "README.md", "Makefile"])
def test_a_file_of_any_kind_is_read_if_it_holds_a_kernel(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text(KERNEL)
    (tmp_path / f"host_{name}").write_text(HOST)
    assert read_items(tmp_path) == [name]


def test_files_of_a_folder_come_by_name_whatever_their_form(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "deep.cu").write_text(KERNEL)
    write_lines(tmp_path / "c.jsonl", {"code": HOST}, {"code": KERNEL})
    (tmp_path / "a.json").write_text(json.dumps({"tasks": [HOST, KERNEL]}))
    write_parquet(tmp_path / "d.parquet", code=[HOST, KERNEL])
    assert read_items(tmp_path) == [
        "a.json.tasks[1]",
        "b/deep.cu",
        "c.jsonl:2.code",
        "d.parquet:2.code",
    ]


def test_tables_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for split in ("test", "train"):
        (tmp_path / split).mkdir()
        write_parquet(tmp_path / split / "0000.parquet", code=[KERNEL])
    assert read_items(tmp_path) == [
        "test/0000.parquet:1.code",
        "train/0000.parquet:1.code",
    ]


def test_empty_lines_count_but_hold_nothing(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f"\n{json.dumps([KERNEL])}\n   \n{json.dumps(KERNEL)}")
    assert read_items(path) == ["rows.jsonl:2[0]", "rows.jsonl:4"]


def test_an_escape_hides_no_kernel(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"code": "\\u005f_global__ void k() {}"}\n')
    assert read(path) == [("rows.jsonl:1.code", "__global__ void k() {}")]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json"])
def test_a_mark_of_byte_order_hides_no_kernel(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"code": KERNEL}).encode() + b"\n")
    assert [text for _, text in read(path)] == [KERNEL]


def test_bytes_that_are_no_text_stay_in_their_source(tmp_path: Path) -> None:
    source = tmp_path / "latin.cu"
    source.write_bytes(b"// caf\xe9\n" + KERNEL.encode())
    ((_, text),) = read(source)
    assert text.encode("utf-8", "surrogateescape") == source.read_bytes()


def test_columns_of_lists_and_of_structures_are_searched(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    write_parquet(
        path,
        number=[1, 2],
        parts=[[HOST], [HOST, KERNEL]],
        task=[{"code": KERNEL}, {"code": None}],
    )
    assert read_items(path) == ["rows.parquet:1.task.code", "rows.parquet:2.parts[1]"]


def test_rows_are_numbered_over_all_batches(tmp_path: Path) -> None:
    path = tmp_path / "long.parquet"
    write_parquet(path, code=[HOST] * 600 + [KERNEL])
    assert read_items(path) == ["long.parquet:601.code"]


def test_links_are_not_followed_but_the_benchmark_may_be_one(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "outside.cu").write_text(KERNEL)
    (real / "link.cu").symlink_to(tmp_path / "outside.cu")
    (real / "own.cu").write_text(KERNEL)
    (tmp_path / "benchmark").symlink_to(real)
    assert read_items(tmp_path / "benchmark") == ["own.cu"]


@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl"])
def test_a_large_file_of_data_in_a_folder_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What is passed over here would be published though it stands in the benchmark."""
    monkeypatch.setattr(benchmark_texts, "_MAX_FILE_BYTES", 100)
    (tmp_path / name).write_text(json.dumps(["x" * 200, KERNEL]))
    assert [text for _, text in read(tmp_path)] == [KERNEL]


def test_only_a_file_that_is_no_source_is_too_large_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark_texts, "_MAX_FILE_BYTES", len(KERNEL))
    (tmp_path / "fits.cu").write_text(KERNEL)
    (tmp_path / "weights.bin").write_text(f"{KERNEL} ")
    assert read_items(tmp_path) == ["fits.cu"]


def _write_nothing(path: Path) -> None:
    path.unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("name", "write", "reason"),
    [
        ("gone.cu", _write_nothing, "No such file"),
        ("rows.jsonl", lambda path: path.write_text("{}\n{broken\n"), "Expecting"),
        ("rows.json", lambda path: path.write_text("{"), "Expecting"),
        ("rows.json", lambda path: path.write_text("[" * 200_000), "recursion"),
        ("rows.parquet", lambda path: path.write_bytes(b"PAR1"), "Parquet"),
        ("rows.parquet", lambda path: path.write_bytes(b"x" * 100), "Parquet"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_name(
    tmp_path: Path, name: str, write: Callable[[Path], object], reason: str
) -> None:
    path = tmp_path / name
    write(path)
    with pytest.raises(Misconfigured, match=reason) as raised:
        read(path)
    assert raised.value.code == "bad-benchmark"
    assert str(path) in str(raised.value)


def test_a_line_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark_texts, "_MAX_LINE_BYTES", 50)
    path = tmp_path / "rows.jsonl"
    write_lines(path, "x" * 46)
    assert read(path) == []
    write_lines(path, "x" * 47)
    with pytest.raises(Misconfigured, match="longer than 50 bytes"):
        read(path)


LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.sampled_from([KERNEL, HOST, ""])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=12,
)


def follow(value: Any, item: str) -> Any:
    """Return what stands where an item of `rows` leads."""
    for key, position in re.findall(r"\.([abc])|\[(\d+)\]", item.removeprefix("rows")):
        value = value[key] if key else value[int(position)]
    return value


def count_kernels(value: Any) -> int:
    if isinstance(value, list):
        return sum(map(count_kernels, value))
    if isinstance(value, dict):
        return sum(map(count_kernels, value.values()))
    return int(value == KERNEL)


@given(value=VALUES)
def test_each_kernel_of_any_value_is_found_where_it_stands(value: Any) -> None:
    texts = list(_iter_strings(value, "rows"))
    assert len(texts) == count_kernels(value)
    assert all(follow(value, text.item) == KERNEL for text in texts)
    assert len({text.item for text in texts}) == len(texts)
