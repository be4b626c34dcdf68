from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.stub_toolchain import call_record
from crawler.builds.stub_toolchain.call_record import read_call_record


def call(*words: str, tool: str = "nvcc", directory: str = "/src") -> bytes:
    return "".join(
        f"{word}\0" for word in (tool, directory, str(len(words)), *words)
    ).encode()


def test_calls_are_read_in_their_order_with_their_response_files(
    tmp_path: Path,
) -> None:
    (tmp_path / "10").write_bytes(call("-c", "b.cu", "", "two words"))
    first = (
        call("-c", "@args")
        + call("args", "-DA 'a.cu'\n", tool="@")
        + call("x.cpp", tool="g++", directory="/src/x")
    )
    (tmp_path / "9").write_bytes(first)
    recorded = read_call_record(tmp_path)
    assert [(entry.directory, entry.file) for entry in recorded.entries] == [
        ("/src", "a.cu"),
        ("/src/x", "x.cpp"),
        ("/src", "b.cu"),
    ]
    assert recorded.entries[0].split_words() == ["nvcc", "-c", "-DA", "a.cu"]
    assert recorded.entries[2].split_words() == ["nvcc", "-c", "b.cu", "", "two words"]
    assert recorded.call_count == 3


def test_what_is_cut_off_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "1").write_bytes(call("a.cu") + call("b.cu")[:-6])
    assert [entry.file for entry in read_call_record(tmp_path).entries] == ["a.cu"]


def test_links_pipes_and_folders_are_neither_followed_nor_waited_for(
    tmp_path: Path,
) -> None:
    (tmp_path / "host").write_bytes(call("secret.cu"))
    folder = tmp_path / "record"
    folder.mkdir()
    (folder / "1").symlink_to(tmp_path / "host")
    os.mkfifo(folder / "2")
    (folder / "3").mkdir()
    assert read_call_record(folder).entries == ()


@pytest.mark.parametrize(
    "forged",
    [
        b"nvcc\0/src\0" + b"9" * 5000 + b"\0",
        b"nvcc\0/src\0-1\0",
        b"\0" * 100_000,
        b"\xff",
    ],
)
def test_a_forged_record_tells_nothing(forged: bytes, tmp_path: Path) -> None:
    (tmp_path / "1").write_bytes(forged)
    assert read_call_record(tmp_path).entries == ()


def test_a_record_of_very_many_words_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_record, "_MAX_WORDS", 1000)
    (tmp_path / "1").write_bytes(call(*(f"{number}.cu" for number in range(900))))
    entries = read_call_record(tmp_path).entries
    assert 0 < sum(len(entry.split_words()) for entry in entries) <= 1000


@given(content=st.binary(max_size=300))
def test_no_content_breaks_it(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("record", numbered=True)
    (folder / "1").write_bytes(content)
    recorded = read_call_record(folder)
    assert recorded.call_count <= len(content)
    assert len(recorded.entries) <= len(content)
