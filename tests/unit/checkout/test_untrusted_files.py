from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.checkout import untrusted_files
from crawler.checkout.untrusted_files import read_untrusted_file
from crawler.errors import BadDatabase


def read_error(path: Path) -> BadDatabase:
    with pytest.raises(BadDatabase) as raised:
        read_untrusted_file(path)
    return raised.value


def count_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=500))
def test_a_regular_file_is_read_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert read_untrusted_file(path) == content


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    error = read_error(tmp_path / "link")
    assert error.code == "malformed-database"
    assert "link cannot be read" in str(error)


def test_a_pipe_that_nobody_writes_to_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "no file of at most 128 MiB" in str(read_error(tmp_path / "pipe"))


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    assert read_error(tmp_path).code == "malformed-database"
    assert "No such file" in str(read_error(tmp_path / "missing"))


def test_a_file_over_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(untrusted_files, "MAX_UNTRUSTED_BYTES", 4)
    (tmp_path / "file").write_bytes(b"12345")
    assert read_error(tmp_path / "file").code == "malformed-database"
    (tmp_path / "file").write_bytes(b"1234")
    assert read_untrusted_file(tmp_path / "file") == b"1234"


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe")
    open_before = count_descriptors()
    for _ in range(20):
        read_untrusted_file(tmp_path / "file")
        read_error(tmp_path / "pipe")
    assert count_descriptors() == open_before
