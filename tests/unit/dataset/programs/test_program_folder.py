"""Tests of many kernels share a folder: each unit's once, and none without a test."""

from __future__ import annotations

from pathlib import Path

from crawler.codec import decode
from crawler.dataset.programs.program_folder import ProgramFolder
from crawler.model import KernelRecord

RECORDS = decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)


def read_nothing(digest: str) -> bytes:
    raise AssertionError(f"nothing asks for {digest}")


def test_there_is_no_folder_without_a_test(tmp_path: Path) -> None:
    folder = ProgramFolder(tmp_path / "tests")
    for record in RECORDS:
        if not record.suites:
            assert folder.add(record, "repo", read_nothing) == ()
    folder.close()
    assert not (tmp_path / "tests").exists()


def test_two_units_whose_names_are_alike_have_names_of_their_own(
    tmp_path: Path,
) -> None:
    folder = ProgramFolder(tmp_path / "tests")
    first = folder._claim_name("a-b_k", "1" * 64)
    # `-` and `_` are the same in an identifier
    second = folder._claim_name("a_b_k", "2" * 64)
    assert first != second
    assert second == f"{first}_{'2' * 12}"
    assert folder._claim_name("a_b_k", "2" * 64) == second
    assert folder._claim_name("a-b_k", "1" * 64) == first
