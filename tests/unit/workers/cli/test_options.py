"""Shared options are checked the same way for every command."""

from __future__ import annotations

import pytest

from crawler.dataset.texts.depth import Depth
from crawler.errors import Misconfigured
from storage.open import Storage
from workers.cli.options import DEPTH_NAMES, is_known_crawl, parse_depth


def test_every_depth_has_its_name() -> None:
    assert [parse_depth(name) for name in DEPTH_NAMES] == [
        Depth.PURE,
        Depth.UNIT,
        Depth.FULL,
    ]


def test_an_unknown_depth_is_a_wrong_setting_and_printed_harmless() -> None:
    with pytest.raises(Misconfigured, match=r"deep\\x1b: give one of") as raised:
        parse_depth("deep\x1b")
    assert raised.value.code == "bad-depth"


def test_without_an_id_all_crawls_are_meant(
    storage: Storage, capsys: pytest.CaptureFixture[str]
) -> None:
    assert is_known_crawl(storage, "")
    assert capsys.readouterr().err == ""


def test_an_unknown_crawl_is_said(
    storage: Storage, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not is_known_crawl(storage, "0f3c")
    assert capsys.readouterr().err == (
        "no crawl has the id 0f3c: `kernelset crawls` lists them\n"
    )
