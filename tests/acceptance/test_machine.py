"""What the command line says of this machine, of its settings, and of wrong usage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt


def test_doctor_names_what_was_looked_at(kernelset: Kernelset) -> None:
    findings = {finding["name"]: finding for finding in kernelset.rows("doctor")}
    assert {
        "clang",
        "clang headers",
        "ROCm device library",
        "sandbox",
        "storage",
        "disk",
        "cmake",
    } <= set(findings)
    assert findings["clang"]["state"] == "ok"
    assert findings["storage"]["found"] == str(kernelset.home)


def test_config_shows_where_each_setting_is_from(kernelset: Kernelset) -> None:
    settings = {
        setting["name"]: setting for setting in kernelset.rows("config", "show")
    }
    assert settings["home"]["origin"] == "KERNELSET_HOME"
    assert settings["workers"] == {"name": "workers", "value": "0", "origin": "default"}


def test_usage_errors_end_with_two_and_point_at_help(kernelset: Kernelset) -> None:
    assert (
        "kernelset crawl --help"
        in kernelset.run("crawl", "--no-such-option", "x", code=2).stderr
    )
    assert "kernelset --help" in kernelset.run("frobnicate", code=2).stderr
    assert "Usage: kernelset" in kernelset.run(code=2).stderr
