"""Locators come from the command line and from a file, each once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import typer

from crawler.errors import Misconfigured
from workers.cli.crawls.crawl import collect_locators, require_locators


def test_locators_of_a_file_follow_those_of_the_command_line(tmp_path: Path) -> None:
    list_file = tmp_path / "locators.txt"
    list_file.write_text("# owners\n\n  github:ROCm  \npypi:mmcv\n")

    locators = collect_locators(["pypi:mmcv", "./folder"], list_file)

    assert locators == ["pypi:mmcv", "./folder", "github:ROCm"]


def test_a_folder_whose_name_is_no_text_is_spelled_as_text(tmp_path: Path) -> None:
    raw_name = os.fsdecode(b"./gr\xf6\xdfe%E4")
    assert collect_locators([raw_name, "git+https://a/%C3%A9"], None) == [
        "./gr%F6%DFe%25E4",
        "git+https://a/%C3%A9",
    ]


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_read_is_a_wrong_setting(
    tmp_path: Path, content: bytes | None
) -> None:
    list_file = tmp_path / "locators.txt"
    if content is not None:
        list_file.write_bytes(content)

    with pytest.raises(Misconfigured, match="cannot be read"):
        collect_locators(None, list_file)


def test_a_crawl_of_nothing_is_wrong_usage(tmp_path: Path) -> None:
    list_file = tmp_path / "locators.txt"
    list_file.write_text("# nothing yet\n")

    with pytest.raises(typer.BadParameter, match="nothing to crawl"):
        require_locators([], list_file)
